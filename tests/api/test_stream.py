"""Live events over a real socket: from now on, from where one left off, and honestly when something was skipped."""

import asyncio
import json
import socket
import struct
import time
from contextlib import closing

import pytest

from inspector.api import LiveLimits, create_app
from inspector.api.listeners import Listener, gap_frame, span_frame
from inspector.api.live import CATCH_UP_BYTES, Live
from inspector.api.network.connections import Connections
from inspector.api.server import Server
from inspector.model import Filter
from inspector.store import QueryTooSlow, ReadLimits, StoreBusy
from inspector.store.sqlite import SqliteStore

SECRET = "a-secret-of-the-tests-only"


class Reader:
    def __init__(self, port, query="", headers=()):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        lines = [
            f"GET /events/stream{query} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            f"Authorization: Bearer {SECRET}",
            *headers,
        ]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while (line := self.file.readline().strip()) != b"":
            name, _, value = line.decode().partition(": ")
            self.headers[name.lower()] = value
        self.pending = b""

    def block(self):
        while b"\n\n" not in self.pending:
            size = int(self.file.readline(), 16)
            if size == 0:
                return None
            self.pending += self.file.read(size)
            self.file.readline()
        found, _, self.pending = self.pending.partition(b"\n\n")
        return found.decode()

    def event(self):
        deadline = time.monotonic() + 20
        while (found := self.block()) is not None:
            assert time.monotonic() < deadline, "no event came"
            fields = dict(line.partition(": ")[::2] for line in found.split("\n"))
            if "event" in fields:
                return fields["event"], int(fields["id"]), json.loads(fields["data"])
        return None

    def close(self):
        self.file.close()
        self.socket.close()

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()


@pytest.fixture
def live_app(store, settings):
    return create_app(store, settings=settings, limits=LiveLimits(poll_s=0.01, heartbeat_s=0.1))


@pytest.fixture(params=["inspector", "uvicorn"])
def port(live_app, serve_app, settings, request):
    """Where our own server serves the streams, which writes to connections itself, and then one that does not."""
    live = live_app.state.service.live
    own = Server(live_app, Connections(), live, lambda: None, settings.server_file)
    with serve_app(live_app, own if request.param == "inspector" else None) as number:
        yield number
        live.close()


def fail_below(monkeypatch, position, error):
    """Make reading fail wherever it begins before ``position``."""
    read = SqliteStore.after

    def after(self, seq, where, **options):
        if seq < position:
            raise error
        return read(self, seq, where, **options)

    monkeypatch.setattr(SqliteStore, "after", after)


def names(reader, count):
    return [reader.event()[2]["name"] for _ in range(count)]


def test_a_new_client_sees_what_comes_and_not_what_was(port, store, span):
    store.write([span(1, name="before")])
    reader = Reader(port)
    assert reader.status == 200
    assert reader.headers["content-type"].startswith("text/event-stream")
    store.write([span(2, name="after")])
    kind, seq, event = reader.event()
    assert (kind, event["name"], event["seq"]) == ("span", "after", seq)
    assert "attributes" not in event
    reader.close()


def test_a_span_is_sent_when_it_starts_and_when_it_ends(port, store, span):
    reader = Reader(port)
    store.write([span(1, status="running", end_ns=None)])
    first = reader.event()
    store.write([span(1)])
    second = reader.event()
    assert [first[2]["status"], second[2]["status"]] == ["running", "ok"]
    assert second[1] > first[1]
    reader.close()


def test_the_last_event_id_resumes_without_loss_or_repeat(port, store, span):
    first = Reader(port)
    store.write([span(1, name="one")])
    _, seen, _ = first.event()
    first.close()
    store.write([span(number, name=f"missed {number}") for number in range(2, 1203)])
    again = Reader(port, "?after=0", [f"Last-Event-ID: {seen}"])
    found = [again.event() for _ in range(1201)]
    assert [event[2]["name"] for event in found] == [f"missed {number}" for number in range(2, 1203)]
    assert [event[1] for event in found] == sorted(event[1] for event in found)
    store.write([span(2000, name="live again")])
    assert names(again, 1) == ["live again"]
    again.close()


