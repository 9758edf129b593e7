"""Which reads wait for which, how many may, and what becomes of those whose client has gone."""

import asyncio
import threading
from contextlib import ExitStack

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from inspector.api import create_app
from inspector.api.errors import Refusal
from inspector.api.reads import CHEAP_ROWS, LARGE_BYTES, SHARE_ROWS, ReadBounds, Reads, page_cost, stats_cost
from inspector.model import Filter
from inspector.store import QueryTooSlow, ReadLimits, SqliteStore, stopped_when
from inspector.store.engine import READERS

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
            self.go.wait(10)
            return Response(name)

        return run


@pytest.fixture
def work():
    made = Work()
    yield made
    made.go.set()


async def until(condition):
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  # what is waited for sets no event
            await asyncio.sleep(0.001)


def test_what_a_read_costs():
    assert page_cost(50) == page_cost(5, full=True) <= CHEAP_ROWS
    assert page_cost(50, full=True) <= CHEAP_ROWS < page_cost(1000) <= SHARE_ROWS < page_cost(1000, full=True)
    assert CHEAP_ROWS < page_cost(1, walks=True) <= SHARE_ROWS
    assert CHEAP_ROWS < stats_cost(0) < stats_cost(50) <= SHARE_ROWS < stats_cost(500)


def test_heavy_reads_run_a_few_at_a_time_in_their_order_and_cheap_ones_at_once(work):
    async def main():
        reads = Reads(ReadBounds(shares=2))
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
        reads = Reads(ReadBounds(shares=1, waiting=2))
        tasks = []
        for wanted, name in enumerate("abc", 1):
            tasks.append(asyncio.create_task(reads.answer(Client().request, HEAVY, work.read(name))))
            await until(lambda wanted=wanted: reads.running + reads.waiting == wanted)
        with pytest.raises(Refusal) as caught:
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
        reads = Reads(ReadBounds(shares=1, wait_s=0.01))
        first = asyncio.create_task(reads.answer(Client().request, HEAVY, work.read("a")))
        await until(lambda: reads.running)
        with pytest.raises(Refusal):
            await reads.answer(Client().request, HEAVY, work.read("b"))
        assert reads.waiting == 0
        work.go.set()
        await first
        assert (reads.running, work.began) == (0, ["a"])

    asyncio.run(main())


def test_who_goes_while_waiting_is_never_read_for(work):
    async def main():
        reads = Reads(ReadBounds(shares=1))
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
        reads, client = Reads(), Client()
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
        reads = Reads(ReadBounds(unsent_bytes=LARGE_BYTES))
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
        take.set()
        await sending
        work.go.set()
        assert (await heavy).body == b"heavy"
        assert taken == [0, LARGE_BYTES, LARGE_BYTES, LARGE_BYTES, 1]
        assert reads.unsent == 0

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
