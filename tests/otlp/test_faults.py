"""A locked database, a full disk and a full queue: 503 with the time to come again, and all is well once they end."""

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager

import pytest

MIB = 1 << 20


def refused(answer):
    assert answer.status == 503
    assert int(answer.headers["retry-after"]) > 0
    assert answer.media_type == "application/x-protobuf"
    return answer.message


@pytest.mark.slow
def test_a_locked_database_is_answered_in_time_and_heals(serve_home, protobuf, tmp_path, until):
    home = tmp_path / "home"
    with serve_home(home, troubled=True) as server:
        assert server.post(protobuf(1)).status == 200
        with closing(sqlite3.connect(home / "inspector.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            for number in range(2, 5):
                began = time.monotonic()
                assert "locked by another process" in refused(server.post(protobuf(number)))
                # Then an exporter gives up by itself.
                assert time.monotonic() - began < 10
            other.execute("ROLLBACK")
        until(lambda: server.post(protobuf(2, 3, 4)).status == 200)
        assert server.span_ids() == [f"{number:016x}" for number in (1, 2, 3, 4)]


@contextmanager
def small_disk(place):
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def can_mount(place):
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True)
    if done.returncode == 0:
        subprocess.run(["umount", str(place)], check=True)
    return done.returncode == 0


def fill(server, protobuf):
    for number in range(1, 400):
        text = os.urandom(30_000).hex()
        answer = server.post(protobuf({"span_id": number, "attributes": {"text": text}}))
        if answer.status != 200:
            return number - 1, answer
    raise AssertionError("the disk never became full")


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts a small disk")
def test_a_full_disk_is_answered_and_heals_once_there_is_room(serve_home, protobuf, tmp_path, until):
    if not can_mount(tmp_path / "try"):
        pytest.skip("mounting is not allowed here")
    with small_disk(tmp_path / "disk") as disk, serve_home(disk / "home", troubled=True) as server:
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(2 * MIB))
        stored, answer = fill(server, protobuf)
        assert "no space left" in refused(answer) or "failed" in answer.message
        assert stored > 0
        assert len(server.span_ids()) == stored
        ballast.unlink()
        until(lambda: server.post(protobuf(1000)).status == 200)
        assert len(server.span_ids()) == stored + 1


FILES_OF_4_MIB = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
FILES_OF_4_MIB += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({4 * MIB}, resource.RLIM_INFINITY))\n"


@pytest.mark.skipif(sys.platform != "linux", reason="changes the limit of another process")
def test_a_file_that_may_not_grow_is_answered_and_heals(serve_home, protobuf, tmp_path, until):
    import resource

    with serve_home(tmp_path / "home", prelude=FILES_OF_4_MIB, troubled=True) as server:
        stored, answer = fill(server, protobuf)
        refused(answer)
        assert len(server.span_ids()) == stored > 0
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        until(lambda: server.post(protobuf(1000)).status == 200)
        assert len(server.span_ids()) == stored + 1


def test_a_process_that_only_reads_sends_elsewhere(serve_home, protobuf, tmp_path):
    from starlette.testclient import TestClient

    from inspector.api import Token, create_app
    from inspector.settings import Settings
    from inspector.store.sqlite import SqliteStore

    home = tmp_path / "home"
    with serve_home(home) as server:
        assert server.post(protobuf(1)).status == 200
        store = SqliteStore(home / "inspector.db", read_only=True)
        app = create_app(store, settings=Settings(home=home), token=Token("x" * 20))
        head = {"Authorization": f"Bearer {'x' * 20}", "Content-Type": "application/x-protobuf"}
        with TestClient(app, base_url="http://127.0.0.1:7800", headers=head) as client:
            answer = client.post("/v1/traces", content=protobuf(2))
        store.close()
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
