"""Homes that cannot be written: read-only ones, open ones, and those that somebody else left files in."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sent import request_of, span_of

from inspector.cli import following
from inspector.cli.app import run as command
from inspector.homes import left_by_others
from inspector.record.calls.spans import RecordedSpan
from inspector.record.lines.losses import LossCounter
from inspector.record.lines.renderer import RenderedLine
from inspector.record.spool.segments import Segments
from inspector.record.spool.writer import SpoolWriter
from inspector.store.sqlite import SqliteStore

NOBODY = 65534
ANOTHER = 54321
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else for a while")


@pytest.fixture
def tmp_path():
    """Outside of pytest's own directory, which each pytest that starts meanwhile closes to all other users."""
    with TemporaryDirectory(prefix="homes-") as directory:
        yield Path(directory)


@pytest.fixture
def as_nobody(home, ask, tmp_path):
    """Gives the home to a user without rights, and makes this process theirs until the test ends."""
    # What a command imports late has to be there: that user cannot read where it is.
    for arguments in (["events"], ["show"], ["doctor"]):
        ask(*arguments)
    for each in reversed(tmp_path.parents):
        each.chmod(each.stat().st_mode | 0o011)
    for each in (home, *home.rglob("*")):
        os.chown(each, NOBODY, NOBODY)

    def begin():
        os.setegid(NOBODY)
        os.seteuid(NOBODY)

    yield begin
    os.seteuid(0)
    os.setegid(0)


@pytest.fixture
def recorded(home, write_spans, span, tmp_path):
    """A home with two recorded calls, which its last owner closed."""
    tmp_path.chmod(0o711)
    write_spans(span(), span())
    return home


@AS_ROOT
def test_a_home_that_cannot_be_written_is_read(recorded, ask, as_nobody):
    before = {path: path.read_bytes() for path in recorded.rglob("*") if path.is_file()}
    recorded.chmod(0o500)
    as_nobody()
    code, shown, errors = ask("events")
    assert (code, len(shown.splitlines())) == (0, 3), errors
    assert errors.count("\n") == 1
    assert "cannot be written; run: chmod 700" in errors and "only what was stored before is shown" in errors
    assert {path: path.read_bytes() for path in recorded.rglob("*") if path.is_file()} == before


@pytest.fixture
def on_read_only_disk(home, write_spans, span):
    """A home with two recorded calls on a file system of its own, which was mounted anew for reading."""
    home.mkdir(mode=0o700)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m,mode=0700", "none", home], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no file system may be mounted here: {mounted.stderr.decode().strip()}")
    try:
        write_spans(span(), span())
        subprocess.run(["mount", "-o", "remount,ro", home], check=True)
        yield home
    finally:
        subprocess.run(["umount", "--lazy", home], check=True)


def test_a_home_on_a_read_only_disk_is_read_and_not_served(on_read_only_disk, inspector, ask):
    code, shown, errors = ask("events")
    assert (code, len(shown.splitlines())) == (0, 3), errors
    assert errors.count("\n") == 1
    assert "damaged" not in ask("doctor")[1]
    served = inspector("serve", "--port", "0", "--no-open")
    assert (served.returncode, served.stdout, served.stderr.count(b"\n")) == (1, b"", 1), served.stderr
    for said in (errors, served.stderr.decode()):
        assert f"{on_read_only_disk} is on a read-only file system; set INSPECTOR_HOME to another directory" in said


@AS_ROOT
def test_a_home_left_by_an_owner_that_was_killed_is_read_from_a_copy(recorded, ask, as_nobody, span, tmp_path):
    store = SqliteStore(recorded / "inspector.db")
    store.write([span()])
    kept = tmp_path / "kept"
    shutil.copytree(recorded, kept)
    store.close()
    assert (kept / "inspector.db-wal").stat().st_size
    (kept / "inspector.db-shm").unlink()
    for each in (kept, *kept.rglob("*")):
        os.chown(each, NOBODY, NOBODY)
    kept.chmod(0o500)
    before = sorted(kept.iterdir())
    as_nobody()
    code = command(["events", "--home", str(kept), "--json"])
    assert code == 0
    assert sorted(kept.iterdir()) == before


def test_a_home_that_others_can_write_is_read_and_not_written(recorded, ask):
    recorded.chmod(0o777)
    (recorded / "spool").mkdir(mode=0o700)
    waiting = recorded / "spool" / "a.jsonl"
    waiting.write_text('{"resourceSpans":[]}\n')
    code, shown, errors = ask("events")
    assert (code, len(shown.splitlines())) == (0, 3)
    assert f"can be written by others; run: chmod 700 {recorded}" in errors
    code, _, errors = ask("prune", "--older-than", "1d", "--yes")
    assert (code, errors.count("\n")) == (1, 1)
    assert f"run: chmod 700 {recorded}" in errors
    recorded.chmod(0o700)
    assert ask("events")[2] == ""


