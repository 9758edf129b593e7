"""A program whose disk is full ends as it would, and each of its calls is in the file or counted."""

import os
import shlex
import subprocess
import sys

import pytest
from emitted import watching
from spooled import spans_of

from inspector.spooling import read_unwritten_name

PROGRAM = """
import instrument, inspector
inspector.attach()
for n in range(400):
    with instrument.around("tool_call", tool_name="t", args={"text": "x" * 1000}, context=None):
        pass
print("done")
"""


@pytest.fixture
def on_small_disk(tmp_path):
    """Run a command in a namespace where ``home`` is a disk of its own; skips where the system allows none."""
    home = tmp_path / "home"
    home.mkdir()

    def run(size, command):
        mounting = f"mount -t tmpfs -o size={size},mode=700 tmpfs {shlex.quote(str(home))}"
        inside = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
        try:
            tried = subprocess.run([*inside, mounting], capture_output=True, check=False)
        except FileNotFoundError:
            pytest.skip("unshare is not installed")
        if tried.returncode:
            pytest.skip(f"no disk can be mounted: {tried.stderr.decode().strip()}")
        return subprocess.run(
            [*inside, f"{mounting} && {command}"],
            env={**os.environ, **watching(), "INSPECTOR_HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.mark.sweep(1)
@pytest.mark.parametrize("size", ["4k", "64k", "256k"])
def test_each_call_is_in_the_file_or_counted_as_not_written(on_small_disk, size):
    program = shlex.join([sys.executable, "-c", PROGRAM])
    done = on_small_disk(size, f'{program}; echo "code $?"; cd "$INSPECTOR_HOME/spool"; ls; cat *.jsonl')
    assert done.stderr == ""
    said, code, *rest = done.stdout.splitlines()
    assert (said, code) == ("done", "code 0")
    (unwritten,) = [found[2] for found in map(read_unwritten_name, rest) if found]
    written = {
        span["spanId"] for span in spans_of(line for line in rest if line.startswith("{")) if "endTimeUnixNano" in span
    }
    assert len(written) + unwritten == 400
    assert unwritten > 0
