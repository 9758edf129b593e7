import signal

import pytest

WAIT_S = 30.0


def names(events):
    return [event.tool or event.name for event in events]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_of_multiprocessing_are_recorded(run, script, recorded, method):
    done = run(
        script(
            "import multiprocessing\n"
            "from instrument import around\n"
            "def work(name):\n"
            "    with around('tool_call', tool_name=name, args={}, context=None): pass\n"
            "if __name__ == '__main__':\n"
            f"    multiprocessing.set_start_method({method!r})\n"
            "    work('parent')\n"
            "    with multiprocessing.Pool(2) as pool:\n"
            "        pool.map(work, ['a', 'b'], chunksize=1)\n"
            "        pool.close(); pool.join()\n"
        )
    )
    assert done.returncode == 0, done.stderr
    assert sorted(names(recorded())) == ["a", "b", "parent"]
    assert b"recorded 3 calls in 3 traces" in done.stderr


def test_a_subprocess_of_the_same_python_is_recorded(run, script, recorded, call):
    child = script(call("inner"), "child.py")
    run(script(call("outer") + f"import subprocess, sys; subprocess.run([sys.executable, {child!r}])"))
    assert sorted((event.tool, event.service) for event in recorded()) == [("inner", "child"), ("outer", "app")]


@pytest.mark.slow
def test_threads_that_import_at_once_are_all_recorded(run, script, recorded):
    run(
        script(
            "import threading\n"
            "def work(number):\n"
            "    from instrument import around\n"
            "    with around('tool_call', tool_name=f't{number}', args={}, context=None): pass\n"
            "threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]\n"
            "[t.start() for t in threads]; [t.join() for t in threads]\n"
        )
    )
    assert sorted(names(recorded())) == sorted(f"t{n}" for n in range(16))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("first", ["instrument", "inspector.record"])
def test_a_thread_that_asks_for_the_bus_while_another_one_begins_to_record_is_recorded(run, script, recorded, first):
    run(
        script(
            "import sys, threading, time\n"
            "def work():\n"
            "    while 'inspector.record.spool.writer' not in sys.modules: time.sleep(0)\n"
            "    from instrument import around\n"
            "    with around('tool_call', tool_name='early', args={}, context=None): pass\n"
            "thread = threading.Thread(target=work)\n"
            f"thread.start(); import {first}; thread.join()\n"
        )
    )
    assert names(recorded()) == ["early"]


@pytest.mark.slow
def test_what_a_program_recorded_before_it_becomes_another_one_is_kept(run, script, recorded, call):
    child = script(call("second"), "second.py")
    done = run(
        script(
            call("first")
            + "import inspector, os, sys\nfrom inspector.record import attach\nassert attach().flush()\n"
            + f"os.execv(sys.executable, [sys.executable, {child!r}])"
        )
    )
    assert names(recorded()) == ["first", "second"]
    assert b"recorded 2 calls in 2 traces" in done.stderr


def test_a_program_that_leaves_at_once_keeps_what_is_older_than_a_moment(run, script, recorded, call):
    leave = (
        call("add") + "import os, time\n"
        "from pathlib import Path\n"
        "from inspector.tally import read_tallies\n"
        "counted = Path(os.environ['INSPECTOR_RUN'].split(':', 3)[3])\n"
        f"deadline = time.monotonic() + {WAIT_S}\n"
        "while not any(each.calls for each in read_tallies(counted)):\n"
        "    assert time.monotonic() < deadline; time.sleep(0.01)\n"
        "os._exit(7)\n"
    )
    done = run(script(leave))
    assert done.returncode == 7
    assert names(recorded()) == ["add", "exit code 7"]
    assert b"recorded 1 call in 1 trace" in done.stderr


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "statement", ["import mcp_agent.core.instrument as bus", "from mcp_agent.core.instrument import _emit"]
)
def test_the_first_name_of_the_bus_may_be_a_programs_first_import(run, script, recorded, statement):
    done = run(
        script(
            f"{statement}\nimport asyncio, sys\n_emit = sys.modules['mcp_agent.core.instrument']._emit\n"
            "for hook, more in (('before_tool_call', {}), ('after_tool_call', {'result': 1})):\n"
            "    asyncio.run(_emit(hook, tool_name='add', args={}, context=None, **more))\n"
            "assert 'mcp_agent.app' not in sys.modules\n"
        )
    )
    assert done.returncode == 0, done.stderr
    assert names(recorded()) == ["add"]


def test_a_program_that_is_killed_in_a_call_has_been_recorded_up_to_there(run, script, recorded):
    killed = script(
        "import os, time\nfrom instrument import around\nfrom inspector.record import attach\n"
        "with around('tool_call', tool_name='slow', args={}, context=None):\n"
        "    attach().flush(); os.kill(os.getpid(), 9)"
    )
    done = run(killed)
    assert done.returncode == -signal.SIGKILL
    assert [(event.tool, event.status) for event in recorded()] == [("slow", "lost")]
    assert b"recorded 1 call in 1 trace" in done.stderr


def test_a_daemon_goes_on_and_is_named(run, script, tmp_path, call):
    stop = tmp_path / "stop"
    done = run(
        script(
            call("first") + "import os, time\n"
            "r, w = os.pipe()\n"
            "if os.fork() == 0:\n"
            "    os.setsid()\n"
            "    if os.fork(): os._exit(0)\n"
            "    for fd in (0, 1, 2): os.dup2(os.open(os.devnull, os.O_RDWR), fd)\n"
            + "".join(f"    {each}\n" for each in call("daemon").splitlines())
            + "    os.write(w, str(os.getpid()).encode())\n"
            f"    deadline = time.monotonic() + {WAIT_S}\n"
            f"    while not os.path.exists({str(stop)!r}) and time.monotonic() < deadline: time.sleep(0.05)\n"
            "    os._exit(0)\n"
            "print(os.read(r, 100).decode())\n"
        )
    )
    stop.touch()
    daemon = done.stdout.decode().strip()
    assert f"inspector: still running, and being recorded: process {daemon}\n".encode() in done.stderr
