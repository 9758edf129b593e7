import gzip
import json
import os
import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from inspector.model import SpanError
from inspector.settings import Settings
from inspector.store import open_store

SENT = Path(__file__).parents[1] / "ingest" / "exports" / "pydantic_ai_earlier.jsonl"
ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+")


@pytest.fixture
def recorded(inspector, write_spans, span):
    """Two traces: one as another program sent it, and one of a single failed call."""
    assert inspector("import", str(SENT)).returncode == 0
    write_spans(span(trace_id="b" * 32, status="error", error=SpanError("ValueError", "it failed"), kind="llm"))
    sent = json.loads(SENT.read_bytes().splitlines()[0])
    return sent["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"]


def shown(inspector, home, trace):
    document = json.loads(inspector("show", trace, "--json", "--full", INSPECTOR_HOME=str(home)).stdout)

    def without_seq(found):
        if isinstance(found, dict):
            return {key: without_seq(value) for key, value in found.items() if key != "seq"}
        return [without_seq(each) for each in found] if isinstance(found, list) else found

    return without_seq(document)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
def test_a_run_that_was_sent_to_a_colleague_is_the_same_there(inspector, home, recorded, tmp_path, name):
    file, other = tmp_path / name, tmp_path / "other"
    done = inspector("export", recorded, "-o", str(file))
    assert re.fullmatch(r"exported \d+ spans of 1 trace to .*\n", done.stderr.decode())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    done = inspector("import", str(file), INSPECTOR_HOME=str(other))
    assert re.fullmatch(
        rf"imported \d+ spans of 1 trace; look at them with: inspector show {recorded}\n", done.stderr.decode()
    )
    assert shown(inspector, other, recorded) == shown(inspector, home, recorded)


def test_what_a_replay_gives_back_is_in_an_export(inspector, write_spans, span, tmp_path):
    file, other = tmp_path / "run.jsonl", tmp_path / "other"
    raw = {"inspector.raw.exchanges": '[{"status":200,"text":["{}"]}]'}
    trace, span_id = "c" * 32, "d" * 16
    write_spans(span(trace_id=trace, span_id=span_id, kind="llm", attributes={"n": 1, **raw}))
    assert inspector("export", trace, "-o", str(file)).returncode == 0
    assert inspector("import", str(file), INSPECTOR_HOME=str(other)).returncode == 0
    with closing(open_store(Settings(home=other), read_only=True)) as store:
        read = store.event(span_id, raw=True)
    assert json.loads(bytes(read.attributes)).items() >= raw.items()


@pytest.mark.slow
def test_what_an_earlier_version_decided_is_decided_anew_when_a_run_is_exported_deleted_and_imported(
    inspector, home, write_spans, span, tmp_path
):
    outer = span(tool="add", session_id="s1", attributes={"session.id": "s1"})
    write_spans(
        outer,
        span(tool="add", parent_id=outer.span_id),
        span(tool="pay", session_id="s2", attributes={"session.id": "s2"}),
    )
    with closing(sqlite3.connect(home / "inspector.db", isolation_level=None)) as database:
        # As 0.1.0 had it: a recursive tool was one call, and a trace had one session.
        database.execute("UPDATE spans SET identity = NULL, session_id = 's1', session_inherited = NULL")
        database.execute("UPDATE spans SET folded_into = ? WHERE parent_id IS NOT NULL", (outer.span_id,))
        database.execute("UPDATE traces SET mixed = 0, session_id = 's1', calls = 2, tool_calls = 2")
        database.execute("DELETE FROM shares")
        database.execute("DELETE FROM sessions WHERE session_id = 's2'")
    file = str(tmp_path / "all.jsonl")
    for words in (("export", "--all", "-o", file), ("prune", "--older-than", "1s", "--yes"), ("import", file)):
        assert inspector(*words).returncode == 0
    sessions = json.loads(inspector("sessions", "--json").stdout)["items"]
    assert {each["session_id"]: each["calls"] for each in sessions} == {"s1": 2, "s2": 1}
    assert json.loads(inspector("show", "last", "--json").stdout)["trace"]["calls"] == 3


def test_a_pipe_takes_an_export_and_gives_an_import(inspector, recorded, tmp_path):
    exported = inspector("export", "b" * 8)
    assert len(exported.stdout.splitlines()) == 1
    imported = inspector("import", "-", stdin=exported.stdout, INSPECTOR_HOME=str(tmp_path / "other"))
    assert imported.returncode == 0
    assert f"inspector show {'b' * 32}".encode() in imported.stderr


