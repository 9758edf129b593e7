"""The thread that forwards, alone."""

import contextlib
import errno
import logging
import os
import socket
import threading
import time

import pytest

from inspector.forward import Endpoint, Forwarder, Sender, take_lock

WAIT_S = 10.0


@pytest.fixture
def forwarder(segments, receiver):
    def make(directory=None, **options):
        sender = Sender(Endpoint.of(receiver.url), timeout_s=5)
        return Forwarder(directory or segments.directory, sender, flush=lambda: None, **options)

    return make


def test_after_one_has_ended_the_next_one_of_the_process_sends(forwarder, segments, receiver, line, span):
    for number in range(2):
        segments.write(line(span(number)), process=f"20261122T100000-{number}-00000001")
        each = forwarder()
        each.start()
        each.close(WAIT_S)
    assert receiver.names == ["span 0", "span 1"]


def test_an_error_that_comes_with_every_pass_is_logged_once(forwarder, tmp_path, monkeypatch, caplog):
    passes = []
    monkeypatch.setattr("inspector.forward.forwarder.take_lock", lambda *_: passes.append(1) or 1 / 0)
    with caplog.at_level(logging.WARNING, "mcp.inspector"):
        each = forwarder(tmp_path, poll_s=0.01)
        each.start()
        deadline_s = time.monotonic() + WAIT_S
        while len(passes) < 3 and time.monotonic() < deadline_s:
            time.sleep(0.01)
        each.close(WAIT_S)
    assert len(passes) >= 3
    assert len(caplog.records) == 1


def test_a_lock_whose_file_cannot_be_written_is_given_back(tmp_path, monkeypatch):
    with monkeypatch.context() as full, pytest.raises(OSError, match="No space"):
        full.setattr("os.write", no_space)
        take_lock(tmp_path, "http://127.0.0.1:1")
    lock = take_lock(tmp_path, "http://127.0.0.1:1")
    assert lock is not None
    lock.close()


def no_space(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_lock_that_the_program_closed_is_left_alone_and_taken_anew(tmp_path):
    lock = take_lock(tmp_path, "http://127.0.0.1:1")
    assert take_lock(tmp_path, "http://127.0.0.1:1") is None
    number = lock.fd()
    mine = os.open(tmp_path / "mine", os.O_RDWR | os.O_CREAT)
    os.dup2(mine, number)
    assert lock.is_lost
    lock.close()
    assert os.fstat(number).st_ino == os.fstat(mine).st_ino
    again = take_lock(tmp_path, "http://127.0.0.1:1")
    assert not again.is_lost
    again.close()
    os.close(number)
    os.close(mine)


def test_for_a_fork_it_has_no_thread_and_lets_another_process_send(forwarder, segments, receiver, line, span):
    each = forwarder()
    each.start()
    each.park()
    assert "inspector-forward" not in [thread.name for thread in threading.enumerate()]
    lock = take_lock(segments.directory, receiver.url)
    assert lock is not None
    lock.close()
    segments.write(line(span(1)), process="20261122T100000-1-00000001")
    each.unpark()
    each.close(WAIT_S)
    assert receiver.names == ["span 1"]
    each.unpark()
    assert "inspector-forward" not in [thread.name for thread in threading.enumerate()]


def test_what_waits_after_a_fork_is_sent_at_the_end_also_where_no_thread_can_be_started(
    forwarder, segments, receiver, line, span, monkeypatch
):
    each = forwarder()
    each.start()
    each.park()
    segments.write(line(span(1)), process="20261122T100000-1-00000001")

    start = threading.Thread.start

    def refuse(thread):
        if thread.name == "inspector-forward":
            raise RuntimeError("can't create new thread at interpreter shutdown")
        start(thread)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        each.close(WAIT_S)
    assert receiver.names == ["span 1"]


@pytest.fixture
def silent():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def waiting_for(server, segments, line, span):
    segments.write(line(span(1)), process="20261122T100000-1-00000001")
    sender = Sender(Endpoint.of(f"http://127.0.0.1:{server.getsockname()[1]}"), timeout_s=600)
    return Forwarder(segments.directory, sender, flush=lambda: None)


def test_a_fork_ends_a_request_that_hangs_which_is_no_failure_of_the_receivers(silent, segments, line, span, caplog):
    each = waiting_for(silent, segments, line, span)
    with caplog.at_level(logging.WARNING, "mcp.inspector"):
        for _ in range(2):
            each.start()
            connection, _ = silent.accept()
            with connection:
                assert connection.recv(4) == b"POST"
                each.park()
                assert "inspector-forward" not in [thread.name for thread in threading.enumerate()]
    each.close(0)
    assert caplog.messages == []


def test_a_fork_ends_the_wait_for_a_connection(silent, segments, line, span):
    silent.listen(0)
    address = silent.getsockname()
    with socket.create_connection(address), contextlib.ExitStack() as others:
        for _ in range(4):
            other = others.enter_context(socket.socket())
            other.setblocking(False)
            other.connect_ex(address)
        each = waiting_for(silent, segments, line, span)
        each.start()
        connects = each._sender._connection
        while connects._socket is None:
            os.sched_yield()
        each.park()
        assert "inspector-forward" not in [thread.name for thread in threading.enumerate()]
    each.close(0)


def test_a_fork_does_not_wait_for_a_name_that_is_looked_up(silent, segments, line, span, monkeypatch):
    asked, answer = threading.Event(), threading.Event()
    find = socket.getaddrinfo

    def slow(*args, **options):
        asked.set()
        answer.wait(WAIT_S)
        return find(*args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    monkeypatch.setattr("inspector.forward.forwarder._PARK_S", 3600)
    each = waiting_for(silent, segments, line, span)
    each.start()
    assert asked.wait(WAIT_S)
    each.park()
    answer.set()
    connection, _ = silent.accept()
    with connection:
        assert connection.recv(4) == b"POST"
    each.park()
    each.close(0)


def test_what_a_program_closed_is_not_cut(silent, segments, line, span):
    each = waiting_for(silent, segments, line, span)
    each.start()
    connection, _ = silent.accept()
    with connection:
        assert connection.recv(4) == b"POST"
        mine, other = socket.socketpair()
        with mine, other:
            number = os.dup2(mine.fileno(), each._sender._connection._socket.fileno())
            assert each._sender.cut()
            each._sender.mend()
            mine.send(b"whole")
            assert other.recv(5) == b"whole"
    each.park()
    each.close(0)
    os.close(number)
