"""50,000 hostile requests (with ``--long``; some hundreds without): no 5xx, no hang, no traceback, and bounded memory.

Each is made from its number alone, so that one that fails can be made again by itself.
`--log-cli-level=INFO` shows how many were answered with what.
"""

import json
import logging
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import grpc
import pytest
from hostile_files import DEEP, LINES_OF_A_FILE, import_file, put_odd_entries, spool_file
from hostile_requests import PAGE, Requests, operations_of
from hostile_spans import as_json, as_protobuf, packed
from hostile_values import text
from sending import Answer, Tally, exchange

from inspector.cli.writing.import_files import import_files
from inspector.settings import Settings

logger = logging.getLogger("hostile")

SECRET = "a-secret-of-the-tests-only"
MIB = 1 << 20
MOST_BYTES = 512 * MIB
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
SHARES = {"otlp": 13_000, "grpc": 4_000, "spool": 6_000, "import": 2_000, "reading": 3_000, "http": 22_000}
TRACES = 3_000
"""Spans come again in traces that are there, so that what is stored changes its shape."""
AT_ONCE = 4


def address(server) -> tuple[str, int]:
    host, _, port = server.host.rpartition(":")
    return host, int(port)


def get(server, path: str) -> Answer:
    head = f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {SECRET}\r\nConnection: close\r\n\r\n"
    return exchange(address(server), head.encode())


def got(server, path: str):
    answer = get(server, path)
    assert answer.status == 200, (path, answer)
    return json.loads(answer.body)


def each(count: int, attempt: Callable[[int], tuple[str, bytes, Answer, bool]]) -> Tally:
    """Try so many, some at once, and judge each answer."""
    tally = Tally()

    def tried(number: int) -> tuple[str, bytes, Answer, bool]:
        try:
            return attempt(number)
        except TimeoutError:
            return f"hang of number {number}", b"", Answer(599), True

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for kind, sent, answer, whole in pool.map(tried, range(count)):
            tally.judge(kind, sent, answer, whole=whole)
    return tally


def withstood(server, tally: Tally) -> None:
    """Whether the server did all that was asked of it, and does what it did before."""
    logger.info("%s\n%d requests, %d MiB", tally.table(), tally.requests, server.largest_bytes() / MIB)
    log = server.log.read_text(errors="replace")
    assert not tally.failures, f"{len(tally.failures)} failures\n" + "\n".join(tally.failures[:5])
    assert "Traceback" not in log, log[:4000]
    assert server.process.poll() is None
    assert get(server, "/healthz").status == 200
    assert server.largest_bytes() < MOST_BYTES


@pytest.fixture(scope="module")
def trace_ids(server):
    ids: list[str] = []
    cursor = ""
    while len(ids) < 1_000:
        page = got(server, f"/traces?limit=200{cursor}")
        ids += [trace["trace_id"] for trace in page["items"]]
        if not page["next_cursor"]:
            break
        cursor = f"&cursor={page['next_cursor']}"
    return ids


@pytest.mark.slow
def test_otlp_over_http(server, many):
    def attempt(number):
        rng = random.Random(f"otlp {number}")
        trace = 1 + number % TRACES
        (kind, body), media = rng.choice(((as_json(rng, trace), "json"), (as_protobuf(rng, trace), "x-protobuf")))
        headers = f"Content-Type: application/{media}\r\n"
        if rng.random() < 0.25:
            body, encoding = packed(rng, body)
            headers += f"Content-Encoding: {encoding}\r\n"
            kind = "packed"
        head = f"POST /v1/traces HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {SECRET}\r\n{headers}"
        data = f"{head}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        return f"otlp {media[-8:]} {kind}", data, exchange(address(server), data), True

    withstood(server, each(many(SHARES["otlp"]), attempt))


