"""``inspector run copilot``: GitHub Copilot CLI is recorded by the file to which it writes its telemetry.

``copilot`` is a script that writes what a real one wrote (``tests/coding_agents/copilot``), as if it happened now.
"""

import json
import sys
from pathlib import Path

import pytest

CAPTURED = Path(__file__).parents[1] / "coding_agents" / "copilot" / "captured" / "telemetry.jsonl"

COPILOT = f"""#!{sys.executable}
import json, os, pathlib, sys, time
path = os.environ.get("COPILOT_OTEL_FILE_EXPORTER_PATH")
if path is not None:
    lines = [json.loads(line) for line in pathlib.Path({str(CAPTURED)!r}).read_text().splitlines()]
    later = int(time.time()) + 1 - min(line["startTime"][0] for line in lines if line["type"] == "span")
    is_wanted = os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] == "true"
    contents = "messages", "arguments", "result", "system_instructions", "definitions", "parameters.command"
    with open(path, "a") as telemetry:
        for line in lines if not os.environ.get("SILENT") else ():
            if line["type"] == "span":
                line |= {{key: [line[key][0] + later, line[key][1]] for key in ("startTime", "endTime")}}
                line["attributes"] = {{key: value for key, value in line["attributes"].items()
                                      if is_wanted or not key.endswith(contents)}}
            telemetry.write(json.dumps(line) + "\\n")
print("All done.", *sys.argv[1:])
"""


@pytest.fixture
def copilot(tmp_path) -> Path:
    path = tmp_path / "bin" / "copilot"
    path.parent.mkdir()
    path.write_text(COPILOT)
    path.chmod(0o755)
    return path


def test_what_copilot_did_is_recorded_with_its_contents(run, copilot, inspector):
    done = run(str(copilot), "-p", "Fly there")
    assert (done.returncode, done.stdout) == (0, b"All done. -p Fly there\n")
    assert b"recorded 18 calls (4 failed) in 2 traces; to see them: inspector show " in done.stderr
    (shown,) = json.loads(inspector("runs", "--json").stdout)["items"]
    assert (shown["question"], shown["service"]) == ("Fly there", "github-copilot")


def test_without_content_copilot_is_told_to_write_none(run, copilot, inspector):
    run("--no-content", str(copilot))
    stored = inspector("export", "last", "-o", "-").stdout
    assert b"invoke_agent copilot" in stored
    assert not [text for text in (b"Fly there", b"echo hi", b"All done.") if text in stored]


@pytest.mark.parametrize("name", ["OTEL_EXPORTER_OTLP_ENDPOINT", "COPILOT_OTEL_FILE_EXPORTER_PATH"])
def test_where_copilot_sends_elsewhere_it_still_does_and_the_command_says_so(run, copilot, tmp_path, name):
    mine = {name: str(tmp_path / "mine.jsonl"), "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "false"}
    done = run(str(copilot), **mine)
    assert f"already sends its telemetry elsewhere; to record it here, unset {name}".encode() in done.stderr
    assert (tmp_path / "mine.jsonl").exists() == (name == "COPILOT_OTEL_FILE_EXPORTER_PATH")


def test_a_copilot_that_wrote_nothing_says_why(run, copilot):
    assert b"GitHub Copilot wrote no telemetry" in run(str(copilot), SILENT="yes").stderr


def test_a_file_of_copilots_telemetry_is_imported(inspector):
    assert b"imported 18 spans of 2 traces" in inspector("import", str(CAPTURED)).stderr
