"""A receiver on loopback that answers as it is told, and spool files written as a recorder writes them."""

import fcntl
import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from loopback import Quiet, serving_http
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from sent import request_of, span_of

PROCESS = "20261122T100000-4711-00c0ffee"
START_NS = 1_795_000_000_000_000_000


@dataclass
class Receiver:
    """What came in, and what will be answered: each answer once, then 200."""

    url: str = ""
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    requests: list[list[dict[str, Any]]] = field(default_factory=list)
    """The spans of each request that was not refused."""
    headers: list[dict[str, str]] = field(default_factory=list)
    is_inspector: bool = False
    most_spans: int = 10**9
    refuses: Callable[[dict[str, Any]], bool] = lambda span: False

    @property
    def names(self) -> list[str]:
        return [span["name"] for spans in self.requests for span in spans]

    def answer(self, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        self.headers.append(headers)
        if self.answers:
            return self.answers.pop(0)
        spans = _spans(headers, gzip.decompress(body))
        if len(spans) > self.most_spans:
            return 413, {}, b""
        if any(map(self.refuses, spans)):
            return 400, {}, b""
        self.requests.append(spans)
        return 200, {"Inspector-Takes": "running"} if self.is_inspector else {}, b""


def _spans(headers: dict[str, str], body: bytes) -> list[dict[str, Any]]:
    if headers["content-type"] == "application/json":
        request = json.loads(body)
    else:
        request = MessageToDict(ExportTraceServiceRequest.FromString(body))
    groups = request.get("resourceSpans", [])
    return [span for group in groups for part in group["scopeSpans"] for span in part.get("spans", [])]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(Quiet):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status, headers, answer = found.answer({key.lower(): value for key, value in self.headers.items()}, body)
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    with serving_http(Handler) as server:
        found.url = f"http://127.0.0.1:{server.server_port}"
        yield found


def _span(number: int, *, ended: bool = True, **more: Any) -> dict[str, Any]:
    end = str(START_NS + 10**9) if ended else None
    fields = {"name": f"span {number}", "startTimeUnixNano": str(START_NS), "endTimeUnixNano": end, **more}
    return span_of(number + 1, {"number": number}, **fields)


def _line(*spans: dict[str, Any]) -> bytes:
    return json.dumps(request_of(*spans, service="tester")).encode() + b"\n"


@pytest.fixture
def span() -> Callable[..., dict[str, Any]]:
    return _span


@pytest.fixture
def line() -> Callable[..., bytes]:
    return _line


@dataclass
class Segments:
    directory: Path

    def write(self, *lines: bytes, number: int = 0, process: str = PROCESS) -> Path:
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self.directory / f"{process}.{number:06d}.jsonl"
        with path.open("ab") as file:
            file.write(b"".join(lines))
        return path

    @contextmanager
    def alive(self, path: Path) -> Iterator[None]:
        with path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


@pytest.fixture
def segments(tmp_path: Path) -> Segments:
    return Segments(tmp_path / "outbox")
