import asyncio
import json
import os
import subprocess
import sys

import pytest

import inspector
from instrument import around

CALL = """
from instrument import around
with around("tool_call", tool_name={!r}, args={{}}, context=None):
    pass
"""


@pytest.fixture
def run_program(tmp_path, fork_python):
    """Runs a program with a home of its own, and returns the runs that are recorded then, the first one first."""

    def run(code, *, check=True, **variables):
        program = tmp_path / "job.py"
        program.write_text(code)
        environment = {key: value for key, value in os.environ.items() if key != "INSPECTOR_RUN_ID"}
        environment |= {"INSPECTOR_HOME": str(tmp_path / "home"), **variables}
        subprocess.run([sys.executable, str(program)], env=environment, check=check, cwd=tmp_path)
        listed = fork_python.run("-m", "inspector.cli", "runs", "--order", "asc", "--json", env=environment)
        assert listed.returncode == 0, listed.stderr
        return json.loads(listed.stdout)["items"]

    return run


def test_a_program_is_one_run_over_recordings_forks_and_children_that_record_themselves(run_program):
    code = f"""
import inspector, os, subprocess, sys
inspector.attach()
{CALL.format("first")}
inspector.detach()
inspector.attach()
{CALL.format("again")}
child = os.fork()
if not child:
{"".join("    " + line for line in CALL.format("forked").splitlines(True))}
    inspector.detach()
    os._exit(0)
os.waitpid(child, 0)
code = "import inspector; inspector.attach()" + {CALL.format("started")!r}
subprocess.run([sys.executable, "-c", code], check=True)
"""
    (run,) = run_program(code)
    assert (run["traces"], run["tool_calls"], run["origin"], run["name"]) == (4, 4, "program", "job")


@pytest.mark.slow
def test_two_executions_are_two_runs(run_program):
    code = "import inspector; inspector.attach()" + CALL.format("look")
    run_program(code)
    first, second = run_program(code)
    assert first["run_id"] != second["run_id"]


@pytest.mark.slow
def test_a_run_may_be_named_from_outside(run_program):
    code = "import inspector; inspector.attach()" + CALL.format("look")
    assert [run["run_id"] for run in run_program(code, INSPECTOR_RUN_ID="nightly-7")] == ["nightly-7"]
    assert len(run_program(code, INSPECTOR_RUN_ID="no id, but words")) == 2


def test_a_block_is_a_run_of_its_own_and_leaves_nothing_where_nothing_is_recorded(run_program):
    block = CALL.format("inside").replace("\n", "\n    ")
    code = f"""
import inspector
inspector.attach()
{CALL.format("before")}
with inspector.run("job 17") as job:
    {block}
with inspector.run("idle"):
    pass
{CALL.format("after")}
print(job.id)
"""
    program, job = run_program(code)
    assert (program["origin"], program["traces"]) == ("program", 2)
    assert (job["origin"], job["name"], job["traces"], job["tool_calls"]) == ("block", "job 17", 1, 1)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("how", ["", "sys.excepthook = lambda *_: None"])
def test_a_program_that_an_exception_ends_has_failed(run_program, how):
    code = f"import inspector, os, sys; inspector.attach(); {how}\n{CALL.format('look')}\nraise LookupError('no price')"
    (run,) = run_program(code, check=False)
    assert (run["status"], run["calls"], run["errors"], run["traces"], run["failed_traces"]) == ("error", 1, 0, 1, 0)


