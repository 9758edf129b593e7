"""Which reads wait for which, how many may, and what becomes of those whose client has gone."""

import asyncio
import threading
from contextlib import ExitStack

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from inspector.api import create_app
from inspector.api.errors import RequestRefused
from inspector.api.network.connections import CUT_OFF
from inspector.api.queries.parameters import EventsQuery, TracesQuery
from inspector.api.queries.query import read_query
from inspector.api.read_scheduler import (
    CHEAP_ROWS,
    LARGE_BYTES,
    SHARE_ROWS,
    ReadBounds,
    ReadScheduler,
    page_cost,
    stats_cost,
)
from inspector.model import Filter
from inspector.store import QueryTooSlow, ReadLimits, stopped_when
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.database.engine import READERS

HEAVY, HEAVIEST = CHEAP_ROWS + 1, SHARE_ROWS + 1


class Client:
    """Somebody who asked, and goes when the test says so."""

    def __init__(self):
        self.gone = asyncio.Event()

    async def receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}

    @property
    def request(self):
        return Request({"type": "http", "method": "GET", "headers": []}, self.receive)


class Work:
    """Reads that end when the test says so, and what ran."""

    def __init__(self):
        self.began, self.go = [], threading.Event()

    def read(self, name):
        def run():
            self.began.append(name)
            self.go.wait(60)
            return Response(name)

        return run


@pytest.fixture
def work():
    made = Work()
    yield made
    made.go.set()


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  # what is waited for sets no event
            await asyncio.sleep(0.001)


def test_what_a_read_costs():
    assert page_cost(500) == page_cost(50, timeline=True) <= CHEAP_ROWS < page_cost(1000) <= SHARE_ROWS
    assert CHEAP_ROWS < page_cost(1, full=True) < page_cost(400, full=True) <= SHARE_ROWS < page_cost(500, full=True)
    assert CHEAP_ROWS < page_cost(1, walks=True) <= SHARE_ROWS
    assert CHEAP_ROWS < stats_cost(0) < stats_cost(50) <= SHARE_ROWS < stats_cost(500)


@pytest.mark.parametrize(
    "query",
    [
        *(
            "parent_id=" + "1" * 16,
            "sort=cost",
            "sort=duration",
            "q=x",
            "attr.k=x",
            "args.k=x",
            "result.k=x",
            "hook=x",
            "min_cost_usd=0",
        ),
        *("name=x", "name_prefix=x", "agent=x", "service=x", "kind=llm", "status=ok", f"trace_id={1:032x}&q=x"),
    ],
)
def test_events_that_no_index_finds_are_walked(query):
    assert read_query(EventsQuery, query.encode()).walks


@pytest.mark.parametrize(
    "query",
    [
        *("", "duplicates=false", "since=0&until=9", "order=asc", "status=error", "session_id=x", "model=x", "tool=x"),
        *("error_type=x", f"trace_id={1:032x}&parent_id={1:016x}&kind=llm"),
    ],
)
def test_events_that_an_index_finds_are_not_walked(query):
    assert not read_query(EventsQuery, query.encode()).walks


@pytest.mark.parametrize(
    "query, walks",
    [
        *(("", False), ("duplicates=false", False), ("since=0", False), ("session_id=x", False), ("order=asc", False)),
        *((f"sort={sort}", True) for sort in ("duration", "cost", "spans", "tokens")),
        *(
            (f"{name}=x", True)
            for name in ("name", "agent", "service", "model", "tool", "error_type", "hook", "attr.k", "args.k")
        ),
        *(("status=error", True), ("kind=tool", True), ("q=x", True), ("max_duration_ms=1", True)),
    ],
)
def test_traces_are_walked_by_all_but_time_and_session(query, walks):
    assert read_query(TracesQuery, query.encode()).walks is walks


