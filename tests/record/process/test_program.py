import json
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from inspector.ingest import Owner
from inspector.model import Filter
from inspector.record.process.program import describe_program
from inspector.settings import Settings

PROGRAM = """
import sys
import inspector, instrument
inspector.attach()
import openai
for name in ("first", "second"):
    with instrument.around("tool_call", tool_name=name, args={}, context=None) as call:
        call.set(result=1)
"""


def git(directory, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *words], cwd=directory, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    top = tmp_path / "checkout"
    (top / "inner").mkdir(parents=True)
    for name in ("a.py", "inner/b.py", "a file of a longer name.txt"):
        (top / name).write_text(name)
    git(top, "init", "--quiet")
    git(top, "add", ".")
    git(top, "commit", "--quiet", "--message", "begin")
    monkeypatch.chdir(top / "inner")
    return top


def described():
    return describe_program(dict)


def test_the_commit_is_that_of_the_checkout_around(checkout):
    assert described()["commit"] == git(checkout, "rev-parse", "HEAD")
    assert described()["changed"] is False
    git(checkout, "pack-refs", "--all")
    assert described()["commit"] == git(checkout, "rev-parse", "HEAD")
    git(checkout, "checkout", "--quiet", "--detach")
    assert described()["commit"] == git(checkout, "rev-parse", "HEAD")


def test_a_file_that_git_tracks_and_that_is_another_is_a_change(checkout):
    (checkout / "new.py").write_text("not tracked")
    assert described()["changed"] is False
    (checkout / "a.py").write_text("longer than before")
    assert described()["changed"] is True
    git(checkout, "checkout", "a.py")
    (checkout / "inner" / "b.py").unlink()
    assert described()["changed"] is True


def test_a_worktree_beside_the_checkout_has_a_commit_of_its_own(checkout, monkeypatch):
    git(checkout, "worktree", "add", "--quiet", "-b", "other", "../beside")
    beside = checkout.parent / "beside"
    git(beside, "commit", "--quiet", "--allow-empty", "--message", "more")
    monkeypatch.chdir(beside)
    assert described()["commit"] == git(beside, "rev-parse", "HEAD") != git(checkout, "rev-parse", "HEAD")


@pytest.mark.parametrize("damage", ["HEAD", "index"])
def test_what_git_cannot_read_either_is_left_out(checkout, damage):
    (checkout / ".git" / damage).write_bytes(b"\xff")
    assert "commit" not in described()
    assert described()["directory"] == str(checkout / "inner")


def test_outside_of_a_checkout_there_is_no_commit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert described().keys() - {"module"} == {"argv", "python", "variables", "directory", "packages"}


def test_a_directory_that_is_gone_is_left_out(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert described().keys() - {"module"} == {"argv", "python", "variables", "packages"}


@pytest.mark.parametrize(
    ("spec", "module"),
    [
        (SimpleNamespace(name="trips.__main__"), "trips"),
        (SimpleNamespace(name="trips.plan"), "trips.plan"),
        (None, None),
    ],
)
def test_a_module_is_called_as_it_was_after_the_option(spec, module, monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", spec)
    assert described().get("module") == module


def recorded(tmp_path, **more):
    home, script = tmp_path / "home", tmp_path / "script.py"
    script.write_text(PROGRAM)
    environment = {"PATH": "", "HOME": str(tmp_path), "INSPECTOR_HOME": str(home), "SHOP_KEY": "planted-value", **more}
    words = [sys.executable, script, "--city", "Lisbon", f"--key=ghp_{'a1B2' * 9}"]
    subprocess.run(words, env=environment, cwd=tmp_path, check=True, timeout=120)
    with Owner(Settings(home=home)) as owner:
        owner.ingest_spools()
        events = owner.store.events(Filter(), order="asc", full=True, raw=True).items
    return [json.loads(bytes(event.attributes)).get("inspector.raw.program") for event in events]


def test_the_first_call_of_a_process_says_how_it_was_started(tmp_path):
    first, second = recorded(tmp_path)
    assert second is None
    found = json.loads(first)
    assert found["argv"][:3] == [str(tmp_path / "script.py"), "--city", "Lisbon"]
    assert found["argv"][3].startswith("--key=[redacted:github")
    assert found["directory"] == str(tmp_path)
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert {"SHOP_KEY", "INSPECTOR_HOME"} <= set(found["variables"])
    assert "planted" not in first
    assert found["packages"].keys() >= {"openai", "mcp-agent-inspector"}


@pytest.mark.slow
def test_without_raw_parts_nothing_is_said_of_it(tmp_path):
    assert recorded(tmp_path, INSPECTOR_CAPTURE_RAW="false") == [None, None]


FORKING = """
import os
import inspector, instrument
inspector.attach(integrations=False)

def call():
    with instrument.around("tool_call", tool_name="t", args={}, context=None) as made:
        made.set(result=1)

call()
if os.fork() == 0:
    call()
else:
    os.wait()
"""


def test_a_forked_child_says_it_of_itself(tmp_path):
    environment = {"PATH": "", "HOME": str(tmp_path), "INSPECTOR_HOME": str(tmp_path / "home")}
    subprocess.run([sys.executable, "-c", FORKING], env=environment, cwd=tmp_path, check=True, timeout=120)
    spools = [path.read_text() for path in (tmp_path / "home" / "spool").glob("*.jsonl")]
    assert [text.count('"program":{') for text in spools] == [1, 1]
