"""What several `inspector serve` on one ClickHouse cost a span together, and how they divide it.

    python benchmarks/servers.py [--servers 2] [--rate 1000] [--seconds 120] [--batch 512]

Each server gets the spans of `agent_spans.py` from a sender of its own, as OTLP; all together at one pace.
What a server does once, up to the first request that it took in, is not counted. ClickHouse is the engine in this
process behind the HTTP server of the tests; its work is in no figure but the last.
"""

import argparse
import multiprocessing
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import quote

import httpx
from otlp import requests

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from served import SECRET, Served, serving_home

EVERY_S = 5.0
"""How often it is looked at who used the processor."""
HEADERS = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/x-protobuf"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--rate", type=int, default=1000, help="spans a second, of all servers together")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--batch", type=int, default=512)
    options = parser.parse_args()
    each = options.rate * options.seconds // options.servers // options.batch * options.batch
    # Before there is an engine in this process, which is not to be forked.
    senders = [start_sender(at, each, options) for at in range(options.servers)]
    from clickhouse_server import served

    with tempfile.TemporaryDirectory() as directory, served() as host, ExitStack() as stack:
        url = f"clickhouse://default@{host}/team"
        servers = [
            stack.enter_context(serving_home(python, Path(directory) / f"home-{at}", INSPECTOR_DATABASE_URL=url))
            for at in range(options.servers)
        ]
        for (_, pipe), server in zip(senders, servers, strict=True):
            pipe.send(server.url)
            pipe.recv()
        while written(host) < options.batch * len(servers):
            time.sleep(0.1)
        begun, engine_s = [server.cpu_s() for server in servers], time.process_time()
        for _, pipe in senders:
            pipe.send("go on")
        shares = list(watch(servers, host, each * len(servers)))
        engine_s = time.process_time() - engine_s
        spent = [server.cpu_s() - before for server, before in zip(servers, begun, strict=True)]
    for process, _ in senders:
        process.join()
    print(f"{each * len(servers):,} spans, {options.rate:,}/s, {options.batch} a request, {len(servers)} servers")
    counted = (each - options.batch) * len(servers)
    print(f"CPU a span: {sum(spent) / counted * 1e6:,.0f} us, of it", end=" ")
    print(", ".join(f"{part / sum(spent):.0%}" for part in spent), end="; ")
    print(f"ClickHouse {engine_s / counted * 1e6:,.0f} us")
    print(f"Each {EVERY_S:g} s, the first server:", " ".join(f"{share:.0%}" for share in shares))


def python(*arguments, **options):
    return subprocess.Popen([sys.executable, *arguments], **options)


def start_sender(at: int, spans: int, options: argparse.Namespace):
    pipe, its = multiprocessing.Pipe()
    process = multiprocessing.Process(target=send, args=(its, at, spans, options), daemon=True)
    process.start()
    return process, pipe


def send(pipe: Connection, seed: int, spans: int, options: argparse.Namespace) -> None:
    """Sends one request, and when it is told to, one after the other, each when it is due."""
    every_s = options.batch * options.servers / options.rate
    url = pipe.recv()
    with httpx.Client(headers=HEADERS, timeout=60) as client:
        for at in range(spans // options.batch):
            (body,) = requests(options.batch, options.batch, seed=at * options.servers + seed + 1)
            if at == 1:
                pipe.send("begun")
                pipe.recv()
                begun = time.monotonic()
            if at:
                time.sleep(max(0.0, begun + at * every_s - time.monotonic()))
            while client.post(f"{url}/v1/traces", content=body).status_code == 503:
                time.sleep(1)


def watch(servers: list[Served], host: str, spans: int):
    """Yields what part of the processor time the first server used of each while, until all spans are there."""
    before = [server.cpu_s() for server in servers]
    while written(host) < spans:
        time.sleep(EVERY_S)
        now = [server.cpu_s() for server in servers]
        used = [later - earlier for later, earlier in zip(now, before, strict=True)]
        before = now
        yield used[0] / max(sum(used), 1e-9)


def written(host: str) -> int:
    answer = httpx.get(f"http://{host}/?query={quote('SELECT sum(spans) FROM team.traces FINAL')}", timeout=60)
    return int(answer.text or 0)


if __name__ == "__main__":
    main()
