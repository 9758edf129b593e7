"""``inspector run opencode``: opencode is recorded by what a plugin notes in it.

``opencode`` is a script that notes what the plugin noted in a real one (``tests/coding_agents/opencode``), as if it
happened now.
"""

import json
import sys
import time
from pathlib import Path

import pytest

CAPTURED = Path(__file__).parents[1] / "coding_agents" / "opencode" / "captured"

OPENCODE = f"""#!{sys.executable}
import json, os, pathlib, signal, sys, time
configured = json.loads(os.environ["OPENCODE_CONFIG_CONTENT"])
assert configured["plugin"][-1].startswith("file:///") and configured["plugin"][-1].endswith("/mcp-agent-inspector.mjs")
assert configured["plugin"][:-1] == json.loads(os.environ.get("PLUGINS", "[]"))
lines = [json.loads(line) for line in (pathlib.Path({str(CAPTURED)!r}) / "notes.jsonl").read_text().splitlines()]
later = int(time.time() * 1000) - lines[0]["at"]

def shifted(value):
    if isinstance(value, list):
        return [shifted(each) for each in value]
    if isinstance(value, dict):
        times = "at", "created", "completed", "start", "end"
        return {{key: each + later if key in times and isinstance(each, int) else shifted(each)
                 for key, each in value.items()}}
    return value

with open(os.environ["INSPECTOR_OPENCODE"], "a") as notes:
    for line in lines[:int(os.environ.get("LAST", 1000))]:
        notes.write(json.dumps(shifted(line)) + "\\n")
while os.environ.get("WAITS") and not pathlib.Path(os.environ["WAITS"]).exists():
    time.sleep(0.05)
if os.environ.get("KILLED"):
    os.kill(os.getpid(), signal.SIGKILL)
print("All done.", *sys.argv[1:])
sys.exit(int(os.environ.get("CODE", 0)))
"""
NOTES = [json.loads(line) for line in (CAPTURED / "notes.jsonl").read_text().splitlines()]
FIRST_TOOL = next(at for at, note in enumerate(NOTES) if note.get("part", {}).get("type") == "tool") + 1


@pytest.fixture
def opencode(tmp_path) -> Path:
    path = tmp_path / "bin" / "opencode"
    path.parent.mkdir()
    path.write_text(OPENCODE)
    path.chmod(0o755)
    return path


def test_what_opencode_did_is_recorded_with_its_contents(run, opencode, recorded, inspector):
    done = run(str(opencode), "run", "Plan a trip", CODE="3")
    assert (done.returncode, done.stdout) == (3, b"All done. run Plan a trip\n")
    assert b"recorded 19 calls (5 failed) in 3 traces; to see them: inspector show " in done.stderr
    events = recorded()
    assert {(event.name, event.status) for event in events if event.kind != "llm"} == {
        ("invoke_agent build", "ok"),
        ("invoke_agent build", "error"),
        ("invoke_agent general", "ok"),
        ("execute_tool bash", "ok"),
        ("execute_tool bash", "error"),
        ("execute_tool bash", "denied"),
        ("execute_tool missing", "error"),
        ("execute_tool read", "error"),
        ("execute_tool task", "ok"),
    }
    (shown,) = json.loads(inspector("runs", "--json").stdout)["items"]
    assert (shown["question"], shown["service"], shown["traces"]) == ('"Plan a trip"', "opencode", 3)
    assert shown["cost_usd"] > 0
    assert b"broken request" in inspector("runs").stdout


def test_plugins_that_it_is_configured_with_stay(run, opencode):
    plugins = ["file:///home/ann/mine.mjs"]
    configured = json.dumps({"plugin": plugins, "autoupdate": False})
    done = run(str(opencode), PLUGINS=json.dumps(plugins), OPENCODE_CONFIG_CONTENT=configured)
    assert (done.returncode, b"recorded" in done.stderr) == (0, True)


@pytest.mark.parametrize("words", [("opencode-ai",), ("-y", "opencode-ai@1.18.33"), ("opencode",)])
def test_an_opencode_that_npx_runs_is_recorded_too(run, opencode, tmp_path, words):
    npx = tmp_path / "bin" / "npx"
    npx.write_text(f'#!/bin/sh\nexec "{opencode}"\n')
    npx.chmod(0o755)
    assert b"recorded 19 calls" in run(str(npx), *words, "run", "Plan a trip").stderr


def test_a_configuration_that_cannot_be_extended_is_left_alone_and_named(run, tmp_path):
    path = tmp_path / "opencode"
    path.write_text('#!/bin/sh\necho "$OPENCODE_CONFIG_CONTENT"\n')
    path.chmod(0o755)
    done = run(str(path), OPENCODE_CONFIG_CONTENT="{ // mine\n}")
    assert (done.returncode, done.stdout) == (0, b"{ // mine\n}\n")
    assert b"OPENCODE_CONFIG_CONTENT, which is not JSON" in done.stderr


def test_an_opencode_that_noted_nothing_says_why(run, opencode):
    done = run(str(opencode), LAST="0")
    assert b"without plugins (--pure)" in done.stderr


def test_without_content_nothing_of_what_was_said_is_stored(run, opencode, tmp_path, inspector):
    run("--no-content", str(opencode))
    stored = inspector("export", "last", "-o", "-").stdout
    assert b"invoke_agent build" in stored
    assert not [text for text in (b"Plan a trip", b"echo hi", b"in-sub", b"All done.") if text in stored]


def test_a_tool_is_seen_while_it_runs(start_inspector, inspector, opencode, tmp_path):
    go_on = tmp_path / "go on"
    running = start_inspector("run", str(opencode), LAST=str(FIRST_TOOL), WAITS=str(go_on))
    awaited = {("agent", "running"), ("llm", "running"), ("tool", "running")}
    deadline, seen = time.monotonic() + 60, set()
    while seen != awaited and time.monotonic() < deadline:
        shown = json.loads(inspector("events", "--json").stdout or b'{"items": []}')
        seen = {(event["kind"], event["status"]) for event in shown["items"]}
    go_on.touch()
    assert (seen, running.wait(60)) == (awaited, 0)


@pytest.mark.parametrize("end", [{"KILLED": "yes"}, {"CODE": "130"}, {}])
def test_what_an_opencode_left_open_that_was_killed_or_interrupted_is_lost(run, opencode, recorded, end):
    run(str(opencode), LAST=str(FIRST_TOOL), **end)
    assert {(event.kind, event.status) for event in recorded() if event.kind in ("agent", "llm", "tool")} == {
        ("agent", "lost"),
        ("llm", "lost"),
        ("tool", "lost"),
    }