def test_after_zero_sends_everything_there_is(port, store, run):
    store.write(run)
    reader = Reader(port, "?after=0&full=true")
    found = [reader.event()[2] for _ in run]
    assert {event["span_id"] for event in found} == {each.span_id for each in run}
    llm = next(event for event in found if event["kind"] == "llm")
    assert llm["output"] == [{"role": "assistant"}]
    reader.close()


def test_large_events_in_full_are_all_sent(store, settings, serve_app, span, until):
    store.write([span(number, name=f"{number}") for number in range(1, 6)])
    one_at_a_time = SqliteStore(settings.database, read_only=True, limits=ReadLimits(full_bytes=1))
    app = create_app(one_at_a_time, settings=settings, limits=LiveLimits(poll_s=0.01, heartbeat_s=0.1))
    with closing(one_at_a_time), serve_app(app) as port:
        reader = Reader(port, "?after=0&full=true")
        assert names(reader, 5) == ["1", "2", "3", "4", "5"]
        until(lambda: app.state.service.live._groups)
        store.write([span(number, name=f"{number}") for number in range(6, 11)])
        assert names(reader, 5) == ["6", "7", "8", "9", "10"]
        reader.close()
        app.state.service.live.close()


def test_what_a_client_catches_up_with_is_read_as_it_is_taken(store, span):
    store.write([span(number, attributes={"text": "x" * 50_000}) for number in range(1, 400)])

    async def catch_up(full):
        live = Live(lambda: store)
        return [len(part) async for part in live.missed(Filter(), full=full, after=0, until=store.last_seq())]

    for full, most in ((True, CATCH_UP_BYTES + 60_000), (False, 100_000)):
        sizes = asyncio.run(catch_up(full))
        assert sizes[::2] == [0] * (len(sizes) // 2), "before each part it is waited for that the client takes the last"
        assert len(sizes) > 6
        assert max(sizes) < most


def test_only_what_matches_is_sent(port, store, span):
    reader = Reader(port, "?kind=llm&attr.k=v")
    store.write([span(1), span(2, kind="llm"), span(3, kind="llm", attributes={"k": "v"}, name="this")])
    assert names(reader, 1) == ["this"]
    reader.close()


def test_a_text_filter_sees_a_span_as_soon_as_search_knows_it(port, store, span):
    reader = Reader(port, "?q=zebra")
    text = {"input_key": "k", "attributes": {"k": '"a zebra"'}}
    store.write([span(1, **text, name="found"), span(2)])
    while store.index():
        pass
    assert names(reader, 1) == ["found"]
    store.write([span(3, **text, name="again")])
    while store.index():
        pass
    assert names(reader, 1) == ["again"]
    reader.close()


def test_a_text_filter_does_not_sum_up_the_store_at_each_commit(port, store, span, monkeypatch):
    def fail(_):
        raise AssertionError("the sums of all traces were read")

    monkeypatch.setattr(SqliteStore, "health", fail)
    reader = Reader(port, "?q=zebra")
    store.write([span(1, name="a zebra")])
    store.index()
    assert reader.event()[2]["name"] == "a zebra"
    reader.close()


@pytest.mark.sweep(1)
def test_nothing_is_lost_while_a_client_joins(port, store, span):
    store.write([span(number, name=f"{number}") for number in range(1, 700)])
    reader = Reader(port, "?after=0")
    for number in range(700, 900):
        store.write([span(number, name=f"{number}")])
    assert names(reader, 899) == [f"{number}" for number in range(1, 900)]
    reader.close()


def test_a_position_of_another_database_is_answered_with_a_gap(port, store, span):
    store.write([span(1)])
    reader = Reader(port, "", ["Last-Event-ID: 5000"])
    last = store.last_seq()
    assert reader.event() == ("gap", last, {"from": 0, "to": last})
    store.write([span(2, name="next")])
    assert names(reader, 1) == ["next"]
    reader.close()


def replaced(store, settings):
    """Moves the database away under the store, which makes another one at the next write."""
    for file in settings.home.glob("inspector.db*"):
        file.rename(settings.home / f"away-{file.name}")
    with pytest.raises(StoreBusy, match="repeat the write"):
        store.write([])


@pytest.mark.sweep(2)
@pytest.mark.parametrize("query", ["", "?q=work"])
def test_streams_begin_anew_where_the_database_was_replaced(port, store, settings, span, query):
    reader = Reader(port, query)
    store.write([span(number, name=f"work {number}") for number in range(1, 51)])
    store.index()
    assert names(reader, 50) == [f"work {number}" for number in range(1, 51)]
    replaced(store, settings)
    assert reader.event() == ("gap", 0, {"from": 0, "to": 0})
    late = Reader(port, query)
    store.write([span(51, name="work 51")])
    store.index()
    assert reader.event()[1:2] + late.event()[1:2] == (1, 1)
    late.close()
    reader.close()


def test_who_caught_up_with_a_replaced_database_hears_of_the_next_one(store, settings, span):
    async def scenario():
        store.write([span(number) for number in range(1, 51)])
        live = Live(lambda: store, LiveLimits(poll_s=0.01))
        await live.last_seq()
        listener = live.join(Filter(), full=False, position=50, reach=50)
        replaced(store, settings)
        await asyncio.wait_for(listener.news.wait(), 60)
        assert listener.take() == gap_frame(0, 0)
        store.write([span(51)])
        await asyncio.wait_for(listener.news.wait(), 60)
        assert b"id: 1\n" in listener.take()
        live.leave(listener)
        live.close()

    asyncio.run(scenario())


def test_who_was_woken_by_a_commit_hears_of_a_database_that_ends_where_the_first_began(store, settings, span):
    async def scenario():
        live = Live(lambda: store, LiveLimits(poll_s=1))
        listener = live.join(Filter(), full=False, position=0, reach=0)
        await live.last_seq()
        store.write([span(number) for number in range(1, 51)])
        live.wake()
        await asyncio.wait_for(listener.news.wait(), 60)
        assert b"id: 50\n" in listener.take()
        # Looks are taken in turn: what the commit woke has looked by then.
        for _ in range(3):
            await live.last_seq()
        replaced(store, settings)
        await asyncio.wait_for(listener.news.wait(), 60)
        assert listener.take() == gap_frame(0, 0)
        live.leave(listener)
        live.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("error", [QueryTooSlow("2 s"), ValueError("odd row")])
def test_what_cannot_be_read_while_catching_up_is_a_gap(port, store, span, monkeypatch, error):
    store.write([span(1), span(2)])
    last = store.last_seq()
    fail_below(monkeypatch, last, error)
    reader = Reader(port, "?after=0")
    assert reader.event() == ("gap", last, {"from": 1, "to": last})
    store.write([span(3, name="next")])
    assert names(reader, 1) == ["next"]
    reader.close()


@pytest.mark.parametrize("error", [QueryTooSlow("2 s"), ValueError("odd row")])
def test_what_cannot_be_read_live_is_a_gap(port, live_app, store, span, until, monkeypatch, error):
    store.write([span(1)])
    first = store.last_seq() + 1
    reader = Reader(port)
    until(lambda: live_app.state.service.live._groups)
    fail_below(monkeypatch, first, error)
    store.write([span(2)])
    assert reader.event() == ("gap", first, {"from": first, "to": first})
    store.write([span(3, name="next")])
    assert names(reader, 1) == ["next"]
    reader.close()


@pytest.mark.parametrize("error", [StoreBusy("locked"), ValueError("odd")])
def test_a_stream_goes_on_when_looking_for_news_failed(port, live_app, store, span, until, monkeypatch, error):
    looked = []

    def fail(self):
        looked.append(1)
        raise error

    reader = Reader(port)
    until(lambda: live_app.state.service.live._groups)
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "last_seq", fail)
        until(lambda: len(looked) > 1)
    store.write([span(1, name="next")])
    assert names(reader, 1) == ["next"]
    reader.close()


