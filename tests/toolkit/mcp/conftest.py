"""A travel desk's MCP server: its program, the ledger of what it did, and one that listens."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from toolkit.mcp import StdioServer

DESK = str(Path(__file__).parent / "programs" / "desk.py")
DEADLINE_S = 60


class Ledger:
    """What the desk's tools did, a line each."""

    def __init__(self, path):
        self.path = path
        path.touch()

    def lines(self):
        return [each for each in self.path.read_text().splitlines() if not each.startswith("pid ")]

    def pids(self):
        return [int(each[4:]) for each in self.path.read_text().splitlines() if each.startswith("pid ")]

    async def has(self, line):
        deadline = time.monotonic() + DEADLINE_S
        while line not in self.lines():
            assert time.monotonic() < deadline, f"no {line!r} in {self.lines()}"
            await asyncio.sleep(0.01)


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.txt")


@pytest.fixture
def desk(desk_of, fork_toolkit):
    """A desk that is started over stdio, saying to a file what it says on standard error."""
    return lambda **options: desk_of(fork_toolkit.stand_in, **options)


@pytest.fixture
def desk_anew(desk_of):
    """The same, in a process that starts as a user's does."""
    return lambda **options: desk_of(sys.executable, **options)


@pytest.fixture
def desk_of(tmp_path, ledger):
    def make(python, **options):
        env = {"DESK_LEDGER": str(ledger.path)} | options.pop("env", {})
        # On a loaded machine a fork may take longer than a person would wait.
        usual = {"stderr": tmp_path / "stderr.txt", "env": env, "start_timeout_s": 300.0}
        return StdioServer(python, [DESK], **(usual | options))

    return make


@pytest.fixture
def listening_desk(ledger, fork_toolkit):
    """Runs a desk that listens on a port, until the block ends."""

    @contextmanager
    def run(port):
        env = {**os.environ, "DESK_LEDGER": str(ledger.path)}
        with fork_toolkit(DESK, str(port), env=env, stderr=subprocess.DEVNULL) as process:
            try:
                wait_for_port(port, process)
                yield f"http://127.0.0.1:{port}/mcp"
            finally:
                process.kill()

    return run


def wait_for_port(port, process):
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.02)
        else:
            return


@pytest.fixture
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture
def is_alive():
    def look(pid):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True

    return look
