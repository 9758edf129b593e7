"""How long the server waits for a connection, and which ones give way, over real sockets and a clock of the test's."""

import asyncio
import errno
import logging
import random
import resource
import socket
import sys
from contextlib import ExitStack

import pytest

from inspector.api import Token, create_app
from inspector.api.network.connections import ConnectionLimits, Connections, acknowledged_bytes
from inspector.api.network.descriptors import RESERVED, connections_at_most
from inspector.api.read_scheduler import ReadBounds
from inspector.api.server import Server

SECRET = "a-secret-of-the-tests-only"


class Clock:
    now_s = 1000.0
    asked = 0

    def __call__(self):
        self.asked += 1
        return self.now_s


class Served:
    """A server with few places and a clock that stands still."""

    def __init__(self, port, app, connections, clock, stack):
        self.port, self.app, self.connections, self.clock, self.stack = port, app, connections, clock, stack

    def open(self, text=b""):
        client = self.stack.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=60))
        client.sendall(text.replace(b"HOST", b"127.0.0.1:%d" % self.port))
        return client

    def open_idle(self, until):
        """A connection that was answered and asks nothing more."""
        client = self.open(GET)
        read_answer(client)
        until(lambda: self.connections.idle)
        return client


def read_all(client):
    """Everything until the server closes."""
    received = b""
    try:
        while part := client.recv(65536):
            received += part
    except ConnectionResetError:
        pass
    return received


def read_answer(client):
    received = b""
    while b"\r\n\r\n" not in received:
        part = client.recv(65536)
        assert part, received
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    while len(body) < length:
        body += client.recv(65536)
    return head, body


GET = b"GET /healthz HTTP/1.1\r\nHost: HOST\r\n\r\n"
HALF = b"GET /healthz HTTP/1.1\r\nHost: x"
POST = (
    b"POST /v1/traces HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer " + SECRET.encode() + b"\r\n"
    b"Content-Type: application/json\r\nContent-Length: 10000\r\n\r\n"
)


@pytest.fixture
def served(store, settings, serve_app):
    """Serves with the limits that a test names."""
    with ExitStack() as stack:

        def serve(**limits):
            clock = Clock()
            connections = Connections(ConnectionLimits(**limits), now_s=clock)
            app = create_app(store, settings=settings, token=Token(SECRET))
            server = Server(app, connections, app.state.service.live, lambda: None, settings.server_file)
            port = stack.enter_context(serve_app(app, server))
            return Served(port, app, connections, clock, stack)

        yield serve


def test_a_request_whose_head_is_not_whole_in_time_is_closed(served, until):
    server = served()
    silent, half = server.open(), server.open(HALF)
    until(lambda: len(server.connections.half_open) == 2)
    server.clock.now_s += 9
    assert read_answer(server.open(GET))[0].startswith(b"HTTP/1.1 200")
    assert server.connections.ended.total() == 0
    server.clock.now_s += 1
    assert read_all(silent) == read_all(half) == b""
    assert server.connections.ended == {"head": 2}


