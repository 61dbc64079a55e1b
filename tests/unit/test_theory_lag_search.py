"""docs/theory.md on the compiled lag search: its numbers are those of the theorems."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arrow_cd.lags import lag_search


def cells(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """2 x 2 counts of the places where both are known."""
    known = ~np.isnan(x) & ~np.isnan(y)
    return np.array([[np.sum(known & (x == p) & (y == q)) for q in (0, 1)] for p in (0, 1)])


def information(counts: np.ndarray) -> float:
    share = counts / counts.sum()
    expected = share.sum(1, keepdims=True) * share.sum(0)
    return float(sum(p * math.log(p / e) for p, e in zip(share.flat, expected.flat, strict=True) if p > 0))


def test_t1_information_agreement_and_z_come_from_the_table() -> None:
    rng = np.random.default_rng(0)
    T, tau_max = 333, 9
    x = (rng.random((T, 3)) < (0.15, 0.5, 0.7)).astype(float)
    x[7:, 1] = np.where(rng.random(T - 7) < 0.6, x[:-7, 0], x[7:, 1])
    x[rng.random(x.shape) < 0.1] = np.nan
    found = lag_search(x, tau_max=tau_max, bits=1)
    for i in range(3):
        for j in range(3):
            for tau in range(int(i == j), tau_max + 1):
                counts = cells(x[: T - tau, i], x[tau:, j])
                n = counts.sum()
                assert found.mi[i, j, tau] == pytest.approx(information(counts), abs=1e-12)
                assert found.score[i, j, tau] == pytest.approx(max(np.trace(counts), n - np.trace(counts)) / n)
                (n00, n01), (n10, n11) = counts
                phi = (n11 * n00 - n10 * n01) / math.sqrt(math.prod((*counts.sum(0), *counts.sum(1))))
                assert found.z[i, j, tau] == pytest.approx(phi * math.sqrt(n), abs=1e-9)


def test_t3_uneven_margins_mislead_the_agreement_but_not_z() -> None:
    """y is never 1 three samples after x: the table's counter-example, as series."""
    rng = np.random.default_rng(1)
    T = 20_000
    x, y = rng.random(T) < 0.2, rng.random(T) < 0.25
    y[3:] &= ~x[:-3]
    found = lag_search(np.column_stack([x, y]).astype(float), tau_max=8, bits=1)
    assert found.best_tau[0, 1] == np.argmax(found.mi[0, 1]) == 3
    assert found.mi[0, 1, 3] == pytest.approx(0.0505, abs=0.005)
    assert np.argmin(found.score[0, 1]) == 3  # .60 against .68 where x and y are independent


def test_t5_and_t6_correlation_and_efficiency() -> None:
    rng = np.random.default_rng(2)
    n, pairs, rho = 1000, 400, 0.1
    x = rng.normal(size=(n, pairs))
    y = rho * x + math.sqrt(1 - rho**2) * rng.normal(size=(n, pairs))
    efficiency = {}
    for bits in (1, 2):
        z = [lag_search(np.column_stack(pair), tau_max=0, bits=bits) for pair in zip(x.T, y.T, strict=True)]
        signal = np.array([found.z[0, 1, 0] for found in z])
        efficiency[bits] = (signal.mean() / rho) ** 2 / n  # z has variance near 1
        assert signal.std() == pytest.approx(1, abs=0.15)
        if bits == 1:
            differ = 1 - np.array([found.score[0, 1, 0] for found in z])
            differ = np.where(signal > 0, differ, 1 - differ)
            assert np.sin(math.pi / 2 * (1 - 2 * differ)).mean() == pytest.approx(rho, abs=0.01)
    assert efficiency[1] == pytest.approx(0.405, abs=0.06)
    assert efficiency[2] == pytest.approx(0.741, abs=0.08)
