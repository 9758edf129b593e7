"""Two servers on one ClickHouse, killed again and again: every span is there once, and met by every cursor."""

import json
import random
import time
from collections import Counter
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread

import httpx
import pytest
from clickhouse_server import served
from lists import walk
from sent import START_NS, request_of, span_of
from served import SECRET, Served, serving_home
from waiting import until_equal

from inspector.model import Filter
from inspector.store.clickhouse import ClickHouseStore, read_address

HEADERS = {"Authorization": f"Bearer {SECRET}"}
PATIENCE_S = 300
until = partial(until_equal, patience_s=PATIENCE_S)
PRELUDE = """
import inspector.store.clickhouse.lease as lease, inspector.store.clickhouse.writing as writing
lease.LENGTH_S, lease.MARGIN_S, writing.KEEP_S = 5.0, 1.0, 1.0
"""
"""So that many servers are replaced by the other one in little time."""
OF_SPOOL = 10**6
"""Traces from here on come by the spool."""


def span(trace, number, *, ended=True):
    end = {} if ended else {"endTimeUnixNano": None}
    asked = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7}
    name = {"traceId": f"{trace:032x}", "name": f"chat {number}", "startTimeUnixNano": str(START_NS + number)}
    return span_of(number, asked, **name, **end)


def request(sender, number):
    """The beginning of a call, with the end of the one before, and another one; some are sent by every sender."""
    trace, at = number // 4 + 1, number % 4
    own = (sender + 1) * 1000 + at * 10
    spans = [span(trace, own + 1, ended=False), span(trace, own + 2), span(trace, at + 1)]
    if at:
        spans.append(span(trace, own - 9))
    return spans if at < 3 else [*spans, span(trace, own + 1)]


@dataclass
class Fleet:
    """Servers that are killed and started again, and what they acknowledged."""

    start: object
    servers: dict[str, Served] = field(default_factory=dict)
    running: dict[str, ExitStack] = field(default_factory=dict)
    sent: dict[tuple[int, int], dict] = field(default_factory=dict)
    acknowledged: list[int] = field(default_factory=lambda: [0, 0])
    sent_again: int = 0
    ending: Event = field(default_factory=Event)

    def bring_up(self, name):
        self.running[name] = ExitStack()
        self.servers[name] = self.running[name].enter_context(self.start(name))

    def kill(self, name):
        self.servers[name].kill()
        self.running.pop(name).close()

    def send(self, sender, seed):
        """Sends requests, each until it is acknowledged, some of them to both servers."""
        chance = random.Random(f"{seed} {sender}")
        # All of a trace, so that none of its calls is left open.
        while not self.ending.is_set() or self.acknowledged[sender] % 4:
            spans = request(sender, self.acknowledged[sender])
            self.sent |= {(int(each["traceId"], 16), int(each["spanId"], 16)): each for each in spans}
            wanted = chance.choice((1, 1, 1, 2))
            while wanted:
                wanted -= self.post(chance.choice(("one", "two")), spans)
            self.acknowledged[sender] += 1

    def post(self, name, spans):
        with suppress(httpx.HTTPError):
            url = f"{self.servers[name].url}/v1/traces"
            if httpx.post(url, json=request_of(*spans), headers=HEADERS, timeout=PATIENCE_S).status_code == 200:
                return True
        self.sent_again += 1
        time.sleep(0.02)  # leaves the processor to who starts
        return False

    def record(self, spool, number):
        spans = [span(OF_SPOOL + number, 1), span(OF_SPOOL + number, 2)]
        self.sent |= {(OF_SPOOL + number, at): each for at, each in enumerate(spans, 1)}
        with spool.open("a") as file:
            file.write(json.dumps(request_of(*spans)) + "\n")

    def follow(self, name, met):
        """Follows the stream of a server from number to number, over its deaths."""
        cursor = 0
        while not self.ending.is_set() or len(met) < len(self.sent):
            with suppress(httpx.HTTPError):
                url = f"{self.servers[name].url}/events/stream"
                with httpx.stream("GET", url, params={"after": cursor}, headers=HEADERS, timeout=PATIENCE_S) as answer:
                    for line in answer.iter_lines():
                        if line.startswith("event: gap"):
                            break
                        if line.startswith("data: "):
                            cursor = note(json.loads(line[6:]), met)
            time.sleep(0.02)  # leaves the processor to who starts


