"""``inspector run gemini``: Gemini CLI is recorded by the files of its sessions.

``gemini`` is a script that writes what a real one wrote (``tests/coding_agents/gemini_cli``), as if it happened now.
"""

import json
import os
import sys
import time
from pathlib import Path

import pytest

CAPTURED = Path(__file__).parents[1] / "coding_agents" / "gemini_cli" / "captured"

GEMINI = f"""#!{sys.executable}
import datetime, json, os, pathlib, signal, sys, time
captured = pathlib.Path({str(CAPTURED)!r})
chats = pathlib.Path(os.environ["GEMINI_CLI_HOME"]) / ".gemini" / "tmp" / "trip" / "chats"
first, last = int(os.environ.get("FIRST", 0)), int(os.environ.get("LAST", 1000))
lines = [json.loads(line) for line in (captured / "session.jsonl").read_text().splitlines()]
began = datetime.datetime.fromisoformat(lines[0]["startTime"])
later = datetime.datetime.now(datetime.timezone.utc) - began
session = lines[0]["sessionId"]

def shifted(value, by=later):
    if isinstance(value, list):
        return [shifted(each, by) for each in value]
    if not isinstance(value, dict):
        return value
    return {{key: (datetime.datetime.fromisoformat(each) + by).isoformat()
             if key in ("timestamp", "startTime", "lastUpdated") and isinstance(each, str) else shifted(each, by)
             for key, each in value.items()}}

def write(path, lines):
    text = "".join(json.dumps(line) + "\\n" for line in lines)
    for old, variable in (("in-sub", "PRINTED"), ("no such sum", "WHY")):
        text = text.replace(old, os.environ.get(variable, old))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)

before = later - datetime.timedelta(hours=1)
write(chats / f"session-2026-11-28T14-58-{{session[:8]}}.jsonl",
      [shifted(line, before if at < first else later) for at, line in enumerate(lines[:last])])
if last > 20:
    subagent = [json.loads(line) for line in (captured / "subagent.jsonl").read_text().splitlines()]
    write(chats / session / (subagent[0]["sessionId"] + ".jsonl"), [shifted(line) for line in subagent])
rest = (line["timestamp"] for line in lines[last:] if "timestamp" in line)
until = datetime.datetime.fromisoformat(next(rest, "9999-01-01T00:00:00+00:00")).timestamp()
told, at, decoder = (captured / "telemetry.json").read_text(), 0, json.JSONDecoder()
with open(os.environ["GEMINI_TELEMETRY_OUTFILE"], "a") as telemetry:
    while (at := told.find("{{", at)) >= 0:
        value, at = decoder.raw_decode(told, at)
        if "endTime" in value:
            seconds, ns = value["endTime"]
            if seconds + ns / 10**9 > until:
                break
            ns += later // datetime.timedelta(microseconds=1) * 1000
            value["endTime"] = list(divmod(seconds * 10**9 + ns, 10**9))
        telemetry.write(json.dumps(value, indent=2) + "\\n")
while os.environ.get("WAITS") and not pathlib.Path(os.environ["WAITS"]).exists():
    time.sleep(0.05)
if os.environ.get("KILLED"):
    os.kill(os.getpid(), signal.SIGKILL)
print("All done.", *sys.argv[1:])
sys.exit(int(os.environ.get("CODE", 0)))
"""
LINES = [json.loads(line) for line in (CAPTURED / "session.jsonl").read_text().splitlines()]


def at_the_prompt(text):
    return next(at for at, line in enumerate(LINES) if line.get("content") == [{"text": text}])


AFTER_THE_FIRST_ANSWER = at_the_prompt("Plan a trip") + 3
AFTER_THE_FIRST_TOOLS = AFTER_THE_FIRST_ANSWER + 3


@pytest.fixture
def gemini(tmp_path, environment) -> Path:
    environment["GEMINI_CLI_HOME"] = str(tmp_path / "ann")
    path = tmp_path / "bin" / "gemini"
    path.parent.mkdir()
    path.write_text(GEMINI)
    path.chmod(0o755)
    return path


