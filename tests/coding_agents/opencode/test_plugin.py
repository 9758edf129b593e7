"""The plugin notes what happens in opencode, and cannot disturb it."""

import json
import shutil
import subprocess

import pytest

from inspector.coding_agents.opencode import PLUGIN

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node")

PROGRAM = f"""
import {{ Inspector }} from {str(PLUGIN)!r}
const hooks = await Inspector({{}})
const event = (type, properties) => hooks.event({{ event: {{ type, properties }} }})
const part = (part) => event("message.part.updated", {{ part: {{ id: "p", sessionID: "s", ...part }} }})
"""


def noted(tmp_path, program, path=None):
    path = path or tmp_path / "notes.jsonl"
    done = subprocess.run(
        [NODE, "--input-type=module", "--eval", PROGRAM + program],
        env={"INSPECTOR_OPENCODE": str(path)},
        capture_output=True,
        check=False,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    lines = path.read_text().splitlines() if path.is_file() else []
    return [{key: value for key, value in json.loads(line).items() if key != "at"} for line in lines]


def test_a_command_is_noted_when_it_begins_and_ends_and_not_for_each_line_that_it_prints(tmp_path):
    program = """
    for (const status of ["pending", "running", "running", "running", "completed"])
      await part({ type: "tool", state: { status } })
    """
    assert [note["part"]["state"]["status"] for note in noted(tmp_path, program)] == ["running", "completed"]


def test_a_text_is_noted_once_it_is_complete(tmp_path):
    program = """
    await part({ type: "text", text: "H", time: { start: 1 } })
    await part({ type: "text", text: "Hi", time: { start: 1, end: 2 } })
    await part({ type: "text", text: "Hi", time: { start: 1, end: 2 } })
    """
    assert [note["part"]["text"] for note in noted(tmp_path, program)] == ["Hi"]


def test_a_system_prompt_is_noted_when_it_changes(tmp_path):
    program = """
    const ask = async (...system) => {
      await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, { system })
      await hooks["chat.params"]({ sessionID: "s", agent: "build" }, {})
    }
    await ask("Be", "kind.")
    await ask("Be", "kind.")
    await ask("Be quick.")
    """
    assert [note.get("system") for note in noted(tmp_path, program)] == ["Be\n\nkind.", None, "Be quick."]


def test_what_was_said_before_is_noted_once_for_a_session_that_is_continued(tmp_path):
    program = """
    const said = (sessionID) => ({ messages: [{ info: { sessionID, time: { created: 1 } }, parts: [] }] })
    await event("session.created", { info: { id: "new" } })
    for (const session of ["new", "old", "old"]) await hooks["experimental.chat.messages.transform"]({}, said(session))
    """
    assert [(note["kind"], note["session"]) for note in noted(tmp_path, program)] == [
        ("session", "new"),
        ("history", "old"),
    ]


def test_what_it_does_not_understand_or_cannot_write_does_not_reach_opencode(tmp_path):
    program = """
    await event("message.part.updated", {})
    await event("session.created")
    await hooks.event({})
    await hooks["experimental.chat.messages.transform"]({}, {})
    await hooks["chat.params"](undefined)
    await event("session.idle", { sessionID: "s" })
    """
    assert noted(tmp_path, program, tmp_path / "missing" / "notes.jsonl") == []
    assert noted(tmp_path, program) == [{"kind": "idle", "session": "s"}]
