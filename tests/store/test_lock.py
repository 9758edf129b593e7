import json
import os
import subprocess
import sys
import time
import warnings
from types import SimpleNamespace

import pytest

from inspector.store import OwnedElsewhere, OwnerLock, StoreReadOnly

HOLD = """
import sys
from pathlib import Path
from inspector.store import OwnerLock
lock = OwnerLock(Path(sys.argv[1]))
lock.acquire(sys.argv[2] or None)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "owner.lock"


@pytest.fixture
def hold(path):
    """Starts a process that owns the lock until it is told to end."""
    started = []

    def start(url=""):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path), url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=10)


def test_one_owner_at_a_time_and_others_learn_how_to_reach_it(path, hold):
    owner = hold("http://127.0.0.1:7800")
    with pytest.raises(
        OwnedElsewhere, match=rf"process {owner.pid}.*serves http://127.0.0.1:7800.*kill {owner.pid}"
    ) as refused:
        OwnerLock(path).acquire()
    assert (refused.value.pid, refused.value.url) == (owner.pid, "http://127.0.0.1:7800")


def test_an_owner_without_a_server_is_named_by_its_process(path, hold):
    owner = hold()
    with pytest.raises(OwnedElsewhere, match=f"stop it with: kill {owner.pid}"):
        OwnerLock(path).acquire()


def test_the_lock_is_free_once_its_owner_is_killed(path, hold):
    owner = hold()
    owner.kill()
    owner.wait(10)
    with OwnerLock(path) as lock:
        assert lock.held
    assert not lock.held


@pytest.mark.slow
def test_a_command_that_ends_meanwhile_is_waited_for(path, hold, monkeypatch):
    owner = hold()
    waits = []

    def rest(seconds):
        waits.append(seconds)
        owner.kill()
        owner.wait(10)

    monkeypatch.setattr("inspector.store.lock.time", SimpleNamespace(monotonic=time.monotonic, sleep=rest))
    with pytest.raises(OwnedElsewhere):
        OwnerLock(path).acquire()
    assert waits == []
    lock = OwnerLock(path)
    lock.acquire(wait_s=60)
    assert len(waits) == 1
    assert lock.held
    lock.release()


def test_a_server_is_not_waited_for(path, hold, monkeypatch):
    hold("http://127.0.0.1:7800")
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: pytest.fail("it waited"))
    monkeypatch.setattr("inspector.store.lock.time", clock)
    with pytest.raises(OwnedElsewhere):
        OwnerLock(path).acquire(wait_s=60)


def test_releasing_lets_the_next_one_in(path):
    first, second = OwnerLock(path), OwnerLock(path)
    first.acquire("http://a")
    with pytest.raises(OwnedElsewhere):
        second.acquire()
    first.release()
    first.release()
    second.acquire()
    second.close()


def test_the_owner_announces_where_it_serves_once_it_knows(path):
    lock = OwnerLock(path)
    lock.announce("http://too-early")
    lock.acquire()
    lock.acquire("http://127.0.0.1:1")
    lock.announce("http://127.0.0.1:2")
    assert json.loads(path.read_text()) == {"pid": os.getpid(), "url": "http://127.0.0.1:2"}
    lock.release()
    assert path.read_text() == "{}"


def test_children_do_not_inherit_the_lock(path):
    lock = OwnerLock(path)
    lock.acquire()
    ready, go = os.pipe(), os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns of forks beside threads, which a parallel test runner has; the child does nothing.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.write(ready[1], b"1" if lock.held else b"0")
        os.read(go[0], 1)
        os._exit(0)
    try:
        assert os.read(ready[0], 1) == b"0"
        lock._drop()
        with OwnerLock(path) as next_owner:
            assert next_owner.held
    finally:
        os.write(go[1], b"x")
        os.waitpid(child, 0)
        for end in (*ready, *go):
            os.close(end)


@pytest.mark.parametrize("text", ["", "junk", "[1]", '{"pid": "x", "url": 3}', "\x00" * 50])
def test_an_unreadable_announcement_is_no_obstacle(path, text):
    owner = OwnerLock(path)
    owner.acquire()
    path.write_text(text)
    with pytest.raises(OwnedElsewhere, match="another process") as refused:
        OwnerLock(path).acquire()
    assert refused.value.pid is None
    owner.release()


def test_the_lock_file_is_private_whatever_the_umask(path):
    before = os.umask(0)
    try:
        with OwnerLock(path):
            assert path.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def test_a_lock_file_that_is_a_link_or_out_of_reach_is_refused(path, tmp_path):
    (tmp_path / "target").touch()
    path.symlink_to(tmp_path / "target")
    with pytest.raises(StoreReadOnly, match="lock file"):
        OwnerLock(path).acquire()
    with pytest.raises(StoreReadOnly, match="No such file"):
        OwnerLock(tmp_path / "nowhere" / "owner.lock").acquire()
