import os
import sys

import pytest

from inspector.launch.program import interpreter_of, program_of


@pytest.fixture
def made(tmp_path):
    """Makes an environment with a Python, and returns its directory."""

    def make(*names):
        directory = tmp_path.joinpath(*names)
        (directory / "bin").mkdir(parents=True)
        (directory / "bin" / "python").symlink_to(sys.executable)
        return directory

    return make


@pytest.mark.parametrize("mark", ["uv-receipt.toml", "pipx_metadata.json", None], ids=["uv", "pipx", "uvx"])
def test_installed_as_a_tool_it_runs_programs_in_the_python_of_the_path(made, mark):
    tool, project = made("archive-v0" if mark is None else "tools", "inspector"), made("project")
    if mark is not None:
        (tool / mark).touch()
    path = os.pathsep.join(str(each / "bin") for each in (tool, project))
    assert interpreter_of({"PATH": path}, tool) == str(project / "bin" / "python")
    assert interpreter_of({"PATH": str(tool / "bin")}, tool) is None


def test_installed_beside_a_program_it_runs_that_in_its_own_python(made, tmp_path):
    beside, other = made("project"), made("other")
    assert interpreter_of({"PATH": str(other / "bin")}, beside) is None
    (app := tmp_path / "app.py").touch()
    assert program_of([str(app), "--quick"], {"PATH": str(other / "bin")}).path == sys.executable
