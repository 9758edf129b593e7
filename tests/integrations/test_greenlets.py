"""gevent and eventlet replace a process's threads, before or after the recorder is there."""

import os
import subprocess

import pytest
from spooled import attributes_of, last_records

GEVENT = "from gevent import monkey, sleep, spawn; monkey.patch_all()"
EVENTLET = "import eventlet; from eventlet import sleep, spawn; eventlet.monkey_patch()"
ATTACH = "import inspector; inspector.attach()"
CALLS = """
from instrument import around

def look(name):
    with around("tool_call", tool_name=name, args={}, context=None):
        sleep(0.1)

def wait(greenlet):
    (greenlet.join if hasattr(greenlet, "join") else greenlet.wait)()

for greenlet in [spawn(look, name) for name in "ab"]:
    wait(greenlet)
import os
if (child := os.fork()) == 0:
    wait(spawn(look, "in a child"))
    os._exit(0)
os.waitpid(child, 0)
look("last")
"""


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((ATTACH, GEVENT), id="gevent, replaced after attach"),
        pytest.param((GEVENT, ATTACH), id="gevent, replaced before attach", marks=pytest.mark.slow),
        pytest.param((ATTACH, EVENTLET), id="eventlet, replaced after attach", marks=pytest.mark.slow),
        pytest.param((EVENTLET, ATTACH), id="eventlet, replaced before attach", marks=pytest.mark.slow),
    ],
)
def test_greenlets_go_on_while_calls_are_recorded_and_none_is_missing(framework_python, tmp_path, lines):
    program = "\n".join((*lines, CALLS))
    variables = {"INSPECTOR_HOME": str(tmp_path), "PYTHONWARNINGS": "ignore"}
    ended = subprocess.run(
        [framework_python("greenlets"), "-c", program],
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout) == (0, "")
    recorded = [attributes_of(span["attributes"]) for span in last_records(tmp_path / "spool").values()]
    tools = {values["gen_ai.tool.name"]: values["inspector.status"] for values in recorded}
    assert len(recorded) == len(tools)
    assert tools == dict.fromkeys(("a", "b", "in a child", "last"), "ok")
