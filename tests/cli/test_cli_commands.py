import pytest

COMMANDS = ("discover", "screen", "inspect", "info")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(invoke, name):
    result = invoke(name, "--help")
    assert result.exit_code == 0 and "Usage:" in result.stdout


def test_without_a_command_the_help_is_shown(invoke):
    result = invoke()
    assert all(name in result.output for name in COMMANDS)


def test_info_names_versions_and_extras(invoke):
    result = invoke("info")
    assert result.exit_code == 0
    for part in ("arrow_cd", "numpy", "extra pcmci", "extra viz", "methods", "pcmci"):
        assert part in result.stdout