def test_what_gemini_cli_did_is_recorded_with_its_contents(run, gemini, recorded, inspector):
    done = run(str(gemini), "-p", "Plan a trip", CODE="3")
    assert (done.returncode, done.stdout) == (3, b"All done. -p Plan a trip\n")
    assert b"recorded 26 calls (5 failed) in 4 traces; to see them: inspector show " in done.stderr
    events = recorded()
    assert {(event.name, event.status) for event in events if event.kind != "llm"} == {
        ("invoke_agent gemini", "ok"),
        ("invoke_agent gemini", "cancelled"),
        ("invoke_agent subagent", "ok"),
        ("execute_tool run_shell_command", "ok"),
        ("execute_tool run_shell_command", "error"),
        ("execute_tool run_shell_command", "denied"),
        ("execute_tool run_shell_command", "cancelled"),
        ("execute_tool mcp_calc_add", "ok"),
        ("execute_tool mcp_calc_fails", "error"),
        ("execute_tool missing", "error"),
        ("execute_tool invoke_agent", "ok"),
        ("execute_tool complete_task", "ok"),
        ("invoke_agent gemini", "error"),
    }
    assert {event.agent for event in events if event.kind == "llm"} == {"gemini", "subagent"}
    (shown,) = json.loads(inspector("runs", "--json").stdout)["items"]
    assert (shown["question"], shown["service"], shown["traces"]) == ("Plan a trip", "gemini-cli", 4)
    assert round(shown["cost_usd"], 7) == 0.0024075


def test_a_session_that_is_imported_after_it_was_recorded_counts_once(run, gemini, inspector, tmp_path):
    run(str(gemini))
    before = json.loads(inspector("runs", "--json").stdout)["items"]
    files = [str(path) for path in (tmp_path / "ann").rglob("*.jsonl")]
    assert b"26 spans of 4 traces: already stored" in inspector("import", *files).stderr
    after = json.loads(inspector("runs", "--json").stdout)["items"]
    figures = "run_id", "calls", "errors", "input_tokens", "output_tokens", "cost_usd"
    assert [[run[key] for key in figures] for run in after] == [[run[key] for key in figures] for run in before]


def test_prompts_from_before_a_session_was_resumed_are_not_recorded_but_told_to_the_model(run, gemini, recorded):
    done = run(str(gemini), "--resume", FIRST=str(at_the_prompt("Wait for me")))
    assert b"recorded 10 calls" in done.stderr
    call = next(event for event in recorded() if event.name == "chat gemini-2.5-pro" and event.agent == "gemini")
    messages = json.loads(bytes(call.input))
    asked = [
        part["text"] for message in messages for part in message["parts"] if message["role"] == "user" if "text" in part
    ]
    assert asked[-2:] == ["Plan a trip", "Wait for me"]


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("last", "seen"),
    [
        (AFTER_THE_FIRST_ANSWER - 2, {("agent", "running")}),
        (AFTER_THE_FIRST_TOOLS, {("agent", "running"), ("llm", "ok"), ("tool", "ok"), ("tool", "error")}),
    ],
)
def test_a_prompt_is_seen_while_gemini_cli_works_on_it(start_inspector, inspector, gemini, tmp_path, last, seen):
    go_on = tmp_path / "go on"
    running = start_inspector("run", str(gemini), LAST=str(last), WAITS=str(go_on))
    found = states(inspector, seen)
    go_on.touch()
    assert (found, running.wait(60)) == (seen, 0)


def test_a_prompt_has_ended_once_gemini_cli_has_nothing_to_do(start_inspector, inspector, gemini, tmp_path):
    go_on = tmp_path / "go on"
    running = start_inspector("run", str(gemini), LAST=str(at_the_prompt("Move it")), WAITS=str(go_on))
    seen = {("agent", "ok"), ("llm", "ok"), ("tool", "ok"), ("tool", "error"), ("tool", "denied")}
    found = states(inspector, seen)
    go_on.touch()
    assert (found, running.wait(60)) == (seen, 0)


def states(inspector, awaited):
    """What is to be seen, once it is what is awaited or a minute has passed."""
    deadline, seen = time.monotonic() + 60, set()
    while seen != awaited and time.monotonic() < deadline:
        shown = json.loads(inspector("events", "--json").stdout or b'{"items": []}')
        seen = {(event["kind"], event["status"]) for event in shown["items"]}
    return seen


