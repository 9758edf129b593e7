"""One real server with hostile data in it, and how many requests it is to withstand."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

SECRET = "a-secret-of-the-tests-only"
MIB = 1 << 20
SERVE = """
import sys
from inspector.api import serve
from inspector.settings import Settings
serve(Settings(), on_ready=lambda ready: print(ready.url, ready.otlp_grpc, flush=True))
"""


@dataclass
class Besieged:
    """``inspector.api.serve`` in a process of its own, with OTLP over gRPC."""

    process: "subprocess.Popen[str]"
    host: str
    grpc: str
    home: Path
    log: Path

    def largest_bytes(self) -> int:
        """The most memory it ever had."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) << 10


@contextmanager
def besieged(fork_python: Callable[..., Any], home: Path) -> Iterator[Besieged]:
    env = {**os.environ, "INSPECTOR_HOME": str(home), "INSPECTOR_PORT": "0", "INSPECTOR_TOKEN": SECRET}
    env |= {"INSPECTOR_RETENTION_DAYS": "36500", "INSPECTOR_OTLP_GRPC_PORT": "0"}
    log = home.with_suffix(".log")
    with log.open("ab") as errors:
        process = fork_python("-c", SERVE, env=env, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        line = process.stdout.readline().split()
        assert line, log.read_text()
        yield Besieged(process, line[0].removeprefix("http://"), line[1].removeprefix("http://"), home, log)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, fork_python: Callable[..., Any]) -> Iterator[Besieged]:
    with besieged(fork_python, tmp_path_factory.mktemp("hostile") / "home") as running:
        yield running


@pytest.fixture(scope="session")
def many(long: bool) -> Callable[[int], int]:
    """How many of a kind are tried: the share of 50,000 with ``--long``, else one in a hundred of it."""
    return lambda share: share if long else max(20, share // 100)
