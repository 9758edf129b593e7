"""Everything at once: half-open connections, listeners that never read, costly reads, and a program that records."""

import http.client
import json
import re
import socket
import sys
import threading
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

SECRET = "a-secret-of-the-tests-only"
BEARER = {"Authorization": f"Bearer {SECRET}"}
HEAVY = ("/stats?by=name&buckets=50", "/events?limit=1000&full=true")


@pytest.fixture
def stack():
    with ExitStack() as made:
        yield made


def ask(port, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = BEARER | ({"Content-Type": "application/json"} if body else {})
    connection.request("POST" if body else "GET", path, body, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def export_of(name):
    span = {
        "traceId": f"{7:032x}",
        "spanId": f"{7:016x}",
        "name": name,
        "startTimeUnixNano": "1800000000000000000",
        "endTimeUnixNano": "1800000000500000000",
    }
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})


@pytest.mark.slow
def test_half_open_deaf_and_greedy_clients_cut_nobody_and_cost_bounded_memory(
    start_server, store, span, stack, until, long
):
    half_open, listeners, deaf, readers, spans = (400, 500, 100, 200, 10_000) if long else (40, 50, 10, 30, 500)
    for first in range(0, spans, 500):
        store.write([span(first + at + 1, attributes={"text": f"{at} " * 400}) for at in range(500)])
    store.close()
    server = start_server()
    host, _, port = server.url.removeprefix("http://").partition(":")
    port = int(port)

    def connect(text):
        client = stack.enter_context(socket.create_connection((host, port), timeout=60))
        client.sendall(text)
        return client

    for _ in range(half_open):
        connect(b"GET / HTTP/1.1\r\nHost: x")
    head = f" HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {SECRET}\r\n\r\n"
    for _ in range(deaf):
        connect(f"GET /events/stream?after=0&full=true{head}".encode())
    hearing = [connect(f"GET /events/stream{head}".encode()) for _ in range(listeners - deaf)]
    for client in hearing:
        assert client.recv(8).startswith(b"HTTP/1.1")

    answers, lock = Counter(), threading.Lock()

    def read(path):
        for _ in range(3):
            status = ask(port, path)
            with lock:
                answers[status] += 1

    threads = [threading.Thread(target=read, args=(HEAVY[at % 2],)) for at in range(readers)]
    for each in threads:
        each.start()
    for _ in range(10):
        assert [ask(port, path) for path in ("/healthz", "/readyz", "/traces?limit=20", "/events?limit=50")] == [
            200
        ] * 4
    assert ask(port, "/v1/traces", export_of("recorded under pressure")) == 200
    for client in hearing:
        received = b""
        while b"recorded under pressure" not in received:
            part = client.recv(65536)
            assert part, "a listener that reads was cut off"
            received += part
    for each in threads:
        each.join()
    assert answers.total() == 3 * readers, "a reader was cut off"
    assert set(answers) <= {200, 503}
    assert answers[200]
    if long and sys.platform == "linux":
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        assert int(re.search(r"VmHWM:\s+(\d+)", status)[1]) < 300 << 10
    assert server.stop() == 0
    assert server.process.stderr.read() == ""
