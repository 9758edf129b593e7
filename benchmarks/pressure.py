"""What the server answers while it is pressed: half-open connections, listeners that never read, heavy reads at once.

    python benchmarks/pressure.py [--spans 20000] [--seconds 20] [--listeners 1000]

A real `inspector serve` in a process of its own over a store of ten-span traces (`agent_spans.py`). A program
writes a span into the spool every 100 ms; its name is the time, so that each listener knows how old it is when it
comes. First 1,000 listeners alone; then 400 half-open connections, 500 listeners of which 100 never read and 200
readers of `/stats?by=name&buckets=50` and `/events?limit=1000&full=true`, each of which asks again as soon as it is
answered, or after `Retry-After`. Meanwhile another process asks what has to be answered: the probes, a trace, a small
page, and one span by OTLP, which it then looks for in `/events`. Load, listeners and questions share the cores with
the server. The exit code is 1 where a budget is missed.
"""

import argparse
import asyncio
import fcntl
import http.client
import json
import multiprocessing
import os
import re
import resource
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from agent_spans import Rows

from inspector.settings import Settings
from inspector.store.sqlite import SqliteStore

TOKEN = "a-token-of-the-benchmark"
AUTH = {"Authorization": f"Bearer {TOKEN}"}
HEAVY = ("/stats?by=name&buckets=50", "/events?limit=1000&full=true")
HALF_OPEN, LISTENERS, DEAF, READERS = 400, 500, 100, 200
WROTE = re.compile(rb'"name":"at-(\d+)"')
BUDGETS = {
    "live delay, listeners alone, p99 ms": 100,
    "answers under pressure, p99 ms": 1000,
    "live delay under pressure, p99 ms": 1000,
    "the last of them, ms": 2000,
    "from a span's acknowledgement to /events, longest, ms": 1000,
    "memory, most MB": 300,
    "cut off": 0,
}


@contextmanager
def served(spans: int):
    """A server with so many spans stored: its port, process id and home."""
    rows = Rows(7)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory) / "home"
        home.mkdir(mode=0o700)
        store = SqliteStore(Settings(home=home).database)
        for _ in range(0, spans, 500):
            store.write([span for _ in range(50) for span in rows.trace()])
        while store.index(4000):
            pass
        store.close()
        env = {**os.environ, "INSPECTOR_HOME": str(home), "INSPECTOR_PORT": "0", "INSPECTOR_TOKEN": TOKEN}
        env["INSPECTOR_RETENTION_DAYS"] = "36500"
        command = [sys.executable, "-m", "inspector.cli", "serve", "--no-open"]
        server = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
        try:
            yield int(server.stdout.readline().rpartition(":")[2]), server.pid, home
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()


def line(name: str) -> bytes:
    """One recorded call."""
    start = time.time_ns()
    span = {
        "traceId": secrets.token_hex(16),
        "spanId": secrets.token_hex(8),
        "name": name,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 1000),
        "attributes": [],
        "status": {},
    }
    scope = {"scope": {"name": "mcp-agent-inspector"}, "spans": [span]}
    return json.dumps({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}).encode() + b"\n"


