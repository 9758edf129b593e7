"""The private directory of a run goes with it, or with the next run if it was killed."""

import os
import subprocess
import sys
import tempfile
import time

import pytest

from inspector.launch import PrivateDirectory

HOLDING = """
import sys, tempfile
from inspector.launch import PrivateDirectory
tempfile.tempdir = sys.argv[1]
print(PrivateDirectory().path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def running(temporary):
    """Another run, and its directory."""
    command = [sys.executable, "-c", HOLDING, str(temporary)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process, temporary / process.stdout.readline().strip()
        process.kill()


def test_it_is_private_and_removed_with_all_that_is_in_it():
    private = PrivateDirectory()
    assert private.path.stat().st_mode & 0o777 == 0o700
    (private.path / "bodies").mkdir()
    private.remove()
    assert not private.path.exists()


def test_that_of_a_killed_run_is_removed_by_the_next(running):
    process, directory = running
    (directory / "bodies").mkdir()
    (directory / "bodies" / "a.json").write_text("{}")
    process.kill()
    process.wait()
    assert directory.exists()
    PrivateDirectory().remove()
    assert not directory.exists()


def test_that_of_a_run_that_goes_on_stays(running):
    _, directory = running
    PrivateDirectory().remove()
    assert directory.exists()


def test_one_that_was_never_locked_stays(temporary):
    (temporary / "inspector-run-another").mkdir()
    (temporary / "inspector-run-file").touch()
    PrivateDirectory().remove()
    assert sorted(path.name for path in temporary.iterdir()) == ["inspector-run-another", "inspector-run-file"]


@pytest.mark.parametrize("names", [[], ["python", "recorded-20260101T000000-7-ab.json", "bodies"], ["lock.new"]])
def test_one_without_a_lock_is_removed_after_a_week(temporary, names):
    left, others = temporary / "inspector-run-ab12_z9q", temporary / "inspector-run-ab12_z9r"
    for directory in (left, others):
        directory.mkdir()
        for name in names:
            (directory / name).touch()
    (others / "diary.txt").touch()
    set_back(temporary, days=6)
    PrivateDirectory().remove()
    assert left.exists()
    set_back(temporary, days=8)
    PrivateDirectory().remove()
    assert [path.name for path in temporary.iterdir()] == [others.name]


def set_back(directory, *, days):
    """Make everything in a directory look as if it had been written days ago."""
    then = time.time() - days * 86_400
    for path in directory.rglob("*"):
        os.utime(path, (then, then))


def test_one_that_is_written_to_stays(temporary):
    left = temporary / "inspector-run-ab12_z9q"
    left.mkdir()
    (left / "gemini.json").touch()
    (left / "python").touch()
    set_back(temporary, days=8)
    (left / "gemini.json").write_text("{}")
    PrivateDirectory().remove()
    assert left.exists()


def test_what_a_link_of_that_name_leads_to_stays(temporary):
    kept = temporary / "kept"
    kept.mkdir()
    (kept / "lock").touch()
    (temporary / "inspector-run-link").symlink_to(kept)
    PrivateDirectory().remove()
    assert (kept / "lock").exists()
