"""The files of Codex are followed as they grow."""

import json
from pathlib import Path

import pytest
from spooled import records

from inspector.coding_agents import Growing
from inspector.coding_agents.codex.collector import Collector
from inspector.coding_agents.codex.threads import Threads
from inspector.transcripts.codex import Codex

CAPTURED = Path(__file__).parent / "captured"
THREAD = "01a221e2-ddb5-7443-9f58-58744a75020f"


def started(thread):
    return json.dumps({"payload": {"type": "thread_started", "thread_id": thread}}) + "\n"


def test_lines_are_read_once_they_are_complete_and_once(tmp_path):
    path = tmp_path / "growing"
    path.write_bytes(b"a\nb")
    growing = Growing(path)
    assert list(growing.lines()) == [b"a"]
    with path.open("ab") as file:
        file.write(b"b")
        file.flush()
        assert list(growing.lines()) == []
        file.write(b"\n\nc\n")
    assert list(growing.lines()) == [b"bb", b"", b"c"]
    assert list(growing.lines()) == []


def test_a_file_that_is_gone_has_no_more_lines(tmp_path):
    path = tmp_path / "growing"
    path.write_bytes(b"a\n")
    growing = Growing(path)
    assert list(growing.lines()) == [b"a"]
    path.unlink()
    assert list(growing.lines()) == []


def test_threads_are_those_of_traces_that_began_later_each_once(tmp_path):
    for name in ("before", "since"):
        (tmp_path / name).mkdir()
    (tmp_path / "before" / "trace.jsonl").write_text(started("another"))
    threads = Threads(tmp_path)
    assert list(threads.new()) == []
    (tmp_path / "since" / "trace.jsonl").write_text(started(THREAD))
    assert list(threads.new()) == [THREAD]
    (tmp_path / "resumed").mkdir()
    (tmp_path / "resumed" / "trace.jsonl").write_text(started(THREAD))
    with (tmp_path / "before" / "trace.jsonl").open("a") as trace:
        trace.write(started("a" * 36))
    assert list(threads.new()) == []


@pytest.mark.parametrize(
    "line",
    ["thread_started\n", "[]\n", started("../../*"), started(None), started("*" * 36), '{"thread_started": 1}\n'],
)
def test_what_is_no_thread_is_passed_over(tmp_path, line):
    threads = Threads(tmp_path)
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "trace.jsonl").write_text(line + started(THREAD))
    assert list(threads.new()) == [THREAD]


def test_a_directory_that_is_never_made_has_none(tmp_path):
    assert list(Threads(tmp_path / "none").new()) == []


class FailsAtTools(Codex):
    """Reads a session of a version that writes tool calls as nobody expects."""

    def spans(self, line):
        if line.get("payload", {}).get("type") == "function_call":
            raise KeyError("name")
        yield from super().spans(line)


def test_a_line_that_cannot_be_read_costs_itself_and_is_reported_once(tmp_path, caplog):
    collector = Collector(tmp_path / "home", tmp_path / "traces", tmp_path / "sessions", content=True)
    collector._since_ns = 0
    collector._record(Growing(CAPTURED / "session.jsonl"), FailsAtTools(CAPTURED / "session.jsonl", is_live=True))
    collector.close()
    # A start may have been written before the end came.
    names = {span["spanId"]: span["name"] for span in records(tmp_path / "home" / "spool")}
    assert sorted(names.values()) == [*["chat gpt-5.1-codex"] * 2, *["invoke_agent codex"] * 2]
    assert [record.getMessage() for record in caplog.records] == [
        "a line of a session of Codex could not be recorded: KeyError"
    ]
