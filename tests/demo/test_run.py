import re
import sys

import pytest

import instrument
from inspector.demo import DemoError, run_demo
from inspector.settings import Settings


@pytest.mark.slow
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


CLOSED = """
import os, sys
if "inspector.demo.program.desk" in sys.orig_argv:
    os.write(2, b"No desk today\\n")
    os._exit(1)
"""


@pytest.mark.slow
def test_a_demo_whose_server_cannot_start_says_so_and_how_it_ended(tmp_path, monkeypatch, capfd):
    (tmp_path / "sitecustomize.py").write_text(CLOSED)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(DemoError, match=r"did not come to its end \(exit code 1\)"):
        run_demo(Settings(home=tmp_path / "home"))
    said = capfd.readouterr().err
    assert "No desk today\n" in said
    assert "demo: cannot start MCP server 'travel_desk'" in said and "Traceback" not in said


def test_a_demo_that_is_killed_is_said_to_have_been(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(DemoError, match=r"exit code -9"):
        run_demo(Settings(home=tmp_path / "home"))


def test_a_demo_without_the_mcp_sdk_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(DemoError, match=r"mcp is not installed; run: pip install .*\[inspector,mcp\]"):
        run_demo(Settings(home=tmp_path / "home"))


def test_a_demo_beside_an_earlier_mcp_sdk_says_which_it_needs(tmp_path, monkeypatch):
    (tmp_path / "mcp-1.30.0.dist-info").mkdir()
    (tmp_path / "mcp-1.30.0.dist-info" / "METADATA").write_text("Name: mcp\nVersion: 1.30.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(DemoError, match=r"needs mcp 2\.3 or newer, and 1\.30\.0 is installed"):
        run_demo(Settings(home=tmp_path / "home"))
