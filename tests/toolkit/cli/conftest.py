"""The real command, in a process of its own and in a folder of its own."""

import os
import subprocess
from pathlib import Path

import pytest
from emitted import watching

ROOT = Path(__file__).parents[3]


@pytest.fixture
def environment(tmp_path):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("INSPECTOR_", "OPENAI_"))}
    return kept | {"INSPECTOR_HOME": str(tmp_path / "inspector"), **watching(ROOT), "NO_PROXY": "127.0.0.1"}


@pytest.fixture
def toolkit(fork_toolkit, environment, tmp_path):
    """Run the command; what it printed, what it complained about, and its exit code."""

    def run(*arguments, stdin=None):
        streams = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        streams["stdin"] = subprocess.DEVNULL if stdin is None else subprocess.PIPE
        command = ("-m", "toolkit", *map(str, arguments))
        # As the settings of cards name the interpreter of their servers.
        env = environment | {"PYTHON": fork_toolkit.stand_in}
        with fork_toolkit(*command, env=env, cwd=tmp_path, text=True, **streams) as process:
            try:
                out, err = process.communicate(stdin, timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return out, err, process.returncode

    return run
