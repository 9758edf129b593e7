"""``inspector run codex``: Codex is recorded by the files of its sessions.

``codex`` is a script that writes what a real one wrote (``tests/coding_agents/codex``), as if it happened now.
"""

import json
import os
import sys
import time
from pathlib import Path

import pytest

CAPTURED = Path(__file__).parents[1] / "coding_agents" / "codex" / "captured"

CODEX = f"""#!{sys.executable}
import datetime, json, os, pathlib, signal, sys, time
traces = pathlib.Path(os.environ["CODEX_ROLLOUT_TRACE_ROOT"]) / "trace-of-the-test"
sessions = pathlib.Path(os.environ["CODEX_HOME"]) / "sessions" / "2026" / "11" / "28"
first, last = int(os.environ.get("FIRST", 0)), int(os.environ.get("LAST", 1000))
long_ago = datetime.timedelta(hours=1)
began = None

def shifted(line, number):
    global began
    at = datetime.datetime.fromisoformat(line["timestamp"])
    began = began or (at, datetime.datetime.now(datetime.timezone.utc))
    return (began[1] + (at - began[0]) - (long_ago if number < first else 0 * long_ago)).isoformat()

traces.mkdir(parents=True)
sessions.mkdir(parents=True)
for name in ("session", "subagent"):
    text = (pathlib.Path({str(CAPTURED)!r}) / (name + ".jsonl")).read_text()
    for captured, variable in (("in-sub", "PRINTED"), ("no such sum", "WHY")):
        text = text.replace(captured, os.environ.get(variable, captured))
    lines = [json.loads(line) for line in text.splitlines()]
    thread = lines[0]["payload"]["id"]
    with (traces / "trace.jsonl").open("a") as trace:
        for payload in ({{"type": "rollout_started"}}, {{"type": "thread_started", "thread_id": thread}}):
            trace.write(json.dumps({{"schema_version": 3, "payload": payload}}) + "\\n")
    with (sessions / f"rollout-2026-11-28T08-00-00-{{thread}}.jsonl").open("w") as rollout:
        for number, line in enumerate(lines[:last]):
            rollout.write(json.dumps({{**line, "timestamp": shifted(line, number)}}) + "\\n")
    if last < len(lines):
        break
while os.environ.get("WAITS") and not pathlib.Path(os.environ["WAITS"]).exists():
    time.sleep(0.05)
if os.environ.get("KILLED"):
    os.kill(os.getpid(), signal.SIGKILL)
print("All done.", *sys.argv[1:])
sys.exit(3)
"""
LINES = [json.loads(line) for line in (CAPTURED / "session.jsonl").read_text().splitlines()]
AT_THE_FIRST_TOOL = next(at for at, line in enumerate(LINES) if line["type"] == "token_usage_record") + 1
AT_THE_SECOND_PROMPT = next(
    at for at, line in reversed([*enumerate(LINES)]) if line["payload"].get("type") == "task_started"
)


@pytest.fixture
def codex(tmp_path, environment) -> Path:
    environment["CODEX_HOME"] = str(tmp_path / "codex")
    path = tmp_path / "bin" / "codex"
    path.parent.mkdir()
    path.write_text(CODEX)
    path.chmod(0o755)
    return path


def test_what_codex_did_is_recorded_with_its_contents(run, codex, recorded, inspector):
    done = run(str(codex), "exec", "Plan a trip")
    assert (done.returncode, done.stdout) == (3, b"All done. exec Plan a trip\n")
    assert done.stderr.startswith(b"inspector: recorded 24 calls (3 failed) in 2 traces; to see them: inspector show ")
    events = recorded()
    assert len(events) == 25
    assert {(event.name, event.status) for event in events if event.kind != "llm"} == {
        ("invoke_agent codex", "ok"),
        ("invoke_agent codex", "cancelled"),
        ("invoke_agent subagent", "ok"),
        ("execute_tool exec_command", "ok"),
        ("execute_tool exec_command", "error"),
        ("execute_tool exec_command", "denied"),
        ("execute_tool exec_command", "cancelled"),
        ("execute_tool mcp__calc__add", "ok"),
        ("execute_tool mcp__calc__fails", "error"),
        ("execute_tool missing", "error"),
        ("execute_tool spawn_agent", "ok"),
        ("execute_tool wait_agent", "ok"),
        ("exit code 3", "error"),
    }
    assert {event.agent for event in events if event.kind == "llm"} == {"codex", "subagent"}
    (shown,) = json.loads(inspector("runs", "--json").stdout)["items"]
    assert (shown["question"], shown["service"], shown["traces"]) == ("Plan a trip", "codex", 2)
    assert round(shown["cost_usd"], 6) == 0.002531