@pytest.mark.parametrize("last", [AFTER_THE_FIRST_ANSWER - 2, AFTER_THE_FIRST_ANSWER, AFTER_THE_FIRST_TOOLS])
def test_what_a_killed_gemini_cli_left_open_is_lost(run, gemini, recorded, last):
    done = run(str(gemini), LAST=str(last), KILLED="1")
    assert done.returncode == -9
    assert [(event.kind, event.status) for event in recorded()][0] == ("agent", "lost")


def test_a_prompt_without_an_answer_has_failed_if_gemini_cli_did(run, gemini, recorded):
    run(str(gemini), LAST=str(AFTER_THE_FIRST_ANSWER - 2), CODE="1")
    calls = [(event.kind, event.status) for event in recorded() if event.kind != "other"]
    assert calls == [("agent", "ok"), ("llm", "error")]


def test_secrets_in_commands_and_results_are_redacted_before_they_are_written(run, gemini, inspector, home):
    secret = "sk-ant-api03-" + "Ab3" * 31
    assert b"recorded 26 calls" in run(str(gemini), PRINTED=secret).stderr
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"sub is done" in written
    assert secret.encode() not in written
    assert b"[redacted:" in inspector("events", "--json", "--full", "--kind", "tool").stdout


@pytest.mark.slow
def test_without_content_there_are_names_and_figures_alone(run, gemini, inspector, home):
    assert b"recorded 26 calls" in run("--no-content", str(gemini), "-p", "Plan a trip").stderr
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    written += inspector("events", "--json", "--full").stdout
    assert b"gemini-2.5-pro" in written
    assert b"exit code 3" in written
    for content in (b"Plan a trip", b"in-sub", b"/etc/x", b"no such sum", b"denied by policy", b"broken request"):
        assert content not in written


def test_the_telemetry_of_gemini_cli_has_no_command_line_which_may_have_the_prompt(run, tmp_path):
    path = tmp_path / "gemini"
    path.write_text(f"#!{sys.executable}\nimport os\nprint(os.environ['OTEL_NODE_RESOURCE_DETECTORS'])\n")
    path.chmod(0o755)
    # Those of the user's own programs may be all, for example.
    done = run(str(path), "-p", "Plan a trip", OTEL_NODE_RESOURCE_DETECTORS="all")
    assert done.stdout == b"env\n"


def test_telemetry_that_goes_elsewhere_stays_so(run, gemini, tmp_path):
    chosen = tmp_path / "chosen.json"
    variables = {"GEMINI_TELEMETRY_ENABLED": "true", "GEMINI_TELEMETRY_OUTFILE": str(chosen)}
    done = run(str(gemini), **variables)
    assert chosen.exists()
    assert b"nothing was recorded: Gemini CLI already sends its telemetry elsewhere" in done.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gemini/settings.json", '{"telemetry": {"enabled": true}}'),
        (".gemini/settings.json", '{"telemetry": {"enabled": true} // ours\n}'),
        (".env", "GEMINI_TELEMETRY_ENABLED=true\n"),
    ],
)
def test_a_file_that_says_where_telemetry_goes_is_respected(run, gemini, tmp_path, name, text):
    path = tmp_path / "ann" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    done = run(str(gemini), GEMINI_TELEMETRY_OUTFILE=str(tmp_path / "told"))
    assert f"nothing was recorded: Gemini CLI sends its telemetry where {path} says".encode() in done.stderr


@pytest.mark.parametrize("text", ['{"telemetry": {"enabled": false}}', '{"theme": "dark"}', "[]", "{"])
def test_settings_without_telemetry_do_not_hinder(run, gemini, tmp_path, text):
    path = tmp_path / "ann" / ".gemini" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert b"recorded 26 calls" in run(str(gemini)).stderr


def test_a_run_of_gemini_cli_says_why_it_cannot_be_replayed(run, gemini, inspector):
    run(str(gemini))
    done = inspector("replay", "last")
    assert done.returncode != 0
    assert b"its model calls are made by Gemini CLI, another program, which a replay cannot answer" in done.stderr


def test_one_that_keeps_no_session_is_said_to_have_kept_none(run, tmp_path):
    path = tmp_path / "gemini"
    path.write_text("#!/bin/sh\necho 0.61.0\n")
    path.chmod(0o755)
    done = run(str(path), "--version", PATH=os.environ["PATH"])
    assert done.stdout == b"0.61.0\n"
    assert b"nothing was recorded: Gemini CLI kept no session" in done.stderr
