"""What a program had done is in the file when it is killed, and when it ends.

Only what ended in the last 5 ms may be missing, on a machine that has time for the recorder's thread. Whether it has
time is what the program itself sees: it is killed when it slept five times in a row for a millisecond, and wrote to the
same disk, and returned in time. It keeps to one processor, where the thread would be next whenever it sleeps.
"""

import os
import signal
import subprocess
import sys

import pytest
from emitted import watching
from spooled import spans_of

from inspector.spooling import process_of

PROGRAM = """
import os, random, signal, sys, time, instrument, inspector
os.sched_setaffinity(0, {random.choice(list(os.sched_getaffinity(0)))})
recording = inspector.attach()
how, children, ledger = sys.argv[1], int(sys.argv[2]), os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def call(name):
    with instrument.around("tool_call", tool_name=name, args={"text": "x" * 300}, context=None):
        pass
    os.write(ledger, f"{os.getpid()} {name}\\n".encode())
def calls(part="a"):
    for n in range(20):
        call(f"{part}{n}")
        time.sleep(random.random() * 0.003)
def be_quiet():
    timely, disk = 0, os.open(sys.argv[3] + ".disk", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while timely < 5:
        began_ns = time.monotonic_ns()
        time.sleep(0.001)
        os.write(disk, b"x" * 300)
        timely = timely + 1 if time.monotonic_ns() - began_ns < 2_000_000 else 0
def begin():
    # The first call makes the file.
    call("first")
    recording.flush()
def kill_itself(number):
    begin()
    calls()
    be_quiet()
    os.kill(os.getpid(), number)
def be_stopped(heard, says):
    # The first process of a container: SIGTERM does nothing where no handler is set, and SIGKILL follows.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    begin()
    calls()
    os.write(says, b"ready")
    os.read(heard, 1)
    calls("b")
    be_quiet()
    os.write(says, b"ready")
    signal.pause()
def stop(pid, hears, tell):
    os.read(hears, 5)
    os.kill(pid, signal.SIGTERM)
    os.write(tell, b"1")
    os.read(hears, 5)
    os.kill(pid, signal.SIGKILL)
for _ in range(children):
    (heard, tell), (hears, says) = os.pipe(), os.pipe()
    pid = os.fork()
    if not pid:
        if how == "stop": be_stopped(heard, says)
        if how.isdecimal(): kill_itself(int(how))
        call("only")
        if how == "leave": sys.exit(7)
        break
    if how == "stop": stop(pid, hears, tell)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def ended_by_process(directory):
    """The names of the calls that ended, by the process that recorded them."""
    found = {}
    for path in sorted(directory.glob("*.jsonl")):
        process = int(process_of(path.name).split("-")[1])
        for span in spans_of(path.read_text().splitlines()):
            if "endTimeUnixNano" in span:
                found.setdefault(process, set()).add(span["name"].removeprefix("execute_tool "))
    return found


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("how", "code", "calls"),
    [
        (str(int(signal.SIGKILL)), -9, 21),
        (str(int(signal.SIGTERM)), -15, 21),
        ("stop", -9, 41),
        ("end", 0, 1),
        ("leave", 7, 1),
    ],
    ids=["kill -9", "SIGTERM", "docker stop", "end", "exit"],
)
def test_what_had_ended_before_is_in_the_file(tmp_path, how, code, calls):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, how, "8", str(tmp_path / "ledger")],
        env={**os.environ, **watching(), "INSPECTOR_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout.split(), done.stderr) == ([str(code)] * 8, "")
    ledger = {}
    lines = (tmp_path / "ledger").read_text().splitlines()
    for process, name in map(str.split, lines):
        ledger.setdefault(int(process), set()).add(name)
    assert len(lines) == 8 * calls
    assert ended_by_process(tmp_path / "spool") == ledger
