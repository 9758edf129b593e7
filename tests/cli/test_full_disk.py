"""Commands on a disk without a free byte: a file system of 8 MB in memory, where one may be mounted."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing, suppress

import pytest
from sent import request_of, span_of

from inspector.cli.app import run as command
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings
from inspector.store import StoreFull
from inspector.store.sqlite import SqliteStore

TOKEN = "a-token-of-the-tests-only"


def line(size):
    """A span in the spool with so many bytes of text, which no compression makes much smaller."""
    text = random.Random(0).randbytes(size // 2).hex()
    times = {"startTimeUnixNano": "1795900000000000000", "endTimeUnixNano": "1795900000000000001"}
    span = span_of("c" * 16, {"text": text}, traceId="c" * 32, name="waiting", **times)
    return json.dumps(request_of(span)) + "\n"


@pytest.fixture
def home(request, tmp_path):
    """A data directory on a small disk of its own."""
    size = getattr(request, "param", "8m")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no file system may be mounted here: {mounted.stderr.decode().strip()}")
    yield disk / "home"
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.fixture
def fill(home, span):
    """Record until the disk is full, with a line left in the spool; returns how many traces were stored."""

    def filled(*, pinned=False, waiting=100):
        with Owner(Settings(home=home, retention_days=36_500)) as owner:
            home.joinpath("spool").mkdir(mode=0o700)
            (home / "line").write_text(line(waiting))
            stored = 0
            with closing(sqlite3.connect(home / "inspector.db", isolation_level=None)) as reader, suppress(StoreFull):
                while True:
                    if stored == 3 and pinned:
                        # Whoever reads what was keeps the log from being used again.
                        reader.execute("BEGIN")
                        reader.execute("SELECT count(*) FROM spans").fetchone()
                    result = random.Random(stored).randbytes(1500).hex()
                    spans = [span(trace_id=f"{stored:032x}", attributes={"result": result}) for _ in range(10)]
                    owner.store.write(spans)
                    stored += 1
            (home / "line").rename(home / "spool" / "a.jsonl")
        stuff_full(home)
        return stored

    return filled


def stuff_full(home):
    """Takes every byte that is left."""
    with suppress(OSError), home.parent.joinpath("others").open("ab", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    assert free(home) == 0


def free(home):
    return os.statvfs(home).f_bavail * os.statvfs(home).f_frsize


@pytest.fixture
def ask(ask, monkeypatch):
    monkeypatch.setenv("INSPECTOR_TOKEN", TOKEN)
    return ask


@pytest.mark.slow
def test_what_reads_works_on_a_full_disk_and_leaves_the_spool_with_a_line(ask, home, fill, tmp_path):
    stored = fill(waiting=3_000_000)
    for arguments in (["events"], ["show"], ["sessions"], ["export", "--all", "-o", str(tmp_path / "saved.jsonl")]):
        code, _, errors = ask(*arguments)
        assert code == 0, errors
        said = [line for line in errors.splitlines() if "no space left" in line]
        assert len(said) == 1
        assert "what waits stays in the spool" in said[0]
    assert f"exported {10 * stored:,} spans" in errors
    assert (home / "spool" / "a.jsonl").exists()


def test_doctor_names_the_full_disk_and_not_the_database_that_found_no_space(ask, home):
    (home / "spool").mkdir(mode=0o700, parents=True)
    home.chmod(0o700)
    (home / "spool" / "a.jsonl").write_text(line(100))
    stuff_full(home)
    code, _, errors = ask("events")
    assert (code, "no space left" in errors) == (1, True), errors
    code, output, _ = ask("doctor", "--json")
    checks = json.loads(output)["checks"]
    (failed,) = [check for check in checks if check["level"] == "fail"]
    assert (code, failed["name"]) == (1, "disk")
    assert failed["found"] == f"no space left on {home}: nothing can be recorded or stored"
    assert [check["found"] for check in checks if check["name"] == "spool"][0].startswith("1 files, 1 of them with")


@pytest.mark.sweep(1)
@pytest.mark.parametrize("pinned", [False, True], ids=["short log", "long log"])
def test_prune_frees_space_on_a_full_disk(ask, home, fill, pinned):
    stored = fill(pinned=pinned)
    code, output, errors = ask("prune", "--trace", f"{0:032x}", "--yes")
    assert code == 0, errors
    assert output.startswith("deleted 1 trace with 10 spans, "), errors
    stuff_full(home)
    code, _, errors = ask("prune", "--max-size", "1MB", "--yes")
    assert code == 0, errors
    assert free(home) > 300_000
    code, output, errors = ask("events", "--name", "waiting")
    assert (code, errors) == (0, "")
    assert "waiting" in output
    with closing(sqlite3.connect(home / "inspector.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM traces").fetchone()[0] <= stored


@pytest.mark.slow
@pytest.mark.parametrize("home", ["24m"], indirect=True)
def test_prune_frees_space_where_the_text_of_many_calls_is_indexed(ask, home, span):
    (home / "spool").mkdir(mode=0o700, parents=True)
    home.chmod(0o700)
    with (home / "spool" / "a.jsonl").open("w") as file:
        for number in range(1000):
            text = {
                "gen_ai.tool.call.arguments": random.Random(number).randbytes(900).hex(),
                "session.id": f"s{number % 7}",
                "gen_ai.operation.name": "execute_tool",
            }
            file.write(json.dumps(request_of(span_of(f"{number:016x}", text, traceId=f"{number + 1:032x}"))) + "\n")
    assert ask("events")[0] == 0
    (home / "spool" / "a.jsonl").unlink()
    assert (home / "inspector.db.reserve").stat().st_size > 1 << 20
    stuff_full(home)
    code, _, errors = ask("prune", "--max-size", "2MB", "--yes")
    assert code == 0, errors
    assert (home / "inspector.db").stat().st_size <= 2 << 20
    home.parent.joinpath("others").unlink()
    with Owner(Settings(home=home, retention_days=36_500)) as owner:
        owner.store.write(
            [span(trace_id=f"{number:032x}", attributes={"result": "later"}) for number in range(900, 990)]
        )
        while owner.store.index():
            pass
        assert len(owner.store.traces(Filter(), limit=1000).items) > 90
    with closing(sqlite3.connect(home / "inspector.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.slow
def test_prune_frees_space_through_a_server_on_a_full_disk(ask, home, fill, start_inspector):
    stored = fill()
    server = start_inspector("serve", "--port", "0", "--no-open", INSPECTOR_TOKEN=TOKEN)
    assert b"listens" in server.stdout.readline(), server.stderr.read()
    code, output, errors = ask("prune", "--max-size", "3MB", "--yes")
    assert code == 0, errors
    assert "deleted " in output
    server.send_signal(signal.SIGTERM)
    assert server.wait(20) == 0
    with Owner(Settings(home=home, retention_days=36_500)) as owner:
        assert len(owner.store.traces(Filter(), limit=1000).items) < stored
        assert free(home) > 300_000


@pytest.mark.slow
def test_whoever_reads_beside_a_server_leaves_it_the_space_to_delete_with(home, fill):
    fill()
    with Owner(Settings(home=home, retention_days=36_500)):
        stuff_full(home)
        held = (home / "inspector.db.reserve").stat()
        with closing(SqliteStore(home / "inspector.db", read_only=True)) as reader:
            assert reader.traces(Filter(), limit=1).items
        found = (home / "inspector.db.reserve").stat()
        assert (found.st_ino, found.st_size) == (held.st_ino, held.st_size)


@pytest.mark.slow
def test_the_space_to_delete_with_lasts_however_often_others_fill_the_disk(home, fill):
    fill()
    with Owner(Settings(home=home, retention_days=36_500)) as owner:
        for number in range(20):
            stuff_full(home)
            assert owner.store.delete("trace", f"{number:032x}") == 10
        assert (home / "inspector.db.reserve").stat().st_size > 1 << 20


def test_without_a_byte_to_delete_with_it_is_said(ask, home, fill):
    fill()
    (home / "inspector.db.reserve").unlink()
    stuff_full(home)
    code, _, errors = ask("prune", "--max-size", "2MB", "--yes")
    assert code == 1
    assert "no space left" in errors.splitlines()[-1]
    assert "not even to delete with; free a few megabytes, or prune a copy" in errors.splitlines()[-1]
    assert ask("events")[0] == 0


@pytest.fixture
def killed_without_reserve(home, span, tmp_path):
    """A home as an earlier version left it that was killed: a log longer than its database, no reserve, a full disk."""
    owned = tmp_path / "owned" / "inspector.db"
    store = SqliteStore(owned)
    for number in range(32):
        result = random.Random(number).randbytes(1500).hex()
        store.write([span(trace_id=f"{number:032x}", attributes={"result": result}) for _ in range(10)])
        if number == 10:
            store.sync()
    home.mkdir(mode=0o700)
    for name in ("inspector.db", "inspector.db-wal"):
        shutil.copy(owned.with_name(name), home / name)
    store.close()
    stuff_full(home)
    assert (home / "inspector.db-wal").stat().st_size > (home / "inspector.db").stat().st_size > 0
    return home


def test_an_older_schema_that_finds_no_space_to_be_brought_up_to_date_names_the_way_everywhere(ask, home, span):
    with Owner(Settings(home=home, retention_days=36_500)) as owner:
        owner.store.write([span()])
    with closing(sqlite3.connect(home / "inspector.db")) as older, older:
        older.execute("UPDATE alembic_version SET version_num = '0008'")
        older.execute("DELETE FROM counters WHERE name = 'spans'")
    (home / "inspector.db.reserve").unlink(missing_ok=True)
    stuff_full(home)
    for words in (["events"], ["show"], ["export", "--all"], ["tail"], ["serve", "--port", "0"]):
        code, _, errors = ask(*words)
        assert (code, errors.count("\n")) == (1, 1), (words, errors)
        assert "older schema 0008" in errors and "'A full disk' in docs/storage.md" in errors, (words, errors)
    assert "prune a copy of it on another disk" in ask("prune", "--older-than", "7d", "--yes")[2]


@pytest.mark.slow
def test_a_log_without_a_reserve_is_read_and_pruned_by_way_of_another_disk(ask, killed_without_reserve, tmp_path):
    home, other = killed_without_reserve, tmp_path / "other"
    before = {name: (home / name).read_bytes() for name in ("inspector.db", "inspector.db-wal")}
    code, _, errors = ask("export", "--all", "-o", str(tmp_path / "saved.jsonl"))
    assert code == 0, errors
    assert "no space left" in errors and "exported 320 spans of 32 traces" in errors
    code, _, errors = ask("prune", "--max-size", "1.2MB", "--yes")
    assert (code, "prune a copy of it on another disk" in errors.splitlines()[-1]) == (1, True)
    assert {name: (home / name).read_bytes() for name in before} == before
    # As docs/storage.md shows it.
    copied = "mkdir -m 700 $1 && cp -p $0/inspector.db* $1"
    subprocess.run(["sh", "-euc", copied, home, other], check=True)
    assert command(["prune", "--max-size", "1.2MB", "--yes", "--home", str(other)]) == 0
    subprocess.run(["sh", "-euc", "rm $0/inspector.db* && cp -p $1/inspector.db $0", home, other], check=True)
    code, _, errors = ask("events", "--limit", "1000")
    assert (code, errors) == (0, "")
    assert free(home) > 1_000_000
    with Owner(Settings(home=home, retention_days=36_500)) as owner:
        kept = len(owner.store.traces(Filter(), limit=1000).items)
        assert 0 < kept < 40
        assert owner.store.health().spans == 10 * kept