@pytest.mark.parametrize("error", [StoreBusy("locked"), ValueError("odd")])
def test_a_text_stream_goes_on_when_its_reach_cannot_be_read(port, live_app, store, span, until, monkeypatch, error):
    looked = []

    def fail(self):
        looked.append(1)
        raise error

    reader = Reader(port, "?q=zebra")
    until(lambda: live_app.state.service.live._groups)
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "indexed_seq", fail)
        store.write([span(1, name="found", input_key="k", attributes={"k": '"a zebra"'})])
        while store.index():
            pass
        until(lambda: len(looked) > 1)
    assert names(reader, 1) == ["found"]
    reader.close()


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "9223372036854775808", "1 2", "%00"])
def test_a_bad_last_event_id_is_refused_by_name(client, problem, value):
    answer = client.get("/events/stream", headers={"Last-Event-ID": value})
    assert answer.status_code == 422
    assert problem(answer)["parameter"] == "Last-Event-ID"


def test_a_quiet_stream_is_kept_alive_and_tells_when_to_come_back(port):
    reader = Reader(port)
    assert reader.block() == "retry: 2000"
    assert reader.block() == ": still here"
    reader.close()


def test_recorded_text_cannot_forge_a_line(port, store, span):
    forged = "x\n\nevent: span\nid: 9\ndata: {}\r\n\r\u2028"
    reader = Reader(port, "?full=true")
    store.write(
        [span(1, name=forged, session_id=forged, input_key="k", attributes={"k": '{\n\n"a":\r\n1}', forged: forged})]
    )
    kind, seq, event = reader.event()
    assert (kind, seq) == ("span", store.last_seq())
    assert event["name"] == forged
    assert event["input"] == {"a": 1}
    assert event["attributes"][forged] == forged
    reader.close()


