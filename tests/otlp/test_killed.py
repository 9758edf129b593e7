"""A server that is killed at any moment has lost nothing that it acknowledged, and stored nothing twice."""

import http.client
import random
import sqlite3
import threading
import time
from contextlib import closing

import pytest
from lists import walk_served
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

SECRET = "a-secret-of-the-tests-only"
SENDERS = 3
SPANS = 40


class Sender:
    """Sends requests one after the other, sends again what was not acknowledged, and remembers what was."""

    def __init__(self, number, protobuf):
        self.number = number
        self.protobuf = protobuf
        self.sent = 0
        self.acknowledged = 0
        self.refused = []

    def run(self, url, stop):
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
        head = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/x-protobuf"}
        with closing(connection):
            while not stop.is_set():
                try:
                    self.sent = self.acknowledged + 1
                    connection.request("POST", "/v1/traces", self.body(self.sent), head)
                    answer = connection.getresponse()
                    text = answer.read()
                except (OSError, http.client.HTTPException):
                    return
                if answer.status == 200 and not text:
                    self.acknowledged = self.sent
                elif answer.status != 503:
                    self.refused.append((answer.status, text))
                    return

    def ids(self, request):
        return [(self.number << 40 | request << 8 | at) for at in range(SPANS)]

    def body(self, request):
        attributes = {"gen_ai.tool.name": "search", "session.id": f"s{self.number}", "text": "x" * 500}
        trace = self.number << 40 | request
        return self.protobuf(*[{"span_id": n, "trace_id": trace, "attributes": attributes} for n in self.ids(request)])


def stored(database):
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def check(server, senders):
    expected = {}
    for sender in senders:
        assert sender.refused == []
        for request in range(1, sender.acknowledged + 1):
            expected[f"{sender.number << 40 | request:032x}"] = {f"{n:016x}" for n in sender.ids(request)}
    maybe = {f"{sender.number << 40 | sender.sent:032x}": sender for sender in senders}
    found = {}
    for event in walk_served(server.get, "/events?limit=1000"):
        found.setdefault(event["trace_id"], []).append(event["span_id"])
    for trace_id, ids in found.items():
        assert len(ids) == len(set(ids)), "stored twice"
        # A request that nobody was told about is there as a whole or not at all.
        assert len(ids) == SPANS
        assert trace_id in expected or trace_id in maybe
    for trace_id, ids in expected.items():
        assert set(found.get(trace_id, ())) == ids, "acknowledged and lost"
    sums = {trace["trace_id"]: trace["spans"] for trace in walk_served(server.get, "/traces?limit=1000")}
    assert sums == dict.fromkeys(found, SPANS)


def kill_again_and_again(serve_home, protobuf, home, *, kills, seed):
    chance = random.Random(seed)
    senders = [Sender(number, protobuf) for number in range(1, SENDERS + 1)]
    for _ in range(kills):
        with serve_home(home) as server:
            before = sum(sender.acknowledged for sender in senders)
            stop = threading.Event()
            threads = [threading.Thread(target=sender.run, args=(server.url, stop)) for sender in senders]
            for each in threads:
                each.start()
            wanted = before + chance.randrange(0, 12)
            deadline = time.monotonic() + 30
            while sum(sender.acknowledged for sender in senders) < wanted:
                assert time.monotonic() < deadline, [sender.refused for sender in senders]
                time.sleep(0.001)
            time.sleep(chance.random() * 0.05)  # the moment of death is the subject, not a wait for something
            server.kill()
            for each in threads:
                each.join()
            assert all(sender.refused == [] for sender in senders)
    stored(home / "inspector.db")
    with serve_home(home) as server:
        check(server, senders)
        # What was not acknowledged is sent again, as every exporter does.
        for sender in senders:
            assert server.post(sender.body(sender.sent)).body == b""
            sender.acknowledged = sender.sent
        check(server, senders)
    return sum(sender.acknowledged for sender in senders)


@pytest.mark.slow
def test_a_server_killed_at_any_moment_loses_nothing_and_repeats_nothing(serve_home, protobuf, tmp_path, long):
    kills = 100 if long else 10
    assert kill_again_and_again(serve_home, protobuf, tmp_path / "home", kills=kills, seed=1) >= kills


def test_acknowledged_logs_are_joined_by_the_next_server_when_theirs_was_killed(serve_home, protobuf, tmp_path, until):
    spans = range(1, 201)
    request = ExportLogsServiceRequest()
    records = request.resource_logs.add().scope_logs.add().log_records
    for span in spans:
        records.add(trace_id=bytes(15) + b"\1", span_id=span.to_bytes(8, "big"), event_name="a", time_unix_nano=1)
    with serve_home(tmp_path / "home") as server:
        assert server.post(protobuf(*spans)).status == 200
        assert server.export("/v1/logs", request.SerializeToString(), "application/x-protobuf").status == 200
        server.kill()
    stored(tmp_path / "home" / "inspector.db")
    with serve_home(tmp_path / "home") as server:
        path = "/events?limit=1000&full=true"
        until(lambda: [len(event["events"] or ()) for event in server.get(path)["items"]] == [1] * len(spans))
