"""The files of Gemini CLI are followed as they grow."""

import json
from pathlib import Path

from spooled import records

from inspector.coding_agents import Growing
from inspector.coding_agents.gemini_cli import Collector
from inspector.transcripts.gemini_cli import GeminiCli

CAPTURED = Path(__file__).parent / "captured"


class FailsAtTools(GeminiCli):
    """Reads a session of a version that writes tool calls as nobody expects."""

    def spans(self, line):
        if "toolCalls" in line:
            raise KeyError("name")
        yield from super().spans(line)


def test_a_line_that_cannot_be_read_costs_itself_and_is_reported_once(tmp_path, caplog):
    path = CAPTURED / "session.jsonl"
    session = json.loads(path.read_text().splitlines()[0])["sessionId"]
    collector = Collector(tmp_path / "home", tmp_path / "telemetry", tmp_path / "projects", content=True)
    collector._since_ns = 0
    collector._followed[path] = session, Growing(path), FailsAtTools(path, is_live=True)
    collector.close(0)
    # A start may have been written before the end came.
    names = {span["spanId"]: span["name"] for span in records(tmp_path / "home" / "spool")}
    assert [*names.values()].count("invoke_agent gemini") == 4
    assert [record.getMessage() for record in caplog.records] == [
        "a line of a session of Gemini CLI could not be recorded: KeyError"
    ]
