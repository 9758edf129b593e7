"""A program that fails has a failed run, also where only its exit code says so."""

import json

import pytest

FLUSH = """
from inspector.record import attached
attached().flush()
"""
"""What some ways to leave would lose."""
BLOCK = """
import inspector
from instrument import around
with inspector.run("job"), around("tool_call", tool_name="look", args={}, context=None):
    pass
"""
EXITS = {
    "sys.exit(1)": "exit code 1",
    "raise SystemExit('no such customer')": "exit code 1",
    "atexit.register(os._exit, 7)": "exit code 7",
    "raise KeyError('it')": "KeyError: 'it'",
    "with around('tool_call', tool_name='book', args={}, context=None): sys.exit(BOOK())": "TimeoutError",
    "sys.exit(subprocess.call([sys.executable, '-c', FAILING]))": "exit code 1",
    "sys.exit(0 * subprocess.call([sys.executable, '-c', FAILING]))": None,
    "sys.exit(143)": None,
    "os.kill(os.getpid(), signal.SIGTERM)": None,
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("leaving", EXITS)
def test_a_run_has_failed_if_its_program_did(run, script, inspector, call, leaving):
    begin = "import atexit, os, signal, subprocess, sys\nFAILING = 'import sys; sys.exit(1)'\n"
    program = f"{begin}def BOOK(): raise TimeoutError\n{call('look')}{FLUSH}{leaving}"
    run("--quiet", script(program))
    (listed,) = json.loads(inspector("runs", "--json").stdout)["items"]
    assert (listed["status"], listed["traces"], listed["service"]) == (
        "ok" if EXITS[leaving] is None else "error",
        2 if "BOOK" in leaving else 1,
        "app",
    )
    assert inspector("runs").stdout.decode().splitlines()[1].endswith(f"  {EXITS[leaving] or chr(0x2013)}")


def test_the_exit_code_of_a_program_that_recorded_nothing_is_no_run(run, script, inspector):
    run("--quiet", script("import inspector.record, sys; sys.exit(1)"))
    run("--quiet", script(f"{BLOCK}\nimport sys; sys.exit(1)"))
    listed = json.loads(inspector("runs", "--json").stdout)["items"]
    assert [(each["name"], each["status"]) for each in listed] == [("job", "ok")]