@pytest.mark.sweep(1)
def test_a_slow_client_gets_a_gap_and_the_others_everything(port, live_app, store, span, until):
    live = live_app.state.service.live
    slow = Reader(port)
    quick = Reader(port)
    until(lambda: sum(len(group.listeners) for group in live._groups.values()) == 2)
    text = "x" * 4000
    got = []
    for batch in range(40):
        store.write([span(1 + batch * 100 + each, name=f"{text}{batch}") for each in range(100)])
        got += [quick.event() for _ in range(100)]
        waiting = [each._size for group in live._groups.values() for each in group.listeners]
        assert max(waiting) <= 64 << 10
    assert [event[0] for event in got] == ["span"] * 4000
    found = []
    while not found or found[-1][0] == "span":
        found.append(slow.event())
    gap = found[-1]
    assert gap[2]["from"] == found[-2][1] + 1
    assert gap[1] == gap[2]["to"]
    assert gap[2]["to"] <= store.last_seq()
    slow.close()
    quick.close()


def test_an_event_larger_than_the_buffer_is_sent_alone():
    async def scenario():
        listener = Listener(0, 100)
        listener.offer(1, b"x" * 500)
        listener.offer(2, b"y")
        listener.offer(3, b"y")
        assert listener.take() == b"x" * 500 + gap_frame(2, 3)
        listener.offer(4, b"z")
        assert listener.take() == b"z"
        assert listener.take() == b""

    asyncio.run(scenario())


def test_what_a_client_has_had_is_not_sent_again():
    async def scenario():
        listener = Listener(7, 100)
        listener.offer(7, b"old")
        listener.offer(8, b"new")
        assert listener.take() == b"new"

    asyncio.run(scenario())


def test_frames_are_those_of_the_standard():
    assert span_frame(5, b'{"a":1}') == b'event: span\nid: 5\ndata: {"a":1}\n\n'
    assert gap_frame(1, 4) == b'event: gap\nid: 4\ndata: {"from":1,"to":4}\n\n'


def test_too_many_streams_are_refused_until_one_ends(store, settings, serve_app, until):
    app = create_app(store, settings=settings, limits=LiveLimits(clients=2, poll_s=0.01))
    with serve_app(app) as port:
        first, second, third = Reader(port), Reader(port), Reader(port)
        assert [first.status, second.status, third.status] == [200, 200, 503]
        assert third.headers["retry-after"]
        first.reset()
        until(lambda: app.state.service.live.clients == 1)
        fourth = Reader(port)
        assert fourth.status == 200
        app.state.service.live.close()
        for reader in (second, third, fourth):
            reader.close()


