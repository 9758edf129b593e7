from pathlib import Path

import pytest

from inspector.cli.errors import CliError
from inspector.cli.running.started import start_again


def why_not(program):
    with pytest.raises(CliError) as raised:
        start_again(program, "r1")
    return str(raised.value)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (None, "how the program was started is not recorded"),
        ({"argv": ["app.py"]}, "how the program was started is not recorded"),
        ({"argv": ["app.py", "[redacted:key 9 chars]"], "directory": "/"}, "not all of the words"),
        ({"argv": ["a"] * 200, "directory": "/"}, "not all of the words"),
        ({"argv": ["-c"], "directory": "/"}, "the program was no file"),
        ({"argv": ["app.py"], "directory": "/gone"}, "the program /gone/app.py no longer exists"),
    ],
)
def test_a_program_that_cannot_be_started_as_it_was_is_said_to_be_so(program, why):
    said = why_not(program)
    assert said.startswith(why)
    assert said.endswith("give the program to run: inspector replay r1 -- app.py")


def test_a_module_of_a_package_is_not_started_as_a_file(tmp_path):
    for name in ("__init__.py", "module.py"):
        (tmp_path / name).touch()
    assert "is part of a package, and may have been started with -m" in why_not(
        {
            "argv": [str(tmp_path / "module.py")],
            "directory": str(tmp_path),
        }
    )


def test_a_program_whose_directory_is_gone_is_not_started_elsewhere(tmp_path):
    (tmp_path / "app.py").touch()
    gone = str(tmp_path / "gone")
    assert f"the directory {gone}, where" in why_not({"argv": [str(tmp_path / "app.py")], "directory": gone})


def test_a_program_is_started_in_its_directory_with_its_words(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir("/")
    (tmp_path / "app.py").touch()
    words = start_again({"argv": ["app.py", "a b"], "directory": str(tmp_path)}, "r1")
    assert words == ("app.py", "a b")
    assert f"replay: app.py 'a b' in {tmp_path}" in capsys.readouterr().err
    assert Path.cwd() == tmp_path


def test_a_module_is_started_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    program = {"argv": [str(tmp_path / "trips/__main__.py"), "--fast"], "module": "trips", "directory": str(tmp_path)}
    assert start_again(program, "r1") == ("-m", "trips", "--fast")
    assert Path.cwd() == tmp_path
    assert "the directory /gone, where" in why_not(program | {"directory": "/gone"})
