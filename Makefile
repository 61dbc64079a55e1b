# Every target sets up what it needs. `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

PYTHON ?= python3
VENV ?= .venv
SAMPLE := datasets/river.csv
OUT := out

ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif

WHEEL_SOURCES := $(shell find rust python -name '*.rs' -o -name '*.py' -o -name '*.pyi' -o -name '*.toml') Cargo.toml Cargo.lock pyproject.toml

.PHONY: help setup demo test test-slow lint bench benchmark ci clean tools

help:  ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

tools:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust 1.89 or newer (https://rustup.rs)" >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: install Python 3.11 or newer, or name it: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$$($(PYTHON) --version) is too old: arrow_cd needs Python 3.11 or newer (make PYTHON=python3.12 ...)" >&2; exit 1; }

$(VENV)/ready: pyproject.toml | tools
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet 'maturin>=1.9,<2'
	touch $@

# The release wheel, installed with every extra: what users get is what is run and tested.
$(VENV)/installed: $(VENV)/ready $(WHEEL_SOURCES)
	@echo 'compiling the wheel takes some minutes and prints nothing meanwhile'
	rm -rf $(VENV)/wheels
	$(BIN)/maturin build --release --locked --quiet --interpreter $(BIN)/python --out $(VENV)/wheels
	$(BIN)/python -m pip install --quiet --upgrade "$$(echo $(VENV)/wheels/arrow_cd-*.whl)[all]"
	$(BIN)/python -m pip install --quiet --force-reinstall --no-deps $(VENV)/wheels/arrow_cd-*.whl
	touch $@

$(VENV)/developer: $(VENV)/installed pyproject.toml
	$(BIN)/python -m pip install --quiet --group test --group lint
	touch $@

setup: $(VENV)/installed  ## a virtual environment with arrow_cd and its extras

demo: setup  ## causal graph of the sample series: a table here, a picture in out/
	mkdir -p $(OUT)
	$(BIN)/arrow-cd discover $(SAMPLE) --tau-max 5 --output $(OUT)/river.json --output $(OUT)/river.png

test: $(VENV)/developer  ## all tests, on the installed wheel
	cargo test --release --locked --quiet
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not slow"

test-slow: $(VENV)/developer  ## the long checks
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/developer  ## formatting, clippy, ruff, mypy, stubs
	cargo fmt --check
	cargo clippy --release --locked --all-targets -- -D warnings
	cargo clippy --release --locked --all-targets --features python -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest arrow_cd._core

bench: $(VENV)/developer  ## the measurements behind the README's numbers
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python benches/accelerate_pcmci.py
	$(BIN)/python benches/backends_exact.py
	$(BIN)/python benches/backends_speed.py
	$(BIN)/python benches/dropin.py
	$(BIN)/python benches/engine.py
	$(BIN)/python benches/exactness.py
	$(BIN)/python benches/lag_scan.py
	$(BIN)/python benches/scale.py
	$(BIN)/python benches/screening.py

benchmark: $(VENV)/developer  ## all data sets, methods and screens into benches/RESULTS.md (an hour on 2 cores)
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/arrow-cd bench --full --jobs 2 --budget 240 --resume --output $(OUT)/full
	$(BIN)/arrow-cd bench report $(OUT)/full --into benches/RESULTS.md

ci: ## what .ci/run does
	bash .ci/run

clean:  ## remove everything that was built
	rm -rf $(VENV) $(OUT) target