def test_the_first_byte_of_a_further_request_begins_its_time(served, until):
    server = served()
    client = server.open_idle(until)
    server.clock.now_s += 50
    client.sendall(b"GET /hea")
    until(lambda: server.connections.half_open)
    server.clock.now_s += 9
    client.sendall(b"lthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port)
    assert read_answer(client)[0].startswith(b"HTTP/1.1 200")
    client.sendall(b"G")
    until(lambda: server.connections.half_open)
    server.clock.now_s += 10
    assert read_all(client) == b""
    assert server.connections.ended == {"head": 1}


def test_a_connection_that_asks_nothing_more_is_closed_after_a_minute(served, until):
    server = served()
    client = server.open_idle(until)
    server.clock.now_s += 60
    assert read_all(client) == b""
    assert server.connections.ended == {"idle": 1}


@pytest.mark.parametrize("further", [b"", b"GET /hea"])
def test_once_a_late_body_has_come_the_connection_waits_for_its_next_request(served, until, further):
    server = served()
    client = server.open(POST.replace(SECRET.encode(), b"wrong"))
    assert read_answer(client)[0].startswith(b"HTTP/1.1 401 ")
    until(lambda: server.connections.half_open)
    client.sendall(b" " * 10_000 + further)
    if further:
        until(lambda: not any(each.is_in("body") for each in set(server.connections.connections)))
        server.clock.now_s += 10
        assert read_all(client) == b""
        assert server.connections.ended == {"head": 1}
        return
    until(lambda: server.connections.idle)
    server.clock.now_s += 59
    client.sendall(GET.replace(b"HOST", b"127.0.0.1:%d" % server.port))
    assert read_answer(client)[0].startswith(b"HTTP/1.1 200")
    assert server.connections.ended.total() == 0


def test_a_connection_that_cannot_be_closed_in_order_is_dropped_and_the_others_live(served, until, caplog):
    def fail(_):
        raise RuntimeError("an odd state")

    server = served()
    odd = [server.open(HALF) for _ in range(2)]
    until(lambda: len(server.connections.half_open) == 2)
    for connection in list(server.connections.half_open):
        connection.overdue = fail
    late = server.open(HALF)
    until(lambda: len(server.connections.half_open) == 1)
    server.clock.now_s += 10
    assert [read_all(client) for client in (*odd, late)] == [b""] * 3
    assert read_answer(server.open(GET))[0].startswith(b"HTTP/1.1 200")
    assert server.connections.ended == {"head": 1}
    (said,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert "cannot close a connection in order" in said.getMessage()


def test_a_body_that_does_not_come_is_answered_408(served, until):
    server = served()
    client = server.open(POST + b"{")
    until(lambda: any(each.is_in("body") for each in set(server.connections.connections)))
    server.clock.now_s += 10
    answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"application/problem+json" in answer
    assert b"connection: close" in answer.lower()
    assert server.connections.ended == {"body": 1}


def test_a_head_request_whose_body_does_not_come_leaves_the_server_alone(served, until):
    server = served()
    reads = server.app.state.service.reads
    reads.running = reads.bounds.shares
    head = b"HEAD /stats?buckets=500 HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\nAuthorization: Bearer "
    client = server.open(head + SECRET.encode() + b"\r\n\r\n")
    until(lambda: reads.waiting)
    server.clock.now_s += 11
    assert read_all(client).startswith(b"HTTP/1.1 408")
    assert read_answer(server.open(GET))[0].startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("at_once", [True, False])
def test_what_is_no_chunk_behind_a_refused_request_writes_no_traceback(served, caplog, at_once):
    server = served()
    head = b"POST /v1/traces HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n"
    client = server.open(head + b"ZZ\r\n" if at_once else head)
    if not at_once:
        assert read_answer(client)[0].startswith(b"HTTP/1.1 401")
        client.sendall(b"ZZ\r\n")
    assert b"Traceback" not in read_all(client)
    assert read_answer(server.open(GET))[0].startswith(b"HTTP/1.1 200")
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_a_body_that_comes_too_slowly_is_answered_408_and_a_slow_one_is_not(served, until):
    server = served(body_bytes_s=100)
    slow, slower = server.open(POST), server.open(POST)
    until(lambda: sum(each.is_in("body") for each in set(server.connections.connections)) == 2)
    for second in range(1, 40, 3):
        for client, size in ((slow, 301), (slower, 200)):
            with_size = heard(server)
            try:
                client.sendall(b" " * size)
            except OSError:
                continue
            until(lambda was=with_size: heard(server) != was or server.connections.ended)
        server.clock.now_s += 3
        if second == 28:
            until(lambda: server.connections.ended)
    assert read_all(slower).startswith(b"HTTP/1.1 408 ")
    assert server.connections.ended == {"body": 1}
    assert any(each.is_in("body") for each in set(server.connections.connections))


def heard(server):
    return sorted(each.heard_bytes for each in set(server.connections.connections))


def test_a_body_that_nobody_waits_for_is_owed_like_a_head(served, until):
    server = served()
    client = server.open(POST.replace(SECRET.encode(), b"wrong"))
    assert read_answer(client)[0].startswith(b"HTTP/1.1 401 ")
    until(lambda: server.connections.half_open)
    for _ in range(9):
        server.clock.now_s += 1
        client.sendall(b" ")
    server.clock.now_s += 1
    assert read_all(client) == b""
    assert server.connections.ended == {"head": 1}


def test_who_takes_nothing_of_what_waits_for_it_is_closed(served, until, store, span):
    store.write([span(number, attributes={"text": "x" * 60_000}) for number in range(1, 200)])
    server = served(idle_s=1e9)
    ask = (
        b"GET /events?limit=200&full=true HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer %s\r\n\r\n" % SECRET.encode()
    )
    reader, _ = server.open(ask), server.open(ask)
    read_answer(reader)
    until(lambda: server.connections.idle)

    def is_closed_later():
        server.clock.now_s += 30
        return server.connections.ended

    until(is_closed_later)
    assert server.connections.ended == {"unread": 1}
    reader.sendall(GET.replace(b"HOST", b"127.0.0.1:%d" % server.port))
    assert read_answer(reader)[0].startswith(b"HTTP/1.1 200")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what the other side has taken")
def test_who_reads_slowly_but_steadily_is_not_closed(served, until, store, span):
    store.write([span(number, attributes={"text": "x" * 60_000}) for number in range(1, 200)])
    server = served()
    slow = socket.socket()
    # Little fits at the client, so that the server's side has to wait for each read of it.
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 10)
    slow.settimeout(10)
    slow.connect(("127.0.0.1", server.port))
    server.stack.callback(slow.close)
    ask = (
        b"GET /events?limit=200&full=true HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer %s\r\n\r\n" % SECRET.encode()
    )
    slow.sendall(ask.replace(b"HOST", b"127.0.0.1:%d" % server.port))
    until(lambda: sum(connection.transport.get_write_buffer_size() for connection in server.connections.connections))
    [connection] = server.connections.connections
    kernel, waits = connection.transport.get_extra_info("socket"), connection.transport.get_write_buffer_size()
    for _ in range(2):
        taken, swept = acknowledged_bytes(kernel), server.clock.asked
        while acknowledged_bytes(kernel) == taken:
            assert slow.recv(16 << 10)
        assert connection.transport.get_write_buffer_size() == waits
        server.clock.now_s += 50
        until(lambda swept=swept: server.clock.asked > swept + 1)
    assert server.connections.ended.total() == 0
    server.clock.now_s += 60
    until(lambda: server.connections.ended == {"unread": 1})


def test_who_takes_too_little_is_cut_off_without_a_word_where_others_wait(served, until, store, span, caplog):
    store.write([span(number, attributes={"text": "x" * 60_000}) for number in range(1, 200)])
    server = served()
    reads = server.app.state.service.reads
    reads.bounds = ReadBounds(unsent_bytes=1, least_bytes_s=1 << 20, look_s=0.01)
    reads.now_s = server.clock
    ask = (
        b"GET /events?limit=%d&full=true HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer "
        + SECRET.encode()
        + b"\r\n\r\n"
    )
    slow = server.open(ask % 200)
    until(lambda: reads.unsent)
    heavy = server.open(ask % 1)
    until(lambda: reads.waiting)
    server.clock.now_s += 30
    assert read_answer(heavy)[0].startswith(b"HTTP/1.1 200")
    assert server.connections.ended == {"unread": 1}
    assert len(read_all(slow)) < 12_000_000
    assert read_answer(server.open(GET))[0].startswith(b"HTTP/1.1 200")
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_single_events_wait_for_each_other_and_for_nobody_else(served, until, store, span):
    # Random, since what is packed well is small where it is kept.
    large = random.Random(0).randbytes(6 << 20).hex()
    store.write([span(1, attributes={"text": large}), span(2)])
    server = served()
    singles = server.app.state.service.single_reads
    singles.bounds = ReadBounds(unsent_bytes=1)
    ask = b"GET %s HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer " + SECRET.encode() + b"\r\n\r\n"
    slow = server.open(ask % b"/events/0000000000000001")
    until(lambda: singles.unsent)
    others = [server.open(ask % b"/events/0000000000000001") for _ in range(4)]
    until(lambda: singles.waiting == len(others))
    assert singles.unsent < len(large) + 10_000
    assert read_answer(server.open(ask % b"/events?full=true"))[0].startswith(b"HTTP/1.1 200")
    assert large.encode() in read_answer(slow)[1]
    for other in others:
        assert large.encode() in read_answer(other)[1]
    assert server.connections.ended.total() == 0


def test_half_open_connections_give_way_and_then_idle_ones_the_longest_first(served, until):
    server = served(most=4)
    idle = server.open(GET)
    read_answer(idle)
    halves = []
    for at in range(3):
        halves.append(server.open(HALF))
        until(lambda wanted=at + 1: len(server.connections.half_open) == wanted)
    for _ in range(3):
        client = server.open(GET)
        assert read_answer(client)[0].startswith(b"HTTP/1.1 200")
    assert [read_all(half) for half in halves] == [b""] * 3
    idle.sendall(GET.replace(b"HOST", b"127.0.0.1:%d" % server.port))
    assert read_answer(idle)[0].startswith(b"HTTP/1.1 200")
    assert server.connections.ended == {"gave_way": 3}


def test_a_request_without_a_place_is_answered_503(served):
    server = served(most=2)
    ask = b"GET /events/stream HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer %s\r\n\r\n" % SECRET.encode()
    streams = [server.open(ask) for _ in range(2)]
    for stream in streams:
        assert stream.recv(1000).startswith(b"HTTP/1.1 200")
    answer = read_all(server.open(GET))
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 2" in answer.lower()
    assert b"application/problem+json" in answer
    assert server.connections.ended.total() == 0
    assert server.connections.refused == 1


def test_what_cannot_be_accepted_makes_a_place_and_is_said_once_a_minute(caplog):
    clock = Clock()
    connections = Connections(now_s=clock)
    loop = asyncio.new_event_loop()
    context = {
        "message": "socket.accept() out of system resource",
        "exception": OSError(errno.EMFILE, "Too many open files"),
    }
    with caplog.at_level(logging.WARNING, "inspector.api"):
        for _ in range(1000):
            connections.on_failure(loop, context)
        clock.now_s += 60
        connections.on_failure(loop, context)
    loop.close()
    assert [record.getMessage() for record in caplog.records] == [
        (
            "cannot accept connections (Too many open files), 1 times so far; "
            "find who holds them, or allow more with: ulimit -n"
        ),
        (
            "cannot accept connections (Too many open files), 1001 times so far; "
            "find who holds them, or allow more with: ulimit -n"
        ),
    ]


def test_connections_leave_descriptors_for_the_database(monkeypatch):
    limits = [256, 256]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: limits.__setitem__(slice(None), wanted))
    assert connections_at_most() == 256 - RESERVED
    limits[:] = [256, 1024]
    assert connections_at_most() == 1024 - RESERVED
    assert limits == [1024, 1024]
    limits[:] = [1024, 1_000_000]
    assert connections_at_most() == 2000
    assert limits == [4096, 1_000_000]
    limits[:] = [40, 40]
    assert connections_at_most() == 10
