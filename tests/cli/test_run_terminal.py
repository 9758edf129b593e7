import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

WAIT_S = 30.0


@pytest.fixture
def as_terminal(environment):
    """Run a command line with a terminal of its own as stdin, stdout and stderr; stopped and killed at the end."""
    started = []

    def start(*command, **variables):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(command[0], command, environment | variables)
        started.append((pid, terminal))
        return Terminal(pid, terminal)

    yield start
    for pid, terminal in started:
        try:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(terminal)


class Terminal:
    def __init__(self, pid, fd):
        self.pid, self.fd, self.text = pid, fd, ""

    def until(self, words):
        deadline = time.monotonic() + WAIT_S
        while words not in self.text:
            ready, _, _ = select.select([self.fd], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no {words!r} in {self.text!r}"
            try:
                self.text += os.read(self.fd, 4096).decode()
            except OSError as error:
                raise AssertionError(f"the terminal closed before {words!r}: {self.text!r}") from error

    def write(self, data):
        os.write(self.fd, data)

    def status(self, options=0):
        return os.waitpid(self.pid, options)[1]

    def rest(self):
        while True:
            try:
                more = os.read(self.fd, 4096)
            except OSError:
                return self.text
            if not more:
                return self.text
            self.text += more.decode()


LISTENING = """
import os, signal, sys, time
def tell(number, frame):
    print(signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM: sys.exit(5)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH):
    signal.signal(number, tell)
# Each signal writes a byte, so that none is missed that arrives just before the program waits again.
received, written = os.pipe()
os.set_blocking(written, False)
signal.set_wakeup_fd(written)
print("ready", flush=True)
while True: os.read(received, 1)
"""


def test_each_signal_that_is_sent_to_us_reaches_the_program_once(start_inspector, script):
    process = start_inspector("run", script(LISTENING))
    assert process.stdout.readline() == b"ready\n"
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGTERM):
        process.send_signal(number)
        assert process.stdout.readline().decode().strip() == number.name
    assert process.wait(WAIT_S) == 5
    assert process.stdout.read() == b""


def test_ctrl_c_at_a_terminal_reaches_the_program_once(as_terminal, script):
    terminal = as_terminal(sys.executable, "-m", "inspector.cli", "run", script(LISTENING))
    terminal.until("ready")
    terminal.write(b"\x03")
    terminal.until("SIGINT")
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.until("nothing was recorded")
    assert os.waitstatus_to_exitcode(terminal.status()) == 5
    assert terminal.rest().count("SIGINT") == 1


def test_a_program_that_ctrl_c_ends_is_seen_to_end_by_it(as_terminal):
    terminal = as_terminal(
        sys.executable, "-m", "inspector.cli", "run", "-c", "print('ready', flush=True); import time; time.sleep(60)"
    )
    terminal.until("ready")
    terminal.write(b"\x03")
    terminal.until("nothing was recorded")
    assert os.WTERMSIG(terminal.status()) == signal.SIGINT
    assert terminal.rest().count("KeyboardInterrupt") == 1


# What the summary reads is a pipe, on which it waits.
SUMMARY_WAITS = """
import instrument, os, pathlib
directory = pathlib.Path(os.environ["INSPECTOR_RUN"].split(":", 3)[-1])
os.mkfifo(directory / "notices-0")
print(directory, flush=True)
raise SystemExit(3)
"""


def test_ctrl_c_during_the_summary_keeps_the_exit_code_of_the_program(start_inspector, script):
    process = start_inspector("run", script(SUMMARY_WAITS))
    directory = Path(process.stdout.readline().decode().strip())
    # Opening it waits for the reader.
    with (directory / "notices-0").open("wb"):
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_S) == 3
    assert process.stderr.read() == b""
    assert not directory.exists()


CTRL_C_IN = """
import sys
def interrupt(frame, event, argument):
    if event == "call" and frame.f_code.co_name == {name!r} and "inspector" in frame.f_code.co_filename:
        print("interrupted", flush=True)
        raise KeyboardInterrupt
sys.setprofile(interrupt)
"""


@pytest.mark.parametrize("name", ["_exit", "retire", "_note_frameworks"])
def test_ctrl_c_while_a_program_exits_prints_no_traceback_of_ours(run, script, call, name):
    done = run(script(call("add") + CTRL_C_IN.format(name=name)))
    assert (done.returncode, done.stdout) == (0, b"interrupted\n")
    first, *rest = done.stderr.decode().splitlines()
    assert first.startswith("inspector: recorded 1 call in 1 trace")
    assert "KeyboardInterrupt" not in "".join(rest)


def test_the_terminal_is_the_programs(as_terminal):
    show = (
        "import os, sys\n"
        "print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty(), os.tcgetpgrp(0) == os.getpgrp())\n"
        "print('you said', input('name? '))\n"
    )
    terminal = as_terminal(sys.executable, "-m", "inspector.cli", "run", "--quiet", "-c", show)
    terminal.until("name? ")
    terminal.write(b"Ada\n")
    assert "True True True True\r\n" in terminal.rest()
    assert "you said Ada" in terminal.text
    assert terminal.status() == 0


@pytest.mark.slow
def test_a_shell_can_stop_the_program_and_let_it_go_on(as_terminal, script, environment):
    steps = script("import sys\nprint('ready', flush=True)\nfor line in sys.stdin: print('got', line, flush=True)")
    terminal = as_terminal("/bin/bash", "--norc", "--noprofile", "-i", PS1="$ ", HISTFILE="/dev/null")
    terminal.until("$ ")
    terminal.write(f"{sys.executable} -m inspector.cli run --quiet {steps}\n".encode())
    terminal.until("ready")
    terminal.write(b"\x1a")
    terminal.until("Stopped")
    terminal.write(b"fg\n")
    terminal.write(b"hello\n")
    terminal.until("got hello")
    terminal.write(b"\x04")
    terminal.write(b"echo code=$?\n")
    terminal.until("code=0")


@pytest.mark.slow
def test_a_stdio_mcp_server_answers_byte_for_byte_as_it_does_alone(script, environment):
    server = script(
        "from mcp.server import MCPServer\n"
        "server = MCPServer('desk')\n"
        "@server.tool()\n"
        "def add(a: int, b: int) -> int:\n"
        "    'Adds.'\n"
        "    return a + b\n"
        "server.run()\n"
    )
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }

    def answers(*command):
        """Ask one thing after the other, as clients do: a server may drop what it was asked when its input ends."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen([sys.executable, *command], env=environment, **pipes) as process:

            def say(**message):
                process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
                process.stdin.flush()

            say(id=1, method="initialize", params=hello)
            first = process.stdout.readline()
            say(method="notifications/initialized")
            say(id=2, method="tools/list")
            second = process.stdout.readline()
            rest, _ = process.communicate(timeout=WAIT_S)
        return first, second, rest

    alone = answers(server)
    assert answers("-m", "inspector.cli", "run", "--logs", server) == alone
    assert [json.loads(line)["id"] for line in alone[:2]] == [1, 2]
    assert alone[2] == b""
