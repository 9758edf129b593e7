"""``inspector run claude``: Claude Code is recorded by what it sends and writes.

``claude`` is a script that sends what a real one sent (``tests/coding_agents/claude_code``).
"""

import json
import os
import sys
from pathlib import Path

import pytest

CAPTURED = Path(__file__).parents[1] / "coding_agents" / "claude_code" / "captured"

CLAUDE = f"""#!{sys.executable}
import os, pathlib, sys, urllib.request
captured = pathlib.Path({str(CAPTURED)!r})
def edited(body):
    return body.replace(b"in-sub", os.environ.get("PRINTED", "in-sub").encode())
kind, _, directory = os.environ["OTEL_LOG_RAW_API_BODIES"].partition(":")
if kind == "file":
    for path in (captured / "bodies").iterdir():
        pathlib.Path(directory, path.name).write_bytes(edited(path.read_bytes()))
assert os.environ["CLAUDE_CODE_ENABLE_TELEMETRY"] == "1"
assert not [name for name in os.environ if name.startswith("OTEL_EXPORTER_OTLP_TRACES")]
header, _, value = os.environ["OTEL_EXPORTER_OTLP_HEADERS"].partition("=")
for signal in ("logs", "traces"):
    url = os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/" + signal
    body = edited((captured / (signal + ".json")).read_bytes())
    urllib.request.urlopen(urllib.request.Request(url, body, {{header: value, "Content-Type": "application/json"}}))
print("All done.", *sys.argv[1:])
sys.exit(3)
"""


@pytest.fixture
def claude(tmp_path) -> Path:
    path = tmp_path / "bin" / "claude"
    path.parent.mkdir()
    path.write_text(CLAUDE)
    path.chmod(0o755)
    return path


def test_what_claude_code_did_is_recorded_with_its_contents(run, claude, recorded, inspector, home):
    done = run(str(claude), "-p", "Plan a trip")
    assert (done.returncode, done.stdout) == (3, b"All done. -p Plan a trip\n")
    first, second, last = done.stderr.decode().splitlines()
    assert first.startswith("inspector: recorded 20 calls (1 failed) in 2 traces; to see them: inspector show ")
    assert (second[:39], last) == (
        "inspector: where something failed: insp",
        "inspector: in the browser: inspector serve",
    )
    events = [event for event in recorded() if event.name != "exit code 3"]
    assert len(events) == 20
    assert {event.dialect for event in events} == {"claude_code/1"}
    assert {(event.name, event.status) for event in events if event.kind == "tool"} == {
        ("execute_tool Agent", "ok"),
        ("execute_tool Bash", "ok"),
        ("execute_tool Bash", "error"),
        ("execute_tool Write", "denied"),
    }
    assert {event.agent for event in events if event.kind == "llm"} == {"claude", "general-purpose"}
    assert sum(event.output_tokens for event in events if event.kind == "llm") == 124
    (shown,) = json.loads(inspector("runs", "--json").stdout)["items"]
    assert (shown["question"], shown["answer"]) == ("Plan a trip", "noted")
    assert round(shown["cost_usd"], 6) == 0.004932


def test_a_run_of_claude_code_says_why_it_cannot_be_replayed(run, claude, inspector):
    run(str(claude))
    done = inspector("replay", "last")
    assert done.returncode != 0
    assert b"its model calls are made by Claude Code, another program, which a replay cannot answer" in done.stderr


def test_secrets_in_commands_and_results_are_redacted_before_they_are_written(run, claude, inspector, home):
    secret = "sk-ant-api03-" + "Ab3" * 31
    assert b"recorded 20 calls" in run(str(claude), PRINTED=secret).stderr
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"sub is done" in written
    assert secret.encode() not in written
    shown = inspector("events", "--json", "--full", "--kind", "tool").stdout
    assert b"[redacted:" in shown
    assert secret.encode() not in shown


def test_content_that_is_sent_all_the_same_is_not_recorded(run, claude, inspector, home):
    assert b"recorded 20 calls" in run("--no-content", str(claude)).stderr
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    written += inspector("events", "--json", "--full").stdout
    assert b"claude-sonnet-4-5" in written
    for content in (b"Plan a trip", b"in-sub", b"/etc/trip.txt", b"Claude requested permissions"):
        assert content not in written


def test_without_content_none_is_asked_for(run, claude, inspector):
    assert run("--no-content", str(claude)).returncode == 3
    shown = inspector("events", "--json", "--full", "--kind", "llm").stdout
    assert b"gen_ai.input.messages" not in shown
    assert b"gen_ai.usage.output_tokens" in shown


def test_the_place_of_one_signal_gives_way(run, claude):
    assert run(str(claude), OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="http://127.0.0.1:1").returncode == 3


def test_telemetry_that_is_sent_elsewhere_is_left_alone(run, tmp_path, recorded):
    path = tmp_path / "claude"
    path.write_text(f"#!{sys.executable}\nimport os\nprint(os.environ['OTEL_EXPORTER_OTLP_ENDPOINT'])\n")
    path.chmod(0o755)
    elsewhere = {"CLAUDE_CODE_ENABLE_TELEMETRY": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": "https://otel.example"}
    done = run(str(path), **elsewhere)
    assert done.stdout == b"https://otel.example\n"
    assert done.stderr.decode().splitlines()[0] == (
        "inspector: nothing was recorded: Claude Code already sends its telemetry to https://otel.example; "
        "to record it here, unset CLAUDE_CODE_ENABLE_TELEMETRY"
    )


@pytest.mark.sweep(1)
@pytest.mark.parametrize("place", ["home/.claude/settings.json", "work/.claude/settings.local.json"])
def test_contents_are_not_sent_to_a_place_that_its_settings_name(run, tmp_path, place):
    path = tmp_path / "claude"
    path.write_text(f"#!{sys.executable}\nimport os\nprint(os.environ.get('OTEL_LOG_USER_PROMPTS'))\n")
    path.chmod(0o755)
    (tmp_path / "work" / "below").mkdir(parents=True)
    named = tmp_path / place
    named.parent.mkdir(parents=True)
    named.write_text('{"env": {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://otel.example"}}')
    done = run(
        *("sh", "-c", 'cd "$0" && exec "$1" -m inspector run "$2"', str(tmp_path / "work" / "below")),
        *(sys.executable, str(path)),
        HOME=str(tmp_path / "home"),
    )
    assert done.stdout == b"None\n"
    assert f"nothing was recorded: Claude Code sends its telemetry where {named} says" in done.stderr.decode()


def test_settings_that_cannot_be_read_are_passed_over(run, claude, tmp_path):
    for name, text in (("settings.json", "nonsense"), ("settings.local.json", '{"env": [1]}')):
        (tmp_path / name).write_text(text)
    (tmp_path / "remote-settings.json").write_text("[]")
    assert b"recorded 20 calls" in run(str(claude), CLAUDE_CONFIG_DIR=str(tmp_path)).stderr


def test_one_that_sends_nothing_is_said_to_have_sent_nothing(run, tmp_path):
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\necho 2.1.332\n")
    path.chmod(0o755)
    done = run(str(path), "--version", PATH=os.environ["PATH"])
    assert done.stdout == b"2.1.332\n"
    assert b"nothing was recorded: Claude Code sent nothing" in done.stderr
