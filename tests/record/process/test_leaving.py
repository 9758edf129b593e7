"""Programs that leave by ``os._exit`` or ``os.execv`` right after a call, with no time for the recorder's thread."""

import os
import subprocess
import sys

import pytest
from emitted import watching
from spooled import spans_of

PROGRAM = """
import inspector, instrument, os, sys
inspector.attach()
def call(name):
    with instrument.around("tool_call", tool_name=name, args={}, context=None):
        pass
call("last")
"""
FORKED = """
for name in "ab":
    child = os.fork()
    if not child:
        call(name)
        os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
os._exit(status=5)
"""
EXECUTED = "os.{}('/bin/sh', {}'sh', '-c', 'exit 5'{})"


def run(tmp_path, code):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **watching(), "INSPECTOR_HOME": str(tmp_path)},
        capture_output=True,
        timeout=60,
    )


def ended(tmp_path):
    spans = [span for path in (tmp_path / "spool").glob("*.jsonl") for span in spans_of(path.read_text().splitlines())]
    return sorted(span["name"].removeprefix("execute_tool ") for span in spans if "endTimeUnixNano" in span)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("leave", "calls"),
    [
        ("os._exit(5)", ["last"]),
        (FORKED, ["a", "b", "last"]),
        (EXECUTED.format("execv", "[", "]"), ["last"]),
        (EXECUTED.format("execlp", "", ""), ["last"]),
        (EXECUTED.format("execve", "[", "], {}"), ["last"]),
    ],
    ids=["_exit", "forked", "execv", "execlp", "execve"],
)
def test_a_call_that_ended_just_before_is_in_the_file(tmp_path, leave, calls):
    done = run(tmp_path, PROGRAM + leave)
    assert (done.returncode, done.stdout, done.stderr) == (5, b"", b"")
    assert ended(tmp_path) == calls


def test_a_program_leaves_all_the_same_if_nothing_can_be_written(tmp_path):
    (tmp_path / "spool").write_text("no directory")
    done = run(tmp_path, PROGRAM + "os._exit(5)")
    assert (done.returncode, done.stdout, done.stderr) == (5, b"", b"")


def test_a_program_that_cannot_be_executed_raises_as_before_and_recording_goes_on(tmp_path):
    failing = "try: os.execv('/nowhere', ['x'])\nexcept FileNotFoundError as error: call(str(error.errno))\n"
    assert run(tmp_path, PROGRAM + failing).returncode == 0
    assert ended(tmp_path) == ["2", "last"]


def test_the_functions_are_pythons_own_again_once_recording_has_ended(tmp_path):
    code = PROGRAM + "inspector.detach()\nimport posix\nassert os._exit is posix._exit and os.execve is posix.execve\n"
    assert run(tmp_path, code).returncode == 0


def test_a_function_is_pickled_as_it_was_for_a_pool_of_processes(tmp_path):
    code = (
        PROGRAM + "import pickle\nfor each in (os._exit, os.execv): assert pickle.loads(pickle.dumps(each)) is each\n"
    )
    assert run(tmp_path, code).returncode == 0
