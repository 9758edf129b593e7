"""Where ``inspector export`` writes to."""

import os
import subprocess
import sys
import threading

import pytest

CALL = """
import inspector
from instrument import around
inspector.attach()
with around("tool_call", tool_name="add", args={}, context=None):
    pass
"""


@pytest.fixture
def recorded(environment):
    subprocess.run([sys.executable, "-c", CALL], env=environment, check=True)


@pytest.mark.usefixtures("recorded")
def test_a_pipe_stays_a_pipe(inspector, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert inspector("export", "--all", "-o", str(pipe)).returncode == 0
    assert pipe.is_fifo()
    reader.join(10)
    assert read[0].startswith(b'{"resourceSpans"')


@pytest.mark.usefixtures("recorded")
def test_a_link_stays_a_link_and_its_file_is_written(inspector, tmp_path):
    link, target = tmp_path / "link.jsonl", tmp_path / "target.jsonl"
    link.symlink_to(target)
    assert inspector("export", "--all", "-o", str(link)).returncode == 0
    assert link.is_symlink()
    assert target.read_bytes().startswith(b'{"resourceSpans"')
    assert target.stat().st_mode & 0o777 == 0o600
