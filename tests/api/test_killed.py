"""What the next server of a home begins with: its owner was killed, or so was who recorded too."""

import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import pytest
from lists import walk_served

from inspector.store.sqlite import SqliteStore

SECRET = "a-secret-of-the-tests-only"
AGENT = """
import inspector
from instrument import around
recording = inspector.attach()
def call(name):
    return around("tool_call", tool_name=name, args={}, context=None)
with call("open"):
    for number in range(1_000_000):
        with call(f"ended{number}"):
            pass
        assert recording.flush()
        print(f"ended{number}", flush=True)
"""


def get(url):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {SECRET}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def is_ready(url):
    try:
        return get(f"{url}/readyz")["ready"]
    except urllib.error.HTTPError as error:
        error.close()
        return False


def processor_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def killed(settings, tmp_path, span):
    """A home with 5,000 spans, all of them in the log, as an owner leaves it that is killed before its checkpoint."""
    with_owner = tmp_path / "owned" / "inspector.db"
    store = SqliteStore(with_owner)
    for start in range(0, 5000, 500):
        store.write([span(start + at, attributes={"text": f"{at} some words of an answer " * 30}) for at in range(500)])
    shutil.copytree(with_owner.parent, settings.home, dirs_exist_ok=True)
    store.close()
    assert (settings.home / "inspector.db-wal").stat().st_size > 5 << 20
    return settings.home


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_next_server_is_ready_within_two_seconds_of_processor_time(killed, start_server, until):
    server = start_server()
    until(lambda: is_ready(server.url))
    # Of its own work, since a busy machine may take any time for it.
    assert processor_s(server.process.pid) < 2
    assert len(walk_served(get, f"{server.url}/events?limit=1000")) == 5000


def test_what_was_recorded_is_served_once_when_program_and_server_were_both_killed(
    settings, start_server, fork_python, until
):
    server = start_server()
    env = {**os.environ, "INSPECTOR_HOME": str(settings.home)}
    with fork_python("-c", AGENT, env=env, stdout=subprocess.PIPE, text=True) as program:
        ended = [program.stdout.readline().strip() for _ in range(30)]
        until(lambda: get(f"{server.url}/events")["items"])
        server.process.kill()
        ended += [program.stdout.readline().strip() for _ in range(30)]
        program.kill()
        ended += program.stdout.read().split()
    server.process.wait()
    server = start_server()
    until(lambda: get(f"{server.url}/events?status=lost")["items"])
    served = walk_served(get, f"{server.url}/events?limit=1000")
    assert [event["tool"] for event in served if event["status"] == "lost" and event["tool"] == "open"] == ["open"]
    times = Counter(event["tool"] for event in served)
    assert set(times.values()) == {1}
    assert set(ended) <= {event["tool"] for event in served if event["status"] == "ok"}