@pytest.mark.sweep(1)
def test_a_thousand_aborted_opens_leak_nothing(port, live_app, until, every):
    live = live_app.state.service.live
    for number in range(1000 if every else 100):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            head = f"GET /events/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {SECRET}\r\n\r\n"
            client.sendall(head.encode())
            if number % 3 == 0:
                client.recv(10)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    until(lambda: live.clients == 0 and not live._groups and not live._tasks)
    reader = Reader(port)
    assert reader.status == 200
    reader.close()


def test_an_answer_that_never_begins_holds_no_slot(store, settings):
    from inspector.api.routes.stream import EventStream

    live = Live(lambda: store)
    answers = [EventStream(live, Filter(), full=False, after=0) for _ in range(100)]
    assert live.clients == 0
    del answers


def test_a_head_request_ends_at_once(client):
    answer = client.head("/events/stream")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")


def test_streams_end_when_the_server_stops(store, settings, serve_app):
    app = create_app(store, settings=settings)
    with serve_app(app) as port:
        reader = Reader(port)
        reader.block()
        app.state.service.live.close()
        while reader.block() is not None:
            pass
        refused = Reader(port)
        assert refused.status == 503
        refused.close()
        reader.close()


def test_a_commit_of_this_process_is_sent_without_waiting_for_the_next_look(settings, serve_app, owner, span, until):
    app = create_app(owner.store, settings=settings, owner=owner, limits=LiveLimits(poll_s=600.0))
    live = app.state.service.live
    with serve_app(app) as port:
        reader = Reader(port)
        until(lambda: live._groups)
        began = time.monotonic()
        owner.store.write([span(1, name="committed")])
        live.wake()
        assert names(reader, 1) == ["committed"]
        assert time.monotonic() - began < 60
        live.close()
        reader.close()


def test_a_commit_of_this_process_costs_one_look(store, span, monkeypatch):
    looks = []
    look = SqliteStore.last_seq
    monkeypatch.setattr(SqliteStore, "last_seq", lambda self: looks.append(1) or look(self))

    async def scenario():
        live = Live(lambda: store, LiveLimits(poll_s=600.0))
        listener = live.join(Filter(), full=False, position=0, reach=0)
        another = live.join(Filter(kinds=("tool",)), full=False, position=0, reach=0)
        for number in range(1, 21):
            store.write([span(number)])
            live.wake()
            await asyncio.wait_for(asyncio.gather(listener.news.wait(), another.news.wait()), 60)
            assert listener.take() == another.take()
        assert len(looks) < 32, "and a few more while the two groups are out of step"
        live.leave(listener)
        live.leave(another)

    asyncio.run(scenario())


def test_our_own_server_writes_an_event_to_all_at_once_past_the_layers(
    live_app, store, settings, serve_app, span, until
):
    sent = []

    async def counting(scope, receive, send):
        async def counted(message):
            sent.append(message)
            await send(message)

        await live_app(scope, receive, counted)

    live = live_app.state.service.live
    with serve_app(counting, Server(counting, Connections(), live, lambda: None, settings.server_file)) as port:
        readers = [Reader(port) for _ in range(20)]
        until(lambda: sum(len(group.listeners) for group in live._groups.values()) == 20)
        store.write([span(1, name="warm")])
        assert [names(reader, 1) for reader in readers] == [["warm"]] * 20
        before = len(sent)
        store.write([span(2, name="event")])
        assert [names(reader, 1) for reader in readers] == [["event"]] * 20
        assert readers[0].block() == ": still here"
        assert len(sent) == before
        live.close()
        for reader in readers:
            assert reader.block() in (None, ": still here")
            reader.close()


def test_a_client_of_http_1_0_is_sent_events_uncoded(port, store, span):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        host = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {SECRET}\r\n\r\n"
        client.sendall(f"GET /events/stream HTTP/1.0\r\n{host}".encode())
        received = b""
        while b"still here" not in received:
            received += client.recv(65536)
        store.write([span(1, name="event")])
        while b'"name":"event"' not in received:
            received += client.recv(65536)
    events = received.partition(b"\r\n\r\n")[2].replace(b": still here\n\n", b"")
    assert events.startswith(b"retry: 2000\n\nevent: span\nid: 1\ndata: {")
