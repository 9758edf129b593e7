"""``inspector.api.serve`` in a process of its own, with OTLP over gRPC where a port is set."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECRET = "a-secret-of-the-tests-only"
_SERVE = """
from inspector.api import serve
from inspector.settings import Settings
serve(Settings(), on_ready=lambda ready: print(ready.url, ready.otlp_grpc, flush=True))
"""


@dataclass
class Served:
    """A server that runs."""

    process: "subprocess.Popen[str]"
    url: str
    grpc: str
    home: Path
    log: Path

    def largest_bytes(self) -> int:
        """The most memory it ever had."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) << 10

    def cpu_s(self) -> float:
        """The processor time it has used."""
        values = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def serving_home(
    fork_python: Callable[..., Any], home: Path, *, prelude: str = "", stop_s: float = 15, **environment: str
) -> Iterator[Served]:
    """Serve a home for as long as the block lasts; it has to end in order, unless the test ends it."""
    env = {**os.environ, "INSPECTOR_HOME": str(home), "INSPECTOR_PORT": "0", "INSPECTOR_TOKEN": SECRET}
    env |= {"INSPECTOR_RETENTION_DAYS": "36500", **environment}
    log = home.with_suffix(".log")
    with log.open("ab") as errors:
        process = fork_python("-c", prelude + _SERVE, env=env, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        line = process.stdout.readline().split()
        assert line, log.read_text()
        yield Served(process, line[0], line[1], home, log)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            assert process.wait(stop_s) == 0
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
