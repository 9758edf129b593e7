"""Spans a second that the OTLP receiver acknowledges, which means committed, beside what the same work costs at least.

    python benchmarks/otlp.py [--spans 40960] [--batch 512] [--senders 4] [--encoding protobuf|json] [--rounds 3]

The spans are those of `agent_spans.py`: ten-span agent traces whose model calls resend their history and name
their tools, about 1.8 KB each. A real `inspector serve` runs in a process of its own, the senders in others, over kept
connections. The limit is one thread that decodes the same requests with the published protobuf classes and writes them
to plain sqlite3 with five indexes: no server, no search, no sums. Each round measures all of it in turn.
"""

import argparse
import gzip
import http.client
import json
import multiprocessing
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

from agent_spans import Rows
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

TOKEN = "a-token-of-the-benchmark"
SERVE = (
    "from inspector.api import serve; from inspector.settings import Settings\n"
    "serve(Settings(), on_ready=lambda ready: print(ready.url, flush=True))"
)
COLUMNS = [
    *("trace_id", "span_id", "parent_id", "name", "kind", "session_id", "start_ns", "end_ns", "status"),
    *("model", "tool", "input_tokens", "output_tokens", "attributes", "events", "links"),
]
TOOLS = json.dumps(
    [
        {
            "type": "function",
            "name": f"tool-{at}",
            "description": "Looks up what is asked for and returns the entries that match, the best ones first.",
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        }
        for at in range(8)
    ]
)
"""What the tools of an agent take, which most libraries send with every model call."""
OPERATIONS = {"llm": "chat", "tool": "execute_tool", "agent": "invoke_agent", "workflow": "invoke_workflow"}


def requests(spans: int, batch: int, seed: int) -> list[bytes]:
    """Requests of ten-span traces, as an SDK's batch processor makes them."""
    rows = Rows(seed)
    made, pending = [], []
    while len(made) * batch < spans:
        while len(pending) < batch:
            pending += rows.trace()
        request = ExportTraceServiceRequest()
        group = request.resource_spans.add()
        group.resource.attributes.extend(pairs({"service.name": "bench", "telemetry.sdk.language": "python"}))
        part = group.scope_spans.add()
        part.scope.name, part.scope.version = "bench.agent", "1.0"
        for span in pending[:batch]:
            add(part, span)
        pending = pending[batch:]
        made.append(request.SerializeToString())
    return made


def add(part, span) -> None:
    out = part.spans.add(
        trace_id=bytes.fromhex(span.trace_id),
        span_id=bytes.fromhex(span.span_id),
        parent_span_id=bytes.fromhex(span.parent_id or ""),
        name=span.name,
        kind=1,
        start_time_unix_nano=span.start_ns,
        end_time_unix_nano=span.end_ns,
    )
    attributes = {"gen_ai.operation.name": OPERATIONS.get(span.kind), "gen_ai.agent.name": span.agent}
    if span.kind == "llm":
        attributes |= {"gen_ai.provider.name": "openai", "gen_ai.tool.definitions": TOOLS}
    out.attributes.extend(pairs(attributes | dict(span.attributes)))
    if span.error:
        out.status.code = 2
        event = out.events.add(name="exception", time_unix_nano=span.end_ns)
        event.attributes.extend(pairs({"exception.type": span.error.type, "exception.message": span.error.message}))


def pairs(attributes):
    for key, value in attributes.items():
        if value is None:
            continue
        pair = KeyValue(key=key)
        if isinstance(value, str):
            pair.value.string_value = value
        elif isinstance(value, float):
            pair.value.double_value = value
        else:
            pair.value.int_value = value
        yield pair


def as_json(body: bytes) -> bytes:
    """The same request in OTLP's JSON."""
    from google.protobuf import json_format

    request = json_format.MessageToDict(ExportTraceServiceRequest.FromString(body))
    original = ExportTraceServiceRequest.FromString(body)
    for group, given in zip(request["resourceSpans"], original.resource_spans, strict=True):
        for part, spans in zip(group["scopeSpans"], given.scope_spans, strict=True):
            for span, source in zip(part["spans"], spans.spans, strict=True):
                span["traceId"], span["spanId"] = source.trace_id.hex(), source.span_id.hex()
                span["parentSpanId"], span["kind"] = source.parent_span_id.hex(), source.kind
                if "status" in span:
                    span["status"] = {"code": 2}
    return json.dumps(request, separators=(",", ":")).encode()


