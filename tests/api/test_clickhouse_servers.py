"""Two servers on one ClickHouse, each with a home of its own: whoever takes something in, both answer and push it."""

import json
from contextlib import ExitStack, closing
from functools import partial
from threading import Event, Thread

import httpx
import pytest
from clickhouse_server import served
from lists import walk_served
from served import SECRET, serving_home
from waiting import until_equal

HEADERS = {"Authorization": f"Bearer {SECRET}"}
PATIENCE_S = 120
until = partial(until_equal, patience_s=PATIENCE_S)


@pytest.fixture(scope="module")
def database():
    with served() as host:
        yield f"clickhouse://default@{host}/team"


@pytest.fixture
def servers(fork_python, tmp_path, database):
    """Two servers; the first one was there first, so that it is the one that writes."""
    url = f"{database}_{tmp_path.name[-12:].replace('-', '_')}"
    with ExitStack() as stack:
        yield [
            stack.enter_context(serving_home(fork_python, tmp_path / name, stop_s=60, INSPECTOR_DATABASE_URL=url))
            for name in ("one", "two")
        ]


def request_of(trace, *spans, done=True):
    ended = {"endTimeUnixNano": "1790000001000000000"} if done else {}
    made = [
        {"traceId": f"{trace:032x}", "spanId": f"{span:016x}", "name": f"work {span}", **ended}
        | {"startTimeUnixNano": f"179000000000000{span:04d}"}
        for span in spans
    ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": made}]}]}


def post(server, body):
    return httpx.post(f"{server.url}/v1/traces", json=body, headers=HEADERS, timeout=PATIENCE_S)


def ask(server, path, **params):
    return httpx.get(f"{server.url}{path}", params=params, headers=HEADERS, timeout=PATIENCE_S)


def spans_of(server, trace):
    found = ask(server, f"/traces/{trace:032x}")
    return found.json()["trace"]["spans"] if found.status_code == 200 else 0


@pytest.mark.slow
def test_one_trace_comes_in_pieces_through_two_servers_and_is_pushed_by_both(servers):
    pushed = [[], []]
    started = [Event(), Event()]

    def listen(at):
        with httpx.stream("GET", f"{servers[at].url}/events/stream", headers=HEADERS, timeout=PATIENCE_S) as answer:
            for line in answer.iter_lines():
                started[at].set()
                if line.startswith("data: "):
                    pushed[at].append(json.loads(line[6:])["span_id"])
                    if len(set(pushed[at])) == 6:
                        return

    threads = [Thread(target=listen, args=(at,), daemon=True) for at in range(2)]
    for thread, event in zip(threads, started, strict=True):
        thread.start()
        assert event.wait(PATIENCE_S)
    for span in range(1, 7):
        assert post(servers[span % 2], request_of(1, span)).status_code == 200
    for thread in threads:
        thread.join(PATIENCE_S)
    assert [len(set(each)) for each in pushed] == [6, 6]
    for server in servers:
        until(lambda server=server: spans_of(server, 1), 6)
        (run,) = ask(server, "/runs").json()["items"]
        assert run["spans"] == 6
    assert httpx.delete(f"{servers[1].url}/traces/{1:032x}", headers=HEADERS, timeout=PATIENCE_S).status_code == 200
    assert [spans_of(server, 1) for server in servers] == [0, 0]


@pytest.mark.slow
def test_what_a_killed_server_acknowledged_is_there_once_and_the_other_goes_on(servers):
    acknowledged, killed = [], Event()

    def send(server, number, more):
        while not killed.is_set() or more:
            more -= killed.is_set()
            try:
                if post(server, request_of(number, 1, 2)).status_code == 200:
                    acknowledged.append(number)
            except httpx.HTTPError:
                return
            number += 2

    threads = [Thread(target=send, args=(servers[at], at + 1, 3 * at), daemon=True) for at in range(2)]
    for thread in threads:
        thread.start()
    until(lambda: len(acknowledged) > 8, True)
    servers[0].kill()
    killed.set()
    for thread in threads:
        thread.join(PATIENCE_S)

    def missing():
        with closing(httpx.Client(headers=HEADERS, timeout=PATIENCE_S)) as client:
            traces = walk_served(lambda url: client.get(url).json(), f"{servers[1].url}/traces?limit=100")
        counts = {int(trace["trace_id"], 16): trace["spans"] for trace in traces}
        return {number: counts.get(number, 0) for number in acknowledged if counts.get(number) != 2}

    until(missing, {})
    assert ask(servers[1], "/events", limit=1000).json()["items"][0]["seq"] < 2**53