def test_one_session_can_be_exported(inspector, recorded, write_spans, span):
    write_spans(span(trace_id="c" * 32, session_id="trip-1"))
    done = inspector("export", "--session", "trip-1")
    assert done.stderr == b"exported 1 span of 1 trace\n"
    assert b"c" * 32 in done.stdout


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "say what to export"),
        (("--session", "nobody"), "nothing recorded matches"),
        (("ffff",), "no run or trace ffff is recorded"),
        (
            ("last", "-o", "/nowhere/run.jsonl"),
            "cannot write /nowhere/run.jsonl: No such file or directory; make the directory first: mkdir -p /nowhere",
        ),
        (("last", "-o", "/etc/passwd/run.jsonl"), "cannot write /etc/passwd/run.jsonl: Not a directory\n"),
    ],
)
def test_what_cannot_be_exported_is_said_in_a_line_or_two(inspector, recorded, arguments, complaint):
    done = inspector("export", *arguments)
    assert done.returncode in (1, 2)
    assert complaint in done.stderr.decode()
    assert len(done.stderr.splitlines()) <= 2
    assert done.stdout == b""


def test_an_export_that_fails_leaves_the_older_file(inspector, recorded, tmp_path):
    file = tmp_path / "run.jsonl"
    file.write_text("older")
    assert inspector("export", "ffff", "-o", str(file)).returncode == 1
    assert file.read_text() == "older"
    assert list(tmp_path.glob(".run*")) == []


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "contains no spans"),
        (b"{}", "contains no spans; 'inspector export' and collectors write OTLP JSON lines"),
        (b'{"resourceSpans":[{"sco', "contains no spans: line 1 is cut off or not OTLP JSON"),
        (b'{"resourceMetrics":[]}', "contains no spans: only metrics, which are not accepted"),
        (
            b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}',
            "contains no spans: only logs that belong to no span",
        ),
        (b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}]}]}]}', "contains no spans: those on line 1 have "),
        (b"SQLite format 3\x00rest", "is an SQLite database"),
        (b"\xff\xfe{\x00", "is UTF-16"),
        (gzip.compress(b"{}" * 1000, mtime=0)[:-12], "is cut after "),
    ],
)
def test_what_is_no_export_is_refused_with_the_reason(inspector, tmp_path, content, complaint):
    file = tmp_path / "odd.jsonl"
    file.write_bytes(content)
    done = inspector("import", str(file))
    assert done.returncode == 1
    assert complaint in done.stderr.decode()
    assert len(done.stderr.splitlines()) <= 2


def test_a_pipe_that_holds_no_export_is_refused_by_its_name(inspector):
    done = inspector("import", "-", stdin=b"{}")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"standard input contains no spans" in done.stderr


def test_lines_that_are_cut_are_left_out_and_counted(inspector, recorded, tmp_path):
    file = tmp_path / "run.jsonl"
    inspector("export", "--all", "-o", str(file))
    file.write_bytes(file.read_bytes() + b'{"resourceSpans":[{"sco')
    done = inspector("import", str(file), INSPECTOR_HOME=str(tmp_path / "other"))
    assert done.returncode == 0
    assert done.stderr.splitlines()[0].startswith(b"left out 1: lines that are not OTLP JSON, the first is line ")


@pytest.mark.slow
def test_lines_of_something_else_are_counted_together(inspector, recorded, tmp_path):
    file = tmp_path / "run.jsonl"
    inspector("export", "--all", "-o", str(file))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0] + b"log: started\nlog: ended\n" + b"".join(lines[1:]) + b'{"part":7,"json":"cut')
    done = inspector("import", str(file), INSPECTOR_HOME=str(tmp_path / "other"))
    assert done.stderr.splitlines()[0] == b"left out 3: lines that are not OTLP JSON, the first is line 2"
    shown = inspector("show", str(file))
    assert shown.returncode == 0
    assert f"inspector: {file}: left out 3: lines that are not OTLP JSON, the first is line 2" in shown.stderr.decode()


def test_what_is_recorded_already_is_not_told_as_new(inspector, recorded, tmp_path):
    one, every, other = tmp_path / "one.jsonl", tmp_path / "all.jsonl", str(tmp_path / "other")
    inspector("export", "b" * 8, "-o", str(one))
    inspector("export", "--all", "-o", str(every))
    first = inspector("import", str(one), INSPECTOR_HOME=other)
    assert first.stderr.startswith(b"imported 1 span of 1 trace; ")
    again = inspector("import", str(one), INSPECTOR_HOME=other)
    assert again.returncode == 0
    assert again.stderr.startswith(b"1 span of 1 trace: already stored, nothing new; look at them with: ")
    both = inspector("import", str(every), str(one), INSPECTOR_HOME=other).stderr.decode()
    assert re.match(r"imported \d+ spans of 2 traces, 2 more were already stored; look", both)


