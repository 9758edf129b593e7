"""Children that are forked while another thread attaches or detaches."""

import os
import subprocess
import sys

import pytest
from emitted import watching
from spooled import last_records

# Coverage holds a lock while it looks at a new line, and a child forked at that moment waits for it for ever.
UNTRACED = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")} | watching()

BEGINNING = """
import os, signal, threading, warnings
import instrument
warnings.simplefilter("ignore", DeprecationWarning)
inside, go_on = threading.Event(), threading.Event()
def wait():
    inside.set()
    go_on.wait()
def tool(name):
    with instrument.around("tool_call", tool_name=name, args={}, context=None):
        pass
"""
FORK = """
inside.wait()
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    in_child()
    os._exit(0)
ended = os.waitpid(pid, 0)[1]
go_on.set()
thread.join()
assert ended == 0, ended
"""
ATTACHING = (
    BEGINNING
    + """
from inspector import record
class Patterns(tuple):
    def __iter__(self):
        wait()
        return super().__iter__()
def in_child():
    tool("unseen")
    record.attach()
    tool("child")
    record.detach()
thread = threading.Thread(target=lambda: record.attach(redact_patterns=Patterns()))
thread.start()
"""
    + FORK
    + """
tool("parent")
"""
)
SWITCHING_ON = (
    BEGINNING
    + """
import sys, types
import inspector
class Framework(types.ModuleType):
    def __getattr__(self, name):
        wait()
        raise AttributeError(name)
sys.modules["litellm"] = Framework("litellm")
def in_child():
    del Framework.__getattr__
    inspector.attach(integrations=False)
    tool("child")
    inspector.detach()
thread = threading.Thread(target=lambda: inspector.attach(integrations=["litellm"]))
thread.start()
"""
    + FORK
    + """
tool("parent")
"""
)
DETACHING = (
    BEGINNING
    + """
from inspector import record
def waiting(key, text):
    wait()
    return text
record.attach(redact=waiting)
tool("parent")
def in_child():
    tool("unseen")
    record.attach()
    tool("child")
    record.detach()
thread = threading.Thread(target=record.detach)
inside.wait()
thread.start()
while record.attached() is not None:
    os.sched_yield()
"""
    + FORK
    + """
for each in threading.enumerate():
    if each is not threading.current_thread():
        each.join()
"""
)


def run(code, home):
    env = {**UNTRACED, "INSPECTOR_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "program", [ATTACHING, SWITCHING_ON, DETACHING], ids=["attaching", "integrations", "detaching"]
)
def test_a_child_forked_while_another_thread_attaches_or_detaches_attaches_itself(tmp_path, program):
    run(program, tmp_path)
    spans = last_records(tmp_path / "spool").values()
    assert sorted(each["name"] for each in spans) == ["execute_tool child", "execute_tool parent"]
