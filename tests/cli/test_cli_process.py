"""What only a process of its own can show: speed of the help, pipes, signals, the exit codes of a shell."""

import resource
import subprocess
import sys

import pytest

HEAVY = ("numpy", "polars", "matplotlib", "networkx", "pandas", "tigramite", "rich")


def test_help_takes_less_than_half_a_second(command):
    def seconds():
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, "--help"], check=True, capture_output=True)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime

    assert min(seconds() for _ in range(5)) < 0.5  # of the processor, whatever else the machine does


@pytest.mark.parametrize("arguments", ["", "discover"])
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys\nfrom arrow_cd.cli import main\n"
        f"sys.argv = ['arrow-cd', *{arguments.split()}, '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr.strip() == "[]"
