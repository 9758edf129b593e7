from pathlib import Path

import pytest

CONFTEST = """
from pathlib import Path
import sys

sys.path.insert(0, {tests!r})
from workers import Workers

def pytest_configure(config):
    config.pluginmanager.register(Workers(config, 2))
"""
MET = """
import os, time
from pathlib import Path

def test_meets_the_other_file():
    Path("{name}").write_text(str(os.getpid()))
    give_up = time.monotonic() + 60
    while not Path("{other}").exists():
        assert time.monotonic() < give_up

def test_is_run_by_the_same_process():
    print("printed by {name}")
    assert Path("{name}").read_text() == str(os.getpid()) and False
"""
ENDING = """
import os
import pytest

@pytest.mark.parametrize("number", range(4))
def test_of(number, tmp_path):
    if number == 1:
        os._exit(3)
    if number == 2:
        pytest.exit("enough")
"""
WAITING = """
import time
import pytest
from workers import Workers

@pytest.mark.parametrize("number", range(4))
def test_until_they_stop(number, pytestconfig):
    (workers,) = [each for each in pytestconfig.pluginmanager.get_plugins() if isinstance(each, Workers)]
    give_up = time.monotonic() + 60
    while not workers.stopping[0]:
        assert time.monotonic() < give_up
"""


@pytest.fixture
def run(tmp_path, fork_python):
    """Runs files of tests by two processes, and returns what pytest says."""

    def run(*arguments: str, **files: str) -> str:
        (tmp_path / "conftest.py").write_text(CONFTEST.format(tests=str(Path(__file__).parent)))
        (tmp_path / "pytest.ini").touch()
        for name, text in files.items():
            (tmp_path / f"test_{name}.py").write_text(text)
        env = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = fork_python.run("-m", "pytest", "-p", "no:cacheprovider", *arguments, cwd=tmp_path, env=env, text=True)
        return done.stdout + done.stderr

    return run


def test_files_run_at_once_each_in_one_process_and_what_they_print_is_shown(run):
    said = run(a=MET.format(name="a", other="b"), b=MET.format(name="b", other="a"))
    assert "2 failed, 2 passed" in said
    assert [said.count(f"\nprinted by {name}\n") for name in "ab"] == [1, 1]
    assert " == str(os.getpid())" in said and "and False" in said


def test_a_test_that_ends_its_process_fails_and_the_rest_of_its_file_is_run(run):
    said = run("-rA", ending=ENDING)
    assert "FAILED test_ending.py::test_of[1] - its process ended with 3" in said
    assert "FAILED test_ending.py::test_of[2]" in said and "Exit: enough" in said
    assert "2 failed, 2 passed" in said


def test_once_one_has_failed_too_much_the_other_process_runs_no_further_tests(run):
    said = run("-x", "-v", a="def test_fails():\n    assert not 1\n", b=WAITING, c=WAITING)
    assert "stopping after 1 failures" in said
    assert "1 failed, 2 passed" in said
