"""Of 500 planted secrets none is in any file: recorded in the agent, or received from programs that redact nothing."""

import contextlib
import gzip
import json
import logging
import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path

import planted
import pytest
from emitted import watching

from inspector.cli.exporting import ExportSelection, write_export
from inspector.cli.writing.import_files import import_files
from inspector.ingest import Owner
from inspector.otlp import decode
from inspector.settings import Settings

COUNT = 500
SECRETS = planted.secrets(COUNT)
PROGRAM = str(Path(__file__).with_name("leaking.py"))
START_NS = 1_795_000_000_000_000_000
pytestmark = pytest.mark.sweep(2)

WAYS = (*(pytest.param(way, marks=pytest.mark.slow) for way in ("agent", "otlp", "import")), "spool")
OF_THE_AGENT = (
    "spool of the agent",
    "spool of a killed agent",
    "outbox",
    "temporary files",
    "output of inspector run",
    "output of inspector events",
)
PLACES = (
    *OF_THE_AGENT,
    "database while it is written",
    "write-ahead log",
    "shared memory",
    "search index",
    "every column, unpacked",
    "database at rest",
    "export",
    "packed export",
    "home of an import of the export",
    "log",
    "all files",
)


def leaks(data):
    return [core for _, core in SECRETS if core.encode() in data]


def everything(directory, pattern="*"):
    return b"".join(path.read_bytes() for path in sorted(directory.rglob(pattern)) if path.is_file())


