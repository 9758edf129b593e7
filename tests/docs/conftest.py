import os
import re
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from emitted import watching
from forking import INTERPRETER

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    language: str
    text: str


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def blocks():
    def read(page, language):
        return [Block(*found) for found in FENCE.findall((ROOT / page).read_text()) if found[0] == language]

    return read


@pytest.fixture(scope="module")
def environment(tmp_path_factory, fork_python, fork_recorded):
    """The environment of a newcomer: `inspector` and `toolkit` on the path, and a home that no other file fills.

    What the commands start by their interpreter is forked.
    """
    folder = tmp_path_factory.mktemp("bin")
    for name, module in (("inspector", "inspector.cli"), ("toolkit", "toolkit")):
        command = folder / name
        command.write_text(f'#!/bin/sh\nexec "{fork_python.stand_in}" -m {module} "$@"\n')
        command.chmod(0o755)
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("INSPECTOR_")}
    return {
        **inherited,
        "PATH": f"{folder}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        **watching(ROOT),
        INTERPRETER: fork_recorded.stand_in,
        "INSPECTOR_HOME": str(tmp_path_factory.mktemp("home")),
    }


@pytest.fixture
def run(environment, tmp_path):
    def run(*command, stdin=None, **more):
        return subprocess.run(
            command, env={**environment, **more}, cwd=tmp_path, input=stdin, capture_output=True, text=True, timeout=60
        )

    return run


@pytest.fixture
def unused_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture(scope="module")
def demo_address(environment):
    """Where a running `inspector demo` serves."""
    # Its output goes nowhere: nobody would empty a pipe.
    server = subprocess.Popen(
        ["inspector", "demo", "--port", "0"],
        env=environment,
        cwd=environment["INSPECTOR_HOME"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield _wait_for_address(Path(environment["INSPECTOR_HOME"]) / "server.json", server)
    finally:
        server.terminate()
        server.wait(timeout=10)


def _wait_for_address(file, server):
    deadline = time.monotonic() + 60
    while True:
        assert server.poll() is None and time.monotonic() < deadline, f"no {file}"
        if file.exists() and (found := re.search(r"127\.0\.0\.1:\d+", file.read_text())):
            return found.group()
        time.sleep(0.05)