ENDINGS = {
    "a call failed with it": "with around('agent_call', agent='planner'): raise LookupError('no price')",
    "a block failed with it": "with inspector.run('job'), around('agent_call', agent='planner'): raise KeyError(1)",
    "it was caught": "try: raise LookupError\nexcept LookupError as error: sys.last_value = error",
    "it is an exit": "sys.exit('no more')",
    "it is an interrupt": "raise KeyboardInterrupt",
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("ending", ENDINGS)
def test_how_a_program_ends_is_not_recorded_if(run_program, ending):
    code = f"""
import inspector, sys
inspector.attach()
{CALL.format("look")}
def end():
    {ENDINGS[ending].replace(chr(10), chr(10) + "    ")}
end()
"""
    runs = run_program(code, check=False)
    assert [run["errors"] for run in runs] == {"a call failed with it": [1], "a block failed with it": [0, 2]}.get(
        ending, [0]
    )


def test_a_program_without_calls_that_an_exception_ends_leaves_nothing(run_program):
    run_program("import inspector; inspector.attach()" + CALL.format("look"))
    assert len(run_program("import inspector; inspector.attach(); raise LookupError", check=False)) == 1


def test_a_block_without_a_recording_does_nothing():
    with inspector.run("nobody looks") as job:
        assert len(job.id) == 12


def look(name="look"):
    with around("tool_call", tool_name=name, args={}, context=None):
        pass


def by_name(recording):
    return {span["name"]: span for span in recording.spans()}


def test_what_is_called_in_a_block_is_below_it_and_what_comes_after_is_where_it_was(record):
    recording = record()
    with around("agent_call", agent="planner"):
        root = recording.recorder.begin_root("run", "job", "abc")
        look("inside")
        recording.recorder.end_root(root, None)
        look("after")
    spans = by_name(recording)
    job, agent = spans["job"], spans["invoke_agent planner"]
    assert "parentSpanId" not in job
    assert spans["execute_tool inside"]["parentSpanId"] == job["spanId"]
    assert spans["execute_tool inside"]["traceId"] == job["traceId"] != agent["traceId"]
    assert spans["execute_tool after"]["parentSpanId"] == agent["spanId"]


def test_a_block_ends_as_what_is_in_it_does(record):
    recording = record()
    for name, exc in (("ok", None), ("broken", KeyError("x")), ("cancelled", asyncio.CancelledError())):
        root = recording.recorder.begin_root("run", name, "abc")
        look()
        recording.recorder.end_root(root, exc)
    spans = by_name(recording)
    assert [spans[name]["attributes"]["inspector.status"] for name in ("ok", "broken", "cancelled")] == [
        "ok",
        "error",
        "cancelled",
    ]
    assert spans["broken"]["attributes"]["error.type"] == "KeyError"
    assert {spans[name]["attributes"]["inspector.run.id"] for name in ("ok", "broken", "cancelled")} == {"abc"}


def test_blocks_in_tasks_that_run_at_once_do_not_mix(record):
    recording = record()

    async def job(at):
        root = recording.recorder.begin_root("run", f"job {at}", f"id-{at}")
        await asyncio.sleep(0)
        look(f"first {at}")
        await asyncio.sleep(0)
        look(f"second {at}")
        recording.recorder.end_root(root, None)

    async def main():
        await asyncio.gather(*(job(at) for at in range(8)))

    asyncio.run(main())
    spans = by_name(recording)
    for at in range(8):
        for name in (f"execute_tool first {at}", f"execute_tool second {at}"):
            assert spans[name]["parentSpanId"] == spans[f"job {at}"]["spanId"]


def test_a_block_in_a_block_is_a_run_of_its_own(record):
    recording = record()
    outer = recording.recorder.begin_root("run", "outer", "a")
    inner = recording.recorder.begin_root("run", "inner", "b")
    look("in inner")
    recording.recorder.end_root(inner, None)
    look("in outer")
    recording.recorder.end_root(outer, None)
    spans = by_name(recording)
    assert spans["inner"]["traceId"] != spans["outer"]["traceId"]
    assert spans["execute_tool in outer"]["parentSpanId"] == spans["outer"]["spanId"]


def test_a_block_that_waits_is_told_of_before_a_process_is_forked(record):
    recording = record()
    root = recording.recorder.begin_root("run", "pool", "a")
    assert recording.records() == []
    recording.recorder.announce()
    assert [span["name"] for span in recording.records()] == ["pool"]
    recording.recorder.end_root(root, None)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("fork", ["pty.fork()", "os.forkpty()"])
def test_a_block_that_only_runs_a_command_in_a_terminal_leaves_nothing(run_program, fork):
    # As `!ls` does in a notebook.
    code = f"""
import inspector, os, pty
inspector.attach()
{CALL.format("before")}
with inspector.run("idle"):
    child, terminal = {fork}
    if not child:
        os.execv("/bin/true", ["true"])
    os.waitpid(child, 0)
"""
    assert [run["origin"] for run in run_program(code)] == ["program"]


def test_each_call_of_a_decorated_function_is_a_run():
    @inspector.run("plain")
    def plain(at):
        return at + 1

    @inspector.run("later")
    async def later(at):
        return at + 2

    assert (plain(1), asyncio.run(later(1))) == (2, 3)
    assert plain.__name__ == "plain"