@pytest.mark.slow
def test_what_is_recorded_stays_as_it_is_when_it_is_imported_where_it_came_from(inspector, home, tmp_path):
    code = """
import instrument, inspector
inspector.attach()
for at in range(2):
    with instrument.around("llm_generate", llm="house", prompt=[{"role": "user", "content": "hi"}]) as call:
        call.set(response="ho", usage={"input_tokens": 1, "output_tokens": 2})
instrument._emit_sync("after_tool_call", tool_name="never begun", args={}, result=1, context=None)
"""
    program = tmp_path / "program.py"
    program.write_text(code)
    assert inspector("run", str(program)).returncode == 0
    file = tmp_path / "run.jsonl"
    before = inspector("show", "last", "--json", "--full").stdout
    assert json.loads(before)["losses"]["unmatched"] == 1
    assert inspector("export", "last", "-o", str(file)).returncode == 0
    assert b": already stored, nothing new; " in inspector("import", str(file)).stderr
    assert inspector("show", "last", "--json", "--full").stdout == before


@pytest.mark.slow
def test_an_event_that_ended_since_it_was_taken_in_is_news(inspector, write_spans, span, tmp_path):
    running, ended, other = tmp_path / "running.jsonl", tmp_path / "ended.jsonl", str(tmp_path / "other")
    write_spans(span(span_id="a" * 16, status="running", end_ns=None))
    inspector("export", "last", "-o", str(running))
    write_spans(span(span_id="a" * 16))
    inspector("export", "last", "-o", str(ended))
    inspector("import", str(running), INSPECTOR_HOME=other)
    later = inspector("import", str(ended), INSPECTOR_HOME=other).stderr
    assert later.startswith(b"1 span of 1 trace: already stored, and now updated; look at")
    assert b"nothing new" in inspector("import", str(running), str(ended), INSPECTOR_HOME=other).stderr


def test_of_several_files_a_bad_one_is_named_and_the_others_are_taken_in(inspector, recorded, tmp_path):
    good, cut, other = tmp_path / "good.jsonl", tmp_path / "cut.jsonl", str(tmp_path / "other")
    inspector("export", "b" * 8, "-o", str(good))
    cut.write_bytes(good.read_bytes()[:100])
    done = inspector("import", "missing.jsonl", str(cut), str(good), INSPECTOR_HOME=other)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == [
        "inspector: missing.jsonl cannot be read: No such file or directory",
        f"inspector: {cut} contains no spans: line 1 is cut off or not OTLP JSON",
        "left out 1: lines that are not OTLP JSON, the first is line 1",
        f"imported 1 span of 1 trace; look at them with: inspector show {'b' * 32}",
    ]


@pytest.mark.slow
def test_what_stands_before_the_cut_of_a_packed_file_is_taken_in(inspector, write_spans, span, tmp_path):
    # Text that does not pack: the first part of the file is whole without the last.
    write_spans(*(span(trace_id=f"{n:032x}", attributes={"text": os.urandom(40_000).hex()}) for n in range(1, 20)))
    whole, cut, other = tmp_path / "all.jsonl.gz", tmp_path / "cut.jsonl.gz", str(tmp_path / "other")
    inspector("export", "--all", "-o", str(whole))
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    done = inspector("import", str(cut), INSPECTOR_HOME=other)
    assert done.returncode == 1
    bad, taken = done.stderr.decode().splitlines()
    assert re.fullmatch(rf"inspector: {cut} is cut after line \d+: .*; what comes before is imported", bad)
    assert re.match(r"imported \d+ spans of \d+ traces; ", taken)


def test_a_running_server_takes_an_import_in(inspector, start_inspector, recorded, tmp_path):
    file, other = tmp_path / "run.jsonl", str(tmp_path / "other")
    inspector("export", "--all", "-o", str(file))
    server = start_inspector("serve", "--port", "0", "--no-open", INSPECTOR_HOME=other)
    found = None
    while found is None:
        line = server.stdout.readline() or server.stderr.readline()
        assert line
        found = ADDRESS.search(line)
    done = inspector("import", str(file), INSPECTOR_HOME=other)
    assert done.stderr.decode().endswith(" of 2 traces; look at them with: inspector events\n")
    again = inspector("import", str(file), INSPECTOR_HOME=other)
    assert b" of 2 traces: already stored, nothing new; " in again.stderr
    listed = json.loads(inspector("events", "--json", INSPECTOR_HOME=other).stdout)
    assert {item["trace_id"] for item in listed["items"]} == {recorded, "b" * 32}


def test_what_waits_for_an_endpoint_needs_one_to_be_named(inspector):
    done = inspector("forward")
    assert done.returncode == 2
    assert b"INSPECTOR_ENDPOINT" in done.stderr
    done = inspector("forward", "--endpoint", "http://127.0.0.1:9")
    assert (done.returncode, done.stderr) == (0, b"nothing waits for http://127.0.0.1:9/v1/traces\n")