def test_a_session_that_is_imported_after_it_was_recorded_counts_once(run, codex, inspector, tmp_path):
    run(str(codex))
    before = json.loads(inspector("runs", "--json").stdout)["items"]
    files = [str(path) for path in (tmp_path / "codex").rglob("*.jsonl")]
    assert b"24 spans of 2 traces: already stored" in inspector("import", *files).stderr
    after = json.loads(inspector("runs", "--json").stdout)["items"]
    figures = "run_id", "calls", "errors", "input_tokens", "output_tokens", "cost_usd"
    assert [[run[key] for key in figures] for run in after] == [[run[key] for key in figures] for run in before]


def test_prompts_from_before_a_session_was_resumed_are_not_recorded_but_told_to_the_model(run, codex, recorded):
    assert b"recorded 3 calls in 1 trace" in run(str(codex), "resume", FIRST=str(AT_THE_SECOND_PROMPT)).stderr
    call = next(event for event in recorded() if event.kind == "llm")
    messages = json.loads(bytes(call.input))
    asked = [message["content"][0].get("text") for message in messages if message.get("role") == "user"]
    assert (asked[-3], asked[-1]) == ("Plan a trip", "Wait for me")


def test_a_prompt_and_its_tool_are_seen_while_codex_works_on_them(start_inspector, inspector, codex, tmp_path):
    go_on = tmp_path / "go on"
    running = start_inspector("run", str(codex), LAST=str(AT_THE_FIRST_TOOL), WAITS=str(go_on))
    deadline = time.monotonic() + 60
    seen = set()
    while ("tool", "running") not in seen and time.monotonic() < deadline:
        shown = json.loads(inspector("events", "--json").stdout or b'{"items": []}')
        seen = {(event["kind"], event["status"]) for event in shown["items"]}
    assert seen == {("agent", "running"), ("llm", "ok"), ("tool", "running")}
    go_on.touch()
    assert running.wait(60) == 3


def test_what_a_killed_codex_left_open_is_lost(run, codex, recorded):
    done = run(str(codex), LAST=str(AT_THE_FIRST_TOOL), KILLED="1")
    assert done.returncode == -9
    assert {(event.kind, event.status) for event in recorded()} == {("agent", "lost"), ("llm", "ok"), ("tool", "lost")}


def test_secrets_in_commands_and_results_are_redacted_before_they_are_written(run, codex, inspector, home):
    secret = "sk-ant-api03-" + "Ab3" * 31
    assert b"recorded 24 calls" in run(str(codex), PRINTED=secret).stderr
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"sub is done" in written
    assert secret.encode() not in written
    assert b"[redacted:" in inspector("events", "--json", "--full", "--kind", "tool").stdout


def test_without_content_there_are_names_and_figures_alone(run, codex, inspector, home):
    assert b"recorded 24 calls" in run("--no-content", str(codex)).stderr
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    written += inspector("events", "--json", "--full").stdout
    assert b"gpt-5.1-codex" in written
    assert b"exit code 3" in written
    for content in (b"Plan a trip", b"in-sub", b"/etc/x", b"no such sum", b"reject command", b"unsupported call"):
        assert content not in written


def test_without_content_an_error_that_begins_like_an_exit_code_is_left_out(run, codex, home):
    assert b"recorded 24 calls (3 failed)" in run("--no-content", str(codex), WHY="exit code 1 of ls /etc/x").stderr
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"exit code 3" in written
    assert b"of ls" not in written


def test_a_directory_for_traces_that_somebody_chose_is_kept_with_one_for_each_run(run, codex, tmp_path):
    chosen = tmp_path / "chosen"
    for _ in range(2):
        assert b"recorded 24 calls" in run(str(codex), CODEX_ROLLOUT_TRACE_ROOT=str(chosen)).stderr
        (tmp_path / "codex").rename(tmp_path / f"codex-{len(list(tmp_path.iterdir()))}")
    assert len(list(chosen.glob("inspector-*/trace-of-the-test/trace.jsonl"))) == 2


@pytest.mark.sweep(1)
@pytest.mark.parametrize("command", ["replay", "test"])
def test_a_run_of_codex_says_why_it_cannot_be_replayed(run, codex, inspector, command):
    run(str(codex))
    done = inspector(command, "last")
    assert done.returncode != 0
    assert b"its model calls are made by Codex, another program, which a replay cannot answer" in done.stderr


def test_one_that_keeps_no_session_is_said_to_have_kept_none(run, tmp_path):
    path = tmp_path / "codex"
    path.write_text("#!/bin/sh\necho codex-cli 0.171.0\n")
    path.chmod(0o755)
    done = run(str(path), "--version", PATH=os.environ["PATH"])
    assert done.stdout == b"codex-cli 0.171.0\n"
    assert b"nothing was recorded: Codex kept no session" in done.stderr