def test_heavy_reads_run_a_few_at_a_time_in_their_order_and_cheap_ones_at_once(work):
    async def main():
        reads = ReadScheduler(ReadBounds(shares=2))
        tasks = [
            asyncio.create_task(reads.answer(Client().request, cost, work.read(name)))
            for name, cost in (("a", HEAVY), ("b", HEAVY), ("c", HEAVIEST), ("d", HEAVY))
        ]
        await until(lambda: len(work.began) == 2)
        assert reads.running == 2
        assert reads.waiting == 3
        answer = await reads.answer(Client().request, CHEAP_ROWS, lambda: Response("cheap"))
        assert answer.body == b"cheap"
        assert sorted(work.began) == ["a", "b"]
        work.go.set()
        assert [(await task).body for task in tasks] == [b"a", b"b", b"c", b"d"]
        assert work.began[2:] == ["c", "d"]
        assert (reads.running, reads.waiting) == (0, 0)

    asyncio.run(main())


def test_what_would_wait_behind_too_much_is_asked_to_come_again(work):
    async def main():
        reads = ReadScheduler(ReadBounds(shares=1, waiting=2))
        tasks = []
        for wanted, name in enumerate("abc", 1):
            tasks.append(asyncio.create_task(reads.answer(Client().request, HEAVY, work.read(name))))
            await until(lambda wanted=wanted: reads.running + reads.waiting == wanted)
        with pytest.raises(RequestRefused) as caught:
            await reads.answer(Client().request, HEAVY, work.read("d"))
        assert caught.value.problem.status == 503
        assert caught.value.problem.headers["Retry-After"] == "2"
        work.go.set()
        await asyncio.gather(*tasks)
        assert (await reads.answer(Client().request, HEAVY, work.read("e"))).body == b"e"
        assert "d" not in work.began

    asyncio.run(main())


def test_a_read_whose_turn_does_not_come_in_time_is_asked_to_come_again(work):
    async def main():
        reads = ReadScheduler(ReadBounds(shares=1, wait_s=0.01))
        first = asyncio.create_task(reads.answer(Client().request, HEAVY, work.read("a")))
        await until(lambda: reads.running)
        with pytest.raises(RequestRefused):
            await reads.answer(Client().request, HEAVY, work.read("b"))
        assert reads.waiting == 0
        work.go.set()
        await first
        assert (reads.running, work.began) == (0, ["a"])

    asyncio.run(main())


def test_who_goes_while_waiting_is_never_read_for(work):
    async def main():
        reads = ReadScheduler(ReadBounds(shares=1))
        first = asyncio.create_task(reads.answer(Client().request, HEAVY, work.read("a")))
        await until(lambda: reads.running)
        client = Client()
        second = asyncio.create_task(reads.answer(client.request, HEAVY, work.read("b")))
        await until(lambda: reads.waiting)
        client.gone.set()
        await second
        assert reads.waiting == 0
        work.go.set()
        await first
        assert (reads.running, work.began) == (0, ["a"])

    asyncio.run(main())


def test_a_query_whose_client_goes_is_stopped(store, span):
    store.write([span(number, tool=f"tool-{number % 7}") for number in range(1, 2000)])
    rounds = 0

    async def main():
        nonlocal rounds
        reads, client = ReadScheduler(), Client()
        loop = asyncio.get_running_loop()

        def read():
            nonlocal rounds
            while True:
                rounds += 1
                if rounds == 2:
                    loop.call_soon_threadsafe(client.gone.set)
                store.events(everything, sort="duration", limit=1000)
                assert rounds < 10_000, "nobody stopped it"

        async with asyncio.timeout(60):
            answer = await reads.answer(client.request, HEAVY, read)
        assert answer.status_code == 499
        assert reads.running == 0

    everything = Filter(attributes=(("no such", "attribute"),))
    asyncio.run(main())
    with pytest.raises(QueryTooSlow), stopped_when(lambda: True):
        store.events(everything, sort="duration", limit=1000)
    assert store.events(everything, limit=1000).items == ()