CALLS = {
    "EXPORT": (EXPORT, (("authorization", f"Bearer {SECRET}"),)),
    "no token": (EXPORT, ()),
    "odd token": (EXPORT, (("authorization", "Bearer \x7e" * 200),)),
    "two tokens": (EXPORT, (("authorization", f"Bearer {SECRET}"), ("authorization", "Bearer x"))),
    "bytes for a token": (EXPORT, (("authorization-bin", b"\xff\0"),)),
    "other service": ("/opentelemetry.proto.collector.logs.v1.LogsService/Export", ()),
    "other method": (EXPORT + "/../../x", (("x" * 200, "y" * 2_000),)),
}
NO_FAILURE = {
    *("OK", "INVALID_ARGUMENT", "UNAUTHENTICATED", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED"),
    "UNAVAILABLE",
}


def test_otlp_over_grpc(server, many):
    with grpc.insecure_channel(server.grpc) as channel:

        def attempt(number):
            rng = random.Random(f"grpc {number}")
            kind, body = as_protobuf(rng, 1 + number % TRACES)
            name = "EXPORT" if rng.random() < 0.8 else rng.choice(list(CALLS))
            method, metadata = CALLS[name]
            compression = rng.choice((None, grpc.Compression.Gzip, grpc.Compression.Deflate))
            code = "OK"
            try:
                channel.unary_unary(method)(body, metadata=metadata, timeout=20, compression=compression)
            except grpc.RpcError as error:
                code = error.code().name
            failed = code not in NO_FAILURE
            shown = f"grpc {kind}" if name == "EXPORT" else f"grpc {name}"
            return f"{shown} {code}", body, Answer(500 if failed else 200), True

        tally = each(many(SHARES["grpc"]), attempt)
    for number in range(many(200)):
        noise = random.Random(f"noise {number}").randbytes(200)
        with suppress(OSError):
            exchange((server.grpc.rpartition(":")[0], int(server.grpc.rpartition(":")[2])), noise, whole=False)
    withstood(server, tally)


def test_spool_files(server, many):
    spool = server.home / "spool"
    spool.mkdir(mode=0o700, exist_ok=True)
    put_odd_entries(spool)
    ours = []
    for number in range(1, 1 + many(SHARES["spool"]) // LINES_OF_A_FILE):
        name, data = spool_file(random.Random(f"spool {number}"), number)
        (spool / f"x{number}.jsonl" if number % 4 == 0 else spool / f"{name}.part").write_bytes(data)
        if number % 4:
            ours.append((spool / f"{name}.part").rename(spool / name))
    end_s = time.monotonic() + 120
    # Those of other programs stay; they are read in the same pass.
    while any(path.exists() for path in ours):
        assert time.monotonic() < end_s, "the spool was not taken in"
        assert get(server, "/healthz").status == 200
        time.sleep(0.05)
    tally = Tally()
    tally.statuses["spool lines", "taken in"] += many(SHARES["spool"])
    withstood(server, tally)


@pytest.mark.parametrize("owner", ["a server", "the command"])
def test_imported_files(server, many, owner, tmp_path, caplog, monkeypatch):
    home = server.home if owner == "a server" else tmp_path / "home"
    settings = Settings(home=home, token=SECRET, retention_days=36_500)
    count = many(SHARES["import"]) // 2
    names = []
    for number in range(count):
        path = tmp_path / f"{number}.{('json', 'jsonl', 'gz')[number % 3]}"
        path.write_bytes(import_file(random.Random(f"import {owner} {number}"), number))
        names.append(str(path))
    (tmp_path / "deep.json").write_bytes(DEEP)
    taken = import_files(settings, [*names, str(tmp_path / "deep.json"), str(tmp_path), "/dev/null"])
    tally = Tally()
    tally.statuses[f"import by {owner}", "without spans"] += len(taken.bad_files)
    tally.statuses[f"import by {owner}", "with spans"] += count + 3 - len(taken.bad_files)
    assert taken.spans
    for name in names[::20]:
        with Path(name).open() as piped, monkeypatch.context() as patch:
            patch.setattr("sys.stdin", piped)
            taken = import_files(settings, ["-"])
        tally.statuses["import of standard input", "without spans" if taken.bad_files else "with spans"] += 1
    assert not [record for record in caplog.records if record.exc_info]
    withstood(server, tally)


def test_what_is_stored_by_now_can_be_read(server, many, trace_ids):
    paths = [
        "/traces/{}",
        "/traces/{}/outline",
        "/events?trace_id={}&full=true",
        "/events?trace_id={}&q=a",
        "/stats?trace_id={}",
    ]
    paths += [
        "/events?trace_id={}&sort=duration&limit=3",
        "/sessions?limit=20",
        "/traces?timeline=true&limit=20&q={}",
    ]

    def attempt(number):
        path = paths[number % len(paths)].format(trace_ids[number // len(paths) % len(trace_ids)])
        return f"reading {path.split('?')[0].split('/')[1]}", path.encode(), get(server, path), True

    withstood(server, each(many(SHARES["reading"]), attempt))


def test_http(server, many, trace_ids):
    contract = got(server, "/openapi.json")
    pages = [got(server, f"/{kind}?limit=2") for kind in ("events", "traces", "sessions")]
    cursors = tuple(page["next_cursor"] for page in pages if page["next_cursor"])
    spans = [event["span_id"] for event in pages[0]["items"]]
    operations = (*operations_of(contract), *PAGE)
    requests = Requests(server.host, SECRET, operations, cursors, (*trace_ids[:50], *spans, text(random.Random(1))))

    def attempt(number):
        sent = requests.one(random.Random(f"http {number}"))
        answer = exchange(address(server), sent.data, whole=sent.whole, head=sent.head)
        return f"http {sent.kind}", sent.data, answer, sent.whole

    withstood(server, each(many(SHARES["http"]), attempt))


def test_the_shares_are_fifty_thousand():
    assert sum(SHARES.values()) == 50_000