def inspector(home, *words, **variables):
    temporary = home.parent / "tmp"
    temporary.mkdir(exist_ok=True)
    env = {"INSPECTOR_HOME": str(home), "TMPDIR": str(temporary), "PATH": "/usr/bin:/bin", **variables}
    env |= {"INSPECTOR_RETENTION_DAYS": "36500", **watching(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "inspector.cli", *words]
    return subprocess.run(command, env=env, capture_output=True, timeout=120, check=False)


def foreign(at, text):
    """A span of a program that redacts nothing, with the text in one of its places, which take turns."""
    values = [
        {"stringValue": text},
        {"stringValue": json.dumps([{"role": "user", "content": text}])},
        {"arrayValue": {"values": [{"stringValue": text}]}},
        {"kvlistValue": {"values": [{"key": "deep", "value": {"stringValue": text}}]}},
        {"bytesValue": planted.encoded(text)},
    ]
    attribute = (
        {"key": f"a.{at % 7}", "value": values[at % 5]} if at % 8 < 5 else {"key": "n", "value": {"intValue": at}}
    )
    return {
        "traceId": f"{at // 10 + 1:032x}",
        "spanId": f"{at + 1:016x}",
        "name": f"call {text}" if at % 8 == 5 else "call",
        "startTimeUnixNano": str(START_NS + at),
        "endTimeUnixNano": str(START_NS + at + 9),
        "attributes": [attribute],
        "status": {"code": 2, "message": text} if at % 8 == 6 else {},
        "events": [{"name": text, "timeUnixNano": "1", "attributes": [attribute]}] if at % 8 == 7 else [],
    }


def foreign_lines():
    resource = {"attributes": [{"key": "process.command", "value": {"stringValue": SECRETS[0][0]}}]}
    for start in range(0, COUNT, 50):
        spans = [foreign(at, SECRETS[at][0]) for at in range(start, start + 50)]
        request = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": spans}]}]}
        yield json.dumps(request).encode()


def record(way, home, places):
    """Let the secrets come in, and keep what is on disk before they are taken in."""
    if way == "agent":
        run = inspector(home, "run", "--logs", PROGRAM, str(COUNT))
        assert run.returncode == 0, run.stderr
        places["output of inspector run"] = run.stdout + run.stderr
        places["spool of the agent"] = everything(home / "spool")
        inspector(home, "run", PROGRAM, "24", "--killed")
        places["spool of a killed agent"] = everything(home / "spool")
        refused = {"INSPECTOR_ENDPOINT": "http://127.0.0.1:9", "INSPECTOR_CAPTURE_CONTENT": "true"}
        sent = inspector(home, "run", "--logs", PROGRAM, str(COUNT), **refused)
        assert sent.returncode == 0, sent.stderr
        places["outbox"] = everything(home / "outbox")
        places["temporary files"] = everything(home.parent / "tmp")
    elif way == "spool":
        (home / "spool").mkdir(mode=0o700, parents=True)
        (home / "spool" / "collector.jsonl").write_bytes(b"\n".join(foreign_lines()) + b"\n")
    elif way == "import":
        source = home.parent / "sent.jsonl"
        source.write_bytes(b"\n".join(foreign_lines()) + b"\n")
        assert import_files(Settings(home=home, retention_days=36_500), [str(source)]).new == COUNT
        source.unlink()


def look(owner, home, places):
    """Keep what is on disk while the database is open."""
    places["database while it is written"] = (home / "inspector.db").read_bytes()
    for name, suffix in (("write-ahead log", "-wal"), ("shared memory", "-shm")):
        path = home / f"inspector.db{suffix}"
        places[name] = path.read_bytes() if path.exists() else b""
    with contextlib.closing(sqlite3.connect(f"file:{home}/inspector.db?mode=ro", uri=True)) as connection:
        # What a virtual table has is in tables of its own; that of full text cannot be read from end to end.
        kept = "type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %'"
        tables = [name for (name,) in connection.execute(f"SELECT name FROM sqlite_master WHERE {kept}")]
        columns = {table: connection.execute(f'SELECT * FROM "{table}"').fetchall() for table in tables}
    places["search index"] = repr({name: rows for name, rows in columns.items() if "search" in name}).encode()
    places["every column, unpacked"] = b"\n".join(
        unpacked(value) for rows in columns.values() for row in rows for value in row
    )


def unpacked(value):
    from inspector.store.values.codec import unpack

    if isinstance(value, bytes):
        with contextlib.suppress(Exception):
            return unpack(value)
        return value
    return str(value).encode()


@pytest.fixture(scope="module", params=WAYS)
def found(request, tmp_path_factory):
    """What is on disk, by place."""
    directory = tmp_path_factory.mktemp(request.param)
    home, other = directory / "home", directory / "other"
    places = {}
    log = directory / "log.txt"
    handler = logging.FileHandler(log)
    logging.getLogger().addHandler(handler)
    try:
        record(request.param, home, places)
        settings = Settings(home=home, retention_days=36_500)
        with Owner(settings) as owner:
            if request.param == "otlp":
                lines = list(foreign_lines())
                received = [owner.intake.deliver(partial(decode, line), len(line)) for line in lines]
                assert sum(each.result(60).spans for each in received) == COUNT
            owner.ingest_spools()
            while owner.store.index():
                pass
            look(owner, home, places)
        if request.param == "spool":
            # It belongs to the other program, which may go on writing it; it is read and never changed.
            (home / "spool" / "collector.jsonl").unlink()
        places["database at rest"] = everything(home, "inspector.db*")
        for name, file in (("export", "all.jsonl"), ("packed export", "all.jsonl.gz")):
            assert write_export(settings, ExportSelection(everything=True), directory / file).spans >= COUNT
            data = (directory / file).read_bytes()
            places[name] = gzip.decompress(data) if file.endswith("gz") else data
        assert import_files(Settings(home=other, retention_days=36_500), [str(directory / "all.jsonl")]).new >= COUNT
        places["home of an import of the export"] = everything(other)
        if request.param == "agent":
            shown = inspector(home, "events", "--full", "--limit", "1000")
            places["output of inspector events"] = shown.stdout + shown.stderr
        places["all files"] = everything(directory)
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
    places["log"] = log.read_bytes()
    return places


@pytest.mark.sweep(1)
def test_no_planted_secret_is_on_disk(found):
    assert {place: found_here for place, data in found.items() if (found_here := leaks(data))} == {}


def test_every_place_was_looked_at(found):
    missing = set(PLACES) - set(found)
    assert missing <= set(OF_THE_AGENT)
    assert not missing or "spool of the agent" in missing
    assert all(len(found[place]) > 100 for place in ("database at rest", "export", "search index", "all files"))


def test_what_is_no_secret_is_on_disk_and_placeholders_stand_for_the_others(found):
    exported = found["export"]
    assert exported.count(b"[redacted:") >= COUNT
    assert found["search index"] and found["every column, unpacked"]