def note(event, met):
    met[int(event["trace_id"], 16), int(event["span_id"], 16)] = event["status"]
    return event["seq"]


def read_on(reader, met, ending):
    """Reads the store itself from number to number."""
    cursor = 0
    while not ending.is_set():
        for event in (events := reader.after(cursor, Filter(), limit=500)):
            met[int(event.trace_id, 16), int(event.span_id, 16)] = event.status
            cursor = event.seq
        ending.wait(0 if events else 0.5)


def differing(met, sent):
    found = dict(met)
    return [key for key in sent if found.get(key) != "ok"]


def stored(reader):
    return {
        int(trace.trace_id, 16): (trace.spans, trace.llm_calls, trace.input_tokens, trace.status)
        for trace in walk(reader.traces, Filter(), limit=100)
    }


def kill_at_random(fork_python, directory, seed, kills):
    chance = random.Random(seed)
    spool = directory / "one" / "spool" / "agent.jsonl"
    spool.parent.mkdir(parents=True)
    with served() as host, ExitStack() as stack:
        url = f"clickhouse://default@{host}/killed"

        def start(name):
            environment = {"INSPECTOR_DATABASE_URL": url}
            return serving_home(fork_python, directory / name, prelude=PRELUDE, stop_s=PATIENCE_S, **environment)

        fleet = Fleet(start)
        for name in ("one", "two"):
            fleet.bring_up(name)
        stack.callback(lambda: [running.close() for running in fleet.running.values()])
        reader = stack.enter_context(closing(ClickHouseStore(read_address(url), read_only=True)))
        met, done = [{}, {}, {}], Event()
        senders = [Thread(target=fleet.send, args=(at, seed), daemon=True) for at in range(2)]
        followers = [
            Thread(target=fleet.follow, args=(name, met[at]), daemon=True) for at, name in enumerate(("one", "two"))
        ]
        reading = Thread(target=read_on, args=(reader, met[2], done), daemon=True)
        for thread in (*senders, *followers, reading):
            thread.start()
        for number in range(kills):
            goal = sum(fleet.acknowledged) + chance.randrange(1, 4)
            for at in range(3):
                fleet.record(spool, number * 3 + at)
            until(lambda goal=goal: sum(fleet.acknowledged) >= goal, True)
            time.sleep(chance.random() * 0.3)  # the moment, of which nothing else depends
            killed = chance.choice((["one"], ["two"], ["one", "two"]))
            for name in killed:
                fleet.kill(name)
            if len(killed) == 1 and chance.random() < 0.3:
                # The other one goes on alone.
                goal = sum(fleet.acknowledged) + 4
                until(lambda goal=goal: sum(fleet.acknowledged) >= goal, True)
            for name in killed:
                fleet.bring_up(name)
        fleet.ending.set()
        for thread in senders:
            thread.join(PATIENCE_S)
            assert not thread.is_alive()
        until(lambda: reader.health().spans, len(fleet.sent))
        of_trace = Counter(trace for trace, _ in fleet.sent)
        wanted = {trace: (count, count, 7 * count, "ok") for trace, count in of_trace.items()}
        until(lambda: stored(reader), wanted)
        for each in met:
            until(lambda each=each: differing(each, fleet.sent), [])
        done.set()
        reading.join(PATIENCE_S)
        assert reader.stats(Filter()).total.count == len(fleet.sent)
        until(lambda: reader.health().calls_ever["llm"], (len(fleet.sent), 0))
        for name in ("one", "two"):
            assert "Traceback" not in (directory / f"{name}.log").read_text()
        return fleet


@pytest.mark.slow
def test_servers_killed_at_any_moment_lose_and_double_nothing(fork_python, tmp_path, long):
    fleet = kill_at_random(fork_python, tmp_path, seed=1, kills=50 if long else 3)
    assert len(fleet.sent) > 20
