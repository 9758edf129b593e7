import re

import pytest

import instrument
from inspector.demo import DeskClosedError, run_demo
from inspector.settings import Settings


def test_a_run_inside_another_program_ends_its_recorder_and_respects_that_content_is_not_wanted(
    tmp_path, monkeypatch, read_spool
):
    monkeypatch.chdir(tmp_path)
    trace_id = run_demo(Settings(home="here", capture_content=False))
    spans = read_spool(tmp_path / "here")
    assert re.fullmatch("[0-9a-f]{32}", trace_id)
    assert {span.trace_id for span in spans} == {trace_id}
    assert {span.service for span in spans} == {"trip-planner", "travel-desk"}
    written = "".join(file.read_text() for file in (tmp_path / "here" / "spool").iterdir())
    # From a prompt, an answer, arguments, a result and a resource.
    for content in ("weekend trips", "Your weekend in Lisbon", "guests", "grilled sardines", "tile museum"):
        assert content not in written
    assert not instrument.enabled("before_tool_call")


def test_a_server_that_cannot_start_is_named_with_what_it_said(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import os\nos.write(2, b'No desk today')\nos._exit(1)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(DeskClosedError, match="MCP server did not start: No desk today;"):
        run_demo(Settings(home=tmp_path / "home"))
    assert not instrument.enabled("before_tool_call")
