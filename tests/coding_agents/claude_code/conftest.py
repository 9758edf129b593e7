"""What a real Claude Code (2.1.332) sent and wrote for one prompt, whose model was a script; texts are shortened.

It ran two commands (one failed), started a subagent that ran another, and was not allowed to write a file.
"""

import shutil
from pathlib import Path

import pytest

CAPTURED = Path(__file__).parent / "captured"


@pytest.fixture
def bodies(tmp_path) -> Path:
    """The directory of requests and answers."""
    return shutil.copytree(CAPTURED / "bodies", tmp_path / "bodies")


@pytest.fixture
def traces() -> bytes:
    """The request with its spans."""
    return (CAPTURED / "traces.json").read_bytes()


@pytest.fixture
def logs() -> bytes:
    """The request with its log records."""
    return (CAPTURED / "logs.json").read_bytes()
