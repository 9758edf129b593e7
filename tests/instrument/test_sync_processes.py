import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(code, *, options=()):
    # Coverage holds a lock while it looks at a new line, and a child forked at that moment waits for it for ever.
    untraced = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    environment = {**untraced, "PYTHONPATH": str(Path.cwd())}
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", *options, "-c", code],
        capture_output=True,
        text=True,
        timeout=30,
        env=environment,
    )


PROGRAM = """
import asyncio, os, sys, threading, time
import instrument
def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())
async def waits(seconds, **_):
    try:
        await asyncio.sleep(seconds)
        say("finished")
    except asyncio.CancelledError:
        say("cancelled")
        raise
instrument.register("h", waits)
"""


def test_the_end_of_the_interpreter_waits_a_moment_for_coroutines_and_then_cancels_them():
    done = run(PROGRAM + "instrument._emit_sync('h', seconds=0)\ninstrument._emit_sync('h', seconds=0.05)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "finished\nfinished\n", "")
    done = run(PROGRAM + "instrument._emit_sync('h', seconds=0.01)\ninstrument._emit_sync('h', seconds=60)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "finished\ncancelled\n", "")


def test_emitting_while_the_interpreter_ends_leaves_nothing_open():
    done = run(
        "import atexit\n"
        + PROGRAM.replace(
            "import instrument\n", "import instrument\natexit.register(lambda: instrument._emit_sync('h', seconds=0))\n"
        )
        + "async def quick(**_): say('quick')\n"
        "instrument.unregister('h', waits); instrument.register('h', quick); instrument._emit_sync('h')\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "quick\nquick\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_emits_with_loops_of_its_own_and_the_parents_go_on():
    # Python warns of forking with threads from 3.12 on; that it works all the same is what is tested.
    done = run(
        PROGRAM
        + """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
instrument._emit_sync("h", seconds=0.3)          # in use, on a thread that the child does not have
async def quick(**_):
    say("quick", os.getpid() == parent)
parent = os.getpid()
instrument.unregister("h", waits)
instrument.register("h", quick)
instrument._emit_sync("h")                       # leaves an idle loop
child = os.fork()
instrument._emit_sync("h")
if child:
    assert os.waitpid(child, 0)[1] == 0
    async def woken(**_):                        # by another thread, through a file that the child has closed as well
        await asyncio.to_thread(time.sleep, 0.01)
        say("woken")
    instrument.register("h", woken)
    instrument._emit_sync("h")
"""
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == ["finished", "quick False", *["quick True"] * 3, "woken"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_drops_what_waits_and_may_register_though_a_thread_held_the_lock():
    done = run(
        PROGRAM
        + """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
from instrument import _bus, _loops
_loops._LOOPS = 1
instrument._emit_sync("h", seconds=0.2)
instrument._emit_sync("h", seconds=0.2)          # waits for the one loop
held, forked = threading.Event(), threading.Event()
def hold():
    with _bus._lock:
        held.set()
        forked.wait(10)
thread = threading.Thread(target=hold)
thread.start()
held.wait(10)
child = os.fork()
if not child:
    instrument.register("h", print)
    instrument.unregister("h", print)
    instrument.unregister("h", waits)
    async def quick(**_):
        say("quick")
    instrument.register("h", quick)
    instrument._emit_sync("h")                   # though the parent has no loop left
    sys.exit(0)
forked.set()
thread.join()
assert os.waitpid(child, 0)[1] == 0
"""
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.split()) == ["finished", "finished", "quick"]