def test_large_answers_that_nobody_takes_hold_further_heavy_reads_back(work):
    async def main():
        reads = ReadScheduler(ReadBounds(unsent_bytes=LARGE_BYTES))
        large = await reads.answer(Client().request, HEAVY, lambda: Response(b"x" * (3 * LARGE_BYTES + 1)))
        taken, take = [], asyncio.Event()

        async def send(message):
            taken.append(len(message.get("body", b"")))
            await take.wait()

        sending = asyncio.create_task(large({"type": "http"}, None, send))
        await until(lambda: taken)
        heavy = asyncio.create_task(reads.answer(Client().request, HEAVY, work.read("heavy")))
        await until(lambda: reads.waiting)
        assert (await reads.answer(Client().request, CHEAP_ROWS, lambda: Response("cheap"))).body == b"cheap"
        assert work.began == []
        assert reads.unsent == 3 * LARGE_BYTES + 1
        take.set()
        await sending
        work.go.set()
        assert (await heavy).body == b"heavy"
        assert taken == [0, LARGE_BYTES, LARGE_BYTES, LARGE_BYTES, 1]
        assert reads.unsent == 0

    asyncio.run(main())


def test_what_was_taken_of_a_large_answer_holds_nobody_back(work):
    async def main():
        reads = ReadScheduler(ReadBounds(unsent_bytes=2 * LARGE_BYTES))
        large = await reads.answer(Client().request, HEAVY, lambda: Response(b"x" * (3 * LARGE_BYTES)))
        takes = asyncio.Semaphore(0)

        async def send(_):
            await takes.acquire()

        sending = asyncio.create_task(large({"type": "http"}, None, send))
        work.go.set()
        heavy = asyncio.create_task(reads.answer(Client().request, HEAVY, work.read("heavy")))
        await until(lambda: reads.waiting)
        for _ in range(2):
            takes.release()
        await until(lambda: reads.unsent == 2 * LARGE_BYTES)
        assert reads.waiting == 1
        takes.release()
        assert (await heavy).body == b"heavy"
        assert reads.unsent == LARGE_BYTES
        takes.release()
        await sending

    asyncio.run(main())


def test_the_slowest_reader_is_cut_off_where_others_wait_for_what_it_holds(work):
    async def main():
        now_s = 100.0
        bounds = ReadBounds(unsent_bytes=5 * LARGE_BYTES, least_bytes_s=LARGE_BYTES, slow_s=5, look_s=0.001)
        reads = ReadScheduler(bounds, now_s=lambda: now_s)
        ended, sending, takes = [], {}, {}
        for name in ("deaf", "slow", "fast"):
            large = await reads.answer(Client().request, CHEAP_ROWS, lambda: Response(b"x" * (9 * LARGE_BYTES)))
            takes[name] = asyncio.Semaphore(0)

            async def send(_, taken=takes[name]):
                await taken.acquire()

            cut_off = {CUT_OFF: lambda name=name: ended.append(name)}
            sending[name] = asyncio.create_task(large({"type": "http", "extensions": cut_off}, None, send))
        await until(lambda: reads.unsent == 27 * LARGE_BYTES)
        for name, pieces in (("slow", 2), ("fast", 5)):
            for _ in range(pieces + 1):
                takes[name].release()
        await until(lambda: reads.unsent == 20 * LARGE_BYTES)
        now_s += 10
        work.go.set()
        heavy = asyncio.create_task(reads.answer(Client().request, HEAVY, work.read("heavy")))
        assert (await heavy).body == b"heavy"
        assert ended == ["deaf", "slow"]
        assert reads.unsent == 4 * LARGE_BYTES
        for _ in range(4):
            takes["fast"].release()
        await asyncio.gather(*sending.values())
        assert ended == ["deaf", "slow"]

    asyncio.run(main())


def test_a_read_that_finds_no_connection_to_the_database_in_time_is_asked_to_come_again(store, settings, problem):
    bearer = {"Authorization": "Bearer a-secret-of-the-tests-only"}
    waiting = SqliteStore(settings.database, limits=ReadLimits(wait_s=0.01))
    app = create_app(waiting, settings=settings)
    with ExitStack() as stack, TestClient(app, base_url="http://127.0.0.1:7800", headers=bearer) as client:
        for _ in range(READERS):
            stack.enter_context(waiting._read())
        for path in ("/events", "/stats", "/readyz"):
            refused = client.get(path)
            assert refused.status_code == 503
            assert refused.headers["retry-after"] == "2"
        assert "others at once" in problem(client.get("/traces"))["detail"]
        stack.close()
        assert client.get("/events").status_code == 200
    waiting.close()
