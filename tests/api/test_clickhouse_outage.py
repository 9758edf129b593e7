"""A ClickHouse that is away, or too slow for what is sent: what a sender or a spool holds waits there."""

import json
from contextlib import ExitStack
from functools import partial

import httpx
import pytest
from clickhouse_server import Faults, served
from sent import request_of, span_of
from served import SECRET, serving_home
from waiting import until_equal

HEADERS = {"Authorization": f"Bearer {SECRET}"}
PATIENCE_S = 120
until = partial(until_equal, patience_s=PATIENCE_S)
PRELUDE = """
import inspector.store.clickhouse.inbox as inbox, inspector.store.clickhouse.lease as lease
inbox.MOST_WAITING = 3
lease.LENGTH_S = 3600
"""
"""However slow the machine, the server that was there first goes on to be the one that writes."""


@pytest.fixture(scope="module")
def faults():
    return Faults()


@pytest.fixture(scope="module")
def database(faults):
    with served(faults=faults) as host:
        yield f"clickhouse://default@{host}/away"


@pytest.fixture
def serve(fork_python, tmp_path, database, faults):
    url = f"{database}_{tmp_path.name[-12:].replace('-', '_')}"
    with ExitStack() as stack:
        stack.callback(faults.mend)

        def start(name):
            home = tmp_path / name
            (home / "spool").mkdir(parents=True)
            environment = {"INSPECTOR_DATABASE_URL": url}
            return stack.enter_context(
                serving_home(fork_python, home, prelude=PRELUDE, stop_s=PATIENCE_S, **environment)
            )

        yield start


def post(server, number):
    span = span_of(number, traceId=f"{number:032x}")
    return httpx.post(f"{server.url}/v1/traces", json=request_of(span), headers=HEADERS, timeout=PATIENCE_S)


def record(server, number):
    line = json.dumps(request_of(span_of(number, traceId=f"{number:032x}")))
    (server.home / "spool" / f"{number}.jsonl").write_text(f"{line}\n")


def traces(server):
    found = httpx.get(f"{server.url}/traces", params={"limit": 100}, headers=HEADERS, timeout=PATIENCE_S)
    items = found.json()["items"] if found.status_code == 200 else []
    return sorted((int(trace["trace_id"], 16), trace["spans"]) for trace in items)


def figure(server, name):
    metrics = httpx.get(f"{server.url}/metrics", headers=HEADERS, timeout=PATIENCE_S).text
    return next((int(line.split()[1]) for line in metrics.splitlines() if line.startswith(f"inspector_{name} ")), None)


@pytest.mark.slow
def test_while_clickhouse_is_away_senders_are_told_to_come_back_and_spools_wait(serve, faults):
    server = serve("one")
    assert post(server, 1).status_code == 200
    faults.begin("spans", "applied")
    record(server, 2)
    assert faults.met.wait(PATIENCE_S)
    for _ in range(3):
        answer = post(server, 3)
        assert (answer.status_code, "Retry-After" in answer.headers) == (503, True)
    until(lambda: figure(server, "ready"), 0)
    record(server, 4)
    faults.mend()
    until(lambda: post(server, 3).status_code, 200)
    until(lambda: traces(server), [(1, 1), (2, 1), (3, 1), (4, 1)])
    until(lambda: figure(server, "ready"), 1)
    log = server.log.read_text()
    assert "does not answer" in log
    assert "Traceback" not in log


@pytest.mark.slow
def test_where_the_server_that_writes_does_not_keep_up_the_other_takes_no_more_in(serve, faults):
    one, other = serve("one"), serve("two")
    assert post(one, 1).status_code == 200
    # Its disk is full for spans alone, so that what waits can still be put in.
    faults.begin("spans", 243)
    accepted = 2
    while (answer := post(other, accepted)).status_code == 200:
        accepted += 1
    assert (answer.status_code, "Retry-After" in answer.headers) == (503, True)
    assert "wait in the database away" in answer.text
    assert 1 <= accepted - 2 <= figure(other, "waiting_changes") == 3
    assert figure(other, "waiting_bytes") > 0
    record(other, 50)
    until(lambda: figure(other, "ready"), 0)
    faults.mend()
    until(lambda: post(other, accepted).status_code, 200)
    wanted = [(number, 1) for number in (*range(1, accepted + 1), 50)]
    for server in (one, other):
        until(lambda server=server: traces(server), wanted)
    until(lambda: figure(other, "waiting_changes"), 0)
    until(lambda: figure(other, "ready"), 1)
    assert "Traceback" not in one.log.read_text() + other.log.read_text()