def write_spool(home: Path, stop: threading.Event) -> None:
    """A program that makes a call every 100 ms."""
    spool = home / "spool"
    spool.mkdir(mode=0o700, exist_ok=True)
    path = spool / f"20260101T000000-{os.getpid()}-{secrets.token_hex(4)}.000000.jsonl"
    with path.open("ab", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        while not stop.wait(0.1):
            file.write(line(f"at-{time.time_ns()}"))


def head(port: int, path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()


class Ear(asyncio.Protocol):
    """One listener, as cheap as can be: it shares the cores with the server."""

    def __init__(self, port: int, delays: list[float], cut: Counter, *, deaf: bool) -> None:
        self.port, self.delays, self.cut, self.deaf = port, delays, cut, deaf
        self.rest = b""

    def connection_made(self, transport) -> None:
        transport.write(head(self.port, "/events/stream"))
        if self.deaf:
            transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        now = time.time_ns()
        whole, _, self.rest = (self.rest + data).rpartition(b"\n")
        self.delays.extend((now - int(sent)) / 1e6 for sent in WROTE.findall(whole))

    def connection_lost(self, error: Exception | None) -> None:
        self.cut["listener"] += 1


async def listen(port: int, delays: list[float], cut: Counter, *, deaf: bool) -> None:
    loop = asyncio.get_running_loop()
    try:
        transport, _ = await loop.create_connection(lambda: Ear(port, delays, cut, deaf=deaf), "127.0.0.1", port)
    except OSError:
        cut["listener"] += 1
        return
    try:
        await asyncio.Event().wait()
    finally:
        transport.abort()


async def stay_half_open(port: int) -> None:
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x")
            await reader.read()
            writer.close()


async def load(port: int, listeners: int, deaf: int, half_open: int, seconds: float) -> tuple[list[float], Counter]:
    delays: list[float] = []
    cut: Counter = Counter()
    work = [listen(port, delays, cut, deaf=at < deaf) for at in range(listeners)]
    tasks = [asyncio.create_task(each) for each in work + [stay_half_open(port) for _ in range(half_open)]]
    await asyncio.sleep(3)
    delays.clear()
    await asyncio.sleep(seconds)
    measured = list(delays), Counter(cut)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return measured


def loading(pipe, *given) -> None:
    pipe.send(asyncio.run(load(*given)))


def read_heavily(pipe, port: int, readers: int, seconds: float) -> None:
    """Ask as many at once, again and again."""
    until, answers, lock = time.monotonic() + seconds, Counter(), threading.Lock()
    times: list[float] = []

    def ask(path: str) -> None:
        while time.monotonic() < until:
            began = time.perf_counter()
            try:
                status, after = request(port, path)
            except (OSError, http.client.HTTPException):
                status, after = "cut", 0
            with lock:
                answers[status] += 1
                if status == 200:
                    times.append((time.perf_counter() - began) * 1000)
            time.sleep(min(after, max(0, until - time.monotonic())))

    threads = [threading.Thread(target=ask, args=(HEAVY[at % 2],)) for at in range(readers)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    pipe.send((times, answers))


def request(port: int, path: str, body: bytes | None = None) -> tuple[int, float]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        headers = AUTH if body is None else {**AUTH, "Content-Type": "application/json"}
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        while answer.read(1 << 16):
            pass
        return answer.status, float(answer.headers.get("Retry-After") or 0)
    finally:
        connection.close()


def visible_ms(port: int, name: str) -> float:
    """How long it takes until `/events` has a span that was just acknowledged, the asking included."""
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = b""
    while name.encode() not in body:
        connection.request("GET", "/events?limit=50", headers=AUTH)
        body = connection.getresponse().read()
    connection.close()
    return (time.perf_counter() - began) * 1000


def ask_in_turn(pipe, port: int, trace_id: str, seconds: float) -> None:
    """What is asked and sent meanwhile, each on a connection of its own, and how long each took."""
    times: dict[str, list[float]] = {}
    visible: list[float] = []
    cut: Counter = Counter()
    paths = ("/healthz", "/readyz", f"/traces/{trace_id}", "/traces?limit=20", "/events?limit=50", "/v1/traces")
    until = time.monotonic() + seconds
    for path in (paths[at % len(paths)] for at in count()):
        if time.monotonic() > until:
            break
        name = path.replace(trace_id, "{trace_id}")
        sent = f"sent-{secrets.token_hex(4)}" if path == "/v1/traces" else ""
        began, status = time.perf_counter(), 0
        try:
            status, _ = request(port, path, line(sent) if sent else None)
            if status != 200:
                cut[f"{name} {status}"] += 1
        except (OSError, http.client.HTTPException) as error:
            cut[f"{name} {error}"] += 1
        times.setdefault(name, []).append((time.perf_counter() - began) * 1000)
        if sent and status == 200:
            visible.append(visible_ms(port, sent))
        time.sleep(0.01)
    pipe.send((times, visible, cut))


def started(target, *given):
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=target, args=(theirs, *given))
    process.start()
    return ours, process


def finished(pair):
    pipe, process = pair
    result = pipe.recv()
    process.join()
    return result


def memory_mb(pid: int, field: str) -> float:
    return int(re.search(rf"{field}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quantiles(times: list[float]) -> tuple[float, float, float]:
    points = statistics.quantiles(times, n=100, method="inclusive")
    return points[49], points[98], max(times)


def show(what: str, times: list[float]) -> None:
    p50, p99, most = quantiles(times)
    print(f"{what:52} {len(times):8,} {p50:9.1f} {p99:9.1f} {most:9.1f}")


def asked_for() -> argparse.Namespace:
    options = argparse.ArgumentParser()
    options.add_argument("--spans", type=int, default=20_000)
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--listeners", type=int, default=1000)
    return options.parse_args()


def main() -> int:
    given = asked_for()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(f"{given.spans:,} spans, {given.seconds:g} s each; load of the machine before: {os.getloadavg()[0]:.1f}")
    print(f"{'':52} {'count':>8} {'p50 ms':>9} {'p99 ms':>9} {'longest':>9}")
    with served(given.spans) as (port, pid, home):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/traces?limit=1", headers=AUTH)
        trace_id = json.loads(connection.getresponse().read())["items"][0]["trace_id"]
        connection.close()
        stop = threading.Event()
        program = threading.Thread(target=write_spool, args=(home, stop))
        program.start()
        base = memory_mb(pid, "VmRSS")
        spent = processor_s(pid)
        alone, cut_alone = finished(started(loading, port, given.listeners, 0, 0, given.seconds))
        show(f"live delay, {given.listeners:,} listeners alone", alone)
        print(f"  the server's share of a core: {(processor_s(pid) - spent) / (given.seconds + 3):.2f}")
        listening = memory_mb(pid, "VmRSS")
        pressing = started(loading, port, LISTENERS, DEAF, HALF_OPEN, given.seconds)
        time.sleep(2)
        heavy = started(read_heavily, port, READERS, given.seconds)
        time.sleep(1)
        asking = started(ask_in_turn, port, trace_id, given.seconds - 2)
        others, visible, failed = finished(asking)
        heavy_times, heavy_answers = finished(heavy)
        pressed, cut = finished(pressing)
        stop.set()
        program.join()
        most, kept = memory_mb(pid, "VmHWM"), memory_mb(pid, "VmRSS")
    for name, times in others.items():
        show(f"under pressure: {name}", times)
    show("under pressure: all of these", answers := [each for times in others.values() for each in times])
    show(f"live delay, {LISTENERS} listeners under pressure", pressed)
    show("from a span's acknowledgement to /events", visible)
    if len(heavy_times) > 1:
        show("the heavy reads themselves", heavy_times)
    print(f"heavy reads by status: {dict(heavy_answers)}; cut: {dict(cut_alone + cut)}; not answered: {dict(failed)}")
    print(f"memory: {base:.0f} MB at first, {listening:.0f} with listeners, {most:.0f} at most, {kept:.0f} afterwards")
    return judged(
        quantiles(alone)[1],
        quantiles(answers)[1],
        quantiles(pressed)[1],
        quantiles(pressed)[2],
        max(visible),
        most,
        heavy_answers["cut"] + failed.total() + cut.total() + cut_alone.total(),
    )


def judged(*results: float) -> int:
    """Print each result beside its budget; returns 1 where one is missed."""
    missed = 0
    for (what, budget), result in zip(BUDGETS.items(), results, strict=True):
        missed += result > budget
        print(f"{what:58} {result:9.1f}  budget {budget:6,} {'MISSED' if result > budget else 'kept'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