def test_following_a_home_that_can_only_be_read_says_so_once(recorded, ask, monkeypatch):
    recorded.chmod(0o777)
    monkeypatch.setattr(following, "_OWNER_POLL_S", 0.0)
    rests = iter(range(3))

    def rest(_):
        if next(rests, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", rest)
    code, shown, errors = ask("tail")
    assert (code, len(shown.splitlines())) == (0, 2)
    assert errors.count("can be written by others") == 1


@AS_ROOT
def test_root_leaves_nothing_of_its_own_in_the_home_of_a_user(recorded, ask, as_nobody):
    code, shown, errors = ask("events")
    assert (code, len(shown.splitlines())) == (0, 3)
    assert "belongs to nobody; run this as nobody" in errors
    assert {path.stat().st_uid for path in recorded.rglob("*")} == {NOBODY}


@AS_ROOT
def test_root_is_told_whose_home_it_is_where_nothing_was_taken_in_yet(home, ask):
    (home / "spool").mkdir(mode=0o700, parents=True)
    (home / "spool" / "20261122T100000-1-00c0ffee.000001.jsonl").write_text('{"resourceSpans":[]}\n')
    for each in (home, *home.rglob("*")):
        os.chown(each, NOBODY, NOBODY)
    for arguments in (["events"], ["prune", "--older-than", "1d", "--yes"]):
        code, shown, errors = ask(*arguments)
        assert (code, shown, errors.count("\n")) == (1, "", 1)
        assert "belongs to nobody; run this as nobody" in errors


@AS_ROOT
def test_what_a_program_of_root_records_belongs_to_the_user_whose_home_it_is(home, tmp_path):
    user = tmp_path / "user"
    user.mkdir()
    os.chown(user, NOBODY, NOBODY)
    segments = Segments(user / ".inspector" / "spool", "p", losses=LossCounter())
    segments.write(b"1\n")
    segments.close()
    made = [user / ".inspector", *(user / ".inspector").rglob("*")]
    assert len(made) == 3
    assert {path.stat().st_uid for path in made} == {NOBODY}


@AS_ROOT
def test_files_that_root_left_are_named_with_what_mends_them(recorded, ask, as_nobody, caplog):
    (recorded / "spool").mkdir(mode=0o700)
    mend = f"sudo chown -R nobody {recorded}"
    as_nobody()
    assert left_by_others(recorded).startswith(f"{recorded / 'spool'} belongs to root")
    code, shown, errors = ask("events")
    assert (code, len(shown.splitlines())) == (0, 3), errors
    assert mend in errors
    code, shown, _ = ask("doctor")
    assert code == 1
    assert mend in shown
    _write_a_call(recorded)
    assert mend in caplog.text


@AS_ROOT
@pytest.mark.parametrize("closed", ["home", "above"])
def test_the_closed_home_of_another_user_is_named_and_left_to_them(recorded, ask, as_nobody, caplog, closed):
    shut = recorded if closed == "home" else recorded.parent
    os.chown(recorded, ANOTHER, ANOTHER)
    shut.chmod(0o700)
    as_nobody()
    for arguments in (["events"], ["show"], ["stats"], ["prune", "--older-than", "1d", "--yes"]):
        code, shown, errors = ask(*arguments)
        assert (code, shown, errors.count("\n")) == (1, "", 1)
        assert str(recorded) in errors and "set INSPECTOR_HOME to a directory of yours" in errors
    code, shown, _ = ask("doctor")
    assert code == 1 and "packages" in shown
    assert "set INSPECTOR_HOME to a directory of yours" in shown
    if closed == "home":
        _write_a_call(recorded)
        assert f"{recorded} belongs to {ANOTHER}; set INSPECTOR_HOME" in caplog.text
        assert "chown" not in caplog.text


def _write_a_call(home):
    spool = SpoolWriter(
        home / "spool", "p", lambda spans, losses, *, file, is_over=False: [RenderedLine(b"{}\n", [], {})]
    )
    spool.put(RecordedSpan("tool_call", trace_id=1, span_id=1, start_ns=1, start_tick=0))
    assert not spool.flush()


def test_a_home_whose_name_is_not_utf_8_is_read_served_and_pruned(tmp_path, capsys, monkeypatch, start_inspector):
    home = tmp_path / os.fsdecode(b"h\xff\xfe")
    monkeypatch.setenv("INSPECTOR_HOME", str(home))
    monkeypatch.setenv("INSPECTOR_RETENTION_DAYS", "36500")
    try:
        home.mkdir(mode=0o700)
    except OSError:
        pytest.skip("the file system takes no such name")
    (home / "spool").mkdir(mode=0o700)
    line = json.dumps(request_of(span_of(1, {"inspector.hook": "tool_call"})))
    (home / "spool" / "20261122T100000-1-00c0ffee.000001.jsonl").write_text(f"{line}\n")
    server = start_inspector("serve", "--port", "0", "--no-open", INSPECTOR_HOME=str(home))
    assert b"listens" in server.stdout.readline(), server.stderr.read()
    server.terminate()
    assert server.wait(20) == 0
    for arguments in (["events"], ["show"], ["doctor"], ["prune", "--max-size", "1B", "--yes"]):
        assert command(arguments) == 0, (arguments, capsys.readouterr())
    assert "deleted 1 trace with 1 span, " in capsys.readouterr().out


def test_files_are_named_by_any_bytes_and_all_else_by_text(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("INSPECTOR_RETENTION_DAYS", "36500")
    home = tmp_path / os.fsdecode(b"h\xff")
    try:
        home.mkdir(mode=0o700)
    except OSError:
        pytest.skip("the file system takes no such name")
    file, saved, database = (str(home / name) for name in ("a.jsonl", "saved.jsonl", "inspector.db"))
    Path(file).write_text(json.dumps(request_of(span_of(1, {"inspector.hook": "tool_call"}))))
    for arguments in (
        ["import", file, "--home", str(home)],
        ["events", f"--home={home}"],
        ["export", "--salvage", database, "-o", saved],
    ):
        assert command(arguments) == 0, (arguments, capsys.readouterr())
    assert command(["events", "--home", str(home), "--name", str(home)]) == 2
    assert "is not valid UTF-8" in capsys.readouterr().err