def limit(bodies: list[bytes], directory: Path, batch: int) -> float:
    """Seconds that decoding to rows and plain inserts take in one thread."""
    database = sqlite3.connect(directory / "raw.db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(f"CREATE TABLE spans (id INTEGER PRIMARY KEY, {', '.join(COLUMNS)})")
    for at, columns in enumerate(("trace_id", "start_ns", "session_id, start_ns", "kind, start_ns", "status")):
        database.execute(f"CREATE INDEX i{at} ON spans ({columns})")
    insert = f"INSERT INTO spans ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
    began = time.perf_counter()
    for body in bodies:
        rows = list(plain_rows(body))
        assert len(rows) <= batch
        database.execute("BEGIN IMMEDIATE")
        database.executemany(insert, rows)
        database.execute("COMMIT")
    spent = time.perf_counter() - began
    database.close()
    return spent


def plain_rows(body: bytes):
    for group in ExportTraceServiceRequest.FromString(body).resource_spans:
        for part in group.scope_spans:
            for span in part.spans:
                attributes = {}
                for pair in span.attributes:
                    value = pair.value
                    attributes[pair.key] = getattr(value, value.WhichOneof("value"))
                get = attributes.get
                yield (
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    span.name,
                    get("gen_ai.operation.name"),
                    get("session.id"),
                    span.start_time_unix_nano,
                    span.end_time_unix_nano,
                    span.status.code,
                    get("gen_ai.response.model"),
                    get("gen_ai.tool.name"),
                    get("gen_ai.usage.input_tokens"),
                    get("gen_ai.usage.output_tokens"),
                    json.dumps(attributes),
                    None,
                    None,
                )


def send(port: int, bodies, headers, start, times) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    start.wait()
    for body in bodies:
        began = time.perf_counter()
        while True:
            connection.request("POST", "/v1/traces", body, headers)
            answer = connection.getresponse()
            text = answer.read()
            if answer.status == 200 and not text.strip(b"{}"):
                break
            assert answer.status == 503, (answer.status, text)
            time.sleep(0.1)
        times.put((began, time.perf_counter()))
    connection.close()


class Used:
    """What the server and the processes that it begins use, until it ends: processor time, and memory at its most."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._cpu: dict[int, float] = {}
        self.peak_mb = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def cpu_s(self) -> float:
        self._sample()
        return sum(self._cpu.values())

    def close(self) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.1):
            self._sample()

    def _sample(self) -> None:
        processes = [self._pid, *children(self._pid)]
        for pid in processes:
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                self._cpu[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        self.peak_mb = max(self.peak_mb, sum(map(shared_fairly, processes)))


def children(pid: int) -> list[int]:
    found = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def shared_fairly(pid: int) -> float:
    """The memory of a process in MB, what it shares with others divided among them."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1000
    return 0.0


class Measured(NamedTuple):
    seconds: float
    """Until all is acknowledged."""
    each: list[float]
    """The seconds of each request."""
    search_s: float
    """From then until search knows it as well."""
    cpu_s: float
    """Of the server's processes, until all is acknowledged."""
    peak_mb: float


def received(bodies: list[bytes], headers: dict[str, str], senders: int, serve=SERVE, watch=Used) -> Measured:
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "INSPECTOR_HOME": f"{home}/home", "INSPECTOR_PORT": "0", "INSPECTOR_TOKEN": TOKEN}
        env["INSPECTOR_RETENTION_DAYS"] = "36500"
        server = subprocess.Popen([sys.executable, "-c", serve], env=env, stdout=subprocess.PIPE, text=True)
        used = watch(server.pid)
        try:
            port = int(server.stdout.readline().rpartition(":")[2])
            head = {"Authorization": f"Bearer {TOKEN}", **headers}
            wait_until_warm(port, head)
            start, times = multiprocessing.Barrier(senders), multiprocessing.SimpleQueue()
            processes = [
                multiprocessing.Process(target=send, args=(port, bodies[at::senders], head, start, times))
                for at in range(senders)
            ]
            before_s = used.cpu_s()
            for each in processes:
                each.start()
            spans = sorted(times.get() for _ in bodies)
            for each in processes:
                each.join()
            cpu_s = used.cpu_s() - before_s
            began, ended = min(at for at, _ in spans), max(at for _, at in spans)
            while ready(port, head)["search_behind"]:
                time.sleep(0.02)
            each = [stop - at for at, stop in spans]
            return Measured(ended - began, each, time.perf_counter() - ended, cpu_s, used.peak_mb)
        finally:
            used.close()
            server.terminate()
            server.wait()
            server.stdout.close()


def wait_until_warm(port: int, headers) -> None:
    """The price list takes a second to load, which a server spends once."""
    for _ in count():
        ready(port, headers)
        if time.monotonic() > wait_until_warm.until:
            return
        time.sleep(0.2)


wait_until_warm.until = 0.0


def ready(port: int, headers) -> dict:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/readyz", headers={"Authorization": headers["Authorization"]})
    found = json.loads(connection.getresponse().read())
    connection.close()
    return found


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--spans", type=int, default=40_960)
    options.add_argument("--batch", type=int, default=512)
    options.add_argument("--senders", type=int, default=4)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--encoding", choices=["protobuf", "json"], action="append")
    given = options.parse_args()
    bodies = requests(given.spans, given.batch, seed=7)
    spans = len(bodies) * given.batch
    print(f"{spans:,} spans, {sum(map(len, bodies)) / spans:,.0f} bytes each, {given.batch} a request, ", end="")
    print(f"{given.senders} senders\n{'':34} spans/s  of limit   p50 ms   p99 ms  CPU us  search after s  peak MB")
    kinds = {}
    for encoding in given.encoding or ["protobuf", "json"]:
        content = bodies if encoding == "protobuf" else [as_json(body) for body in bodies]
        headers = {"Content-Type": "application/x-protobuf" if encoding == "protobuf" else "application/json"}
        kinds[encoding] = (content, headers)
        kinds[f"{encoding}, gzip"] = (
            [gzip.compress(each, 6) for each in content],
            headers | {"Content-Encoding": "gzip"},
        )
    for _ in range(given.rounds):
        with tempfile.TemporaryDirectory() as directory:
            at_most = spans / limit(bodies, Path(directory), given.batch)
        print(f"{'decode + raw sqlite3, one thread':34} {at_most:7,.0f}      1.00")
        for name, (content, headers) in kinds.items():
            wait_until_warm.until = time.monotonic() + 2
            found = received(content, headers, given.senders)
            p50, p99 = (statistics.quantiles(found.each, n=100)[at] * 1000 for at in (49, 98))
            speed = spans / found.seconds
            print(
                f"{name:34} {speed:7,.0f}      {speed / at_most:4.2f}  {p50:7.0f}  {p99:7.0f}  "
                f"{found.cpu_s / spans * 1e6:6.0f}  {found.search_s:14.1f}  {found.peak_mb:7.0f}"
            )


if __name__ == "__main__":
    main()
