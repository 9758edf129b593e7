"""Real servers that receive OTLP, and what senders send them."""

import gzip
import http.client
import json
import re
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import waiting
from lines import make_request, make_span, otlp_attributes
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from protobuf_values import put_value
from served import SECRET, Served, serving_home

__all__ = ["make_request", "make_span", "otlp_attributes"]

START_NS = 1_795_000_000_000_000_000


class Server(Served):
    def post(self, body: bytes, media_type: str = "application/x-protobuf", /, **headers: str) -> "Answer":
        return self.export("/v1/traces", body, media_type, **headers)

    def export(self, path: str, body: bytes, media_type: str, /, **headers: str) -> "Answer":
        head = {"Authorization": f"Bearer {SECRET}", "Content-Type": media_type}
        head |= {name.replace("_", "-"): value for name, value in headers.items()}
        # A kept connection: one that is to be closed may be closed before a large body was sent.
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=60)
        with closing(connection):
            connection.request("POST", path, body, head)
            answer = connection.getresponse()
            return Answer(answer.status, {key.lower(): value for key, value in answer.headers.items()}, answer.read())

    def post_json(self, request: Any, **headers: str) -> "Answer":
        return self.post(json.dumps(request).encode(), "application/json", **headers)

    def post_gzip(self, packed: bytes, media_type: str = "application/x-protobuf") -> "Answer":
        return self.post(packed, media_type, Content_Encoding="gzip")

    def get(self, path: str) -> Any:
        request = urllib.request.Request(f"{self.url}{path}", headers={"Authorization": f"Bearer {SECRET}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def left_out(self, field: str) -> int:
        """How many spans, logs or data points were left out so far for this field."""
        request = urllib.request.Request(f"{self.url}/metrics", headers={"Authorization": f"Bearer {SECRET}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
        found = re.search(rf'^inspector_otlp_left_out_total\{{field="{field}"\}} (\d+)$', text, re.MULTILINE)
        return int(found[1]) if found else 0

    def event(self, span_id: str, trace_id: str = f"{1:032x}") -> Any:
        return self.get(f"/events/{span_id}?trace_id={trace_id}")

    def span_ids(self, trace_id: str = f"{1:032x}") -> list[str]:
        return [event["span_id"] for event in self.get(f"/events?trace_id={trace_id}&limit=1000&order=asc")["items"]]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "")

    @property
    def rejected(self) -> int:
        """How many spans a 200 says were left out."""
        assert self.status == 200, (self.status, self.body[:500])
        if self.media_type == "application/json":
            return int(json.loads(self.body).get("partialSuccess", {}).get("rejectedSpans", 0))
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

        return ExportTraceServiceResponse.FromString(self.body).partial_success.rejected_spans

    @property
    def message(self) -> str:
        """The text of a ``google.rpc.Status``, in whichever encoding."""
        if self.media_type == "application/json":
            return json.loads(self.body)["message"]
        from google.rpc.status_pb2 import Status

        return Status.FromString(self.body).message


@contextmanager
def serving(
    fork_python: Callable[..., Any], home: Path, *, prelude: str = "", troubled: bool = False, **environment: str
) -> Iterator[Server]:
    with serving_home(fork_python, home, prelude=prelude, **environment) as served:
        yield Server(served.process, served.url, served.grpc, served.home, served.log)
    assert troubled or "Traceback" not in served.log.read_text(), served.log.read_text()[-3000:]


@pytest.fixture(scope="session")
def serve_home(fork_python) -> Callable[..., Any]:
    return partial(serving, fork_python)


@pytest.fixture(scope="module")
def server(tmp_path_factory, serve_home) -> Iterator[Server]:
    """One server for all tests of a module."""
    with serve_home(tmp_path_factory.mktemp("otlp") / "home") as running:
        yield running


def make_pair(key: str, value: Any) -> KeyValue:
    pair = KeyValue(key=key)
    put_value(pair.value, value)
    return pair


@pytest.fixture(scope="session")
def pair() -> Callable[..., KeyValue]:
    return make_pair


@pytest.fixture(scope="session")
def protobuf() -> Callable[..., bytes]:
    """A request in protobuf. Each span is a number, or a dict of fields; attributes are plain values."""

    def make(*spans: Any, resource: dict[str, Any] | None = None, scope: str = "tests") -> bytes:
        request = ExportTraceServiceRequest()
        group = request.resource_spans.add()
        group.resource.attributes.extend(make_pair(*each) for each in (resource or {"service.name": "tests"}).items())
        part = group.scope_spans.add()
        part.scope.name = scope
        for each in spans:
            given = {"span_id": each} if isinstance(each, int) else dict(each)
            attributes = given.pop("attributes", {})
            fields = {
                "trace_id": (1).to_bytes(16, "big"),
                "name": "execute_tool search",
                "kind": 1,
                "start_time_unix_nano": START_NS,
                "end_time_unix_nano": START_NS + 1_000_000,
            } | given
            for name, length in (("trace_id", 16), ("span_id", 8), ("parent_span_id", 8)):
                if isinstance(fields.get(name), int):
                    fields[name] = fields[name].to_bytes(length, "big")
            span = part.spans.add(**fields)
            span.attributes.extend(make_pair(*each) for each in attributes.items())
        return request.SerializeToString()

    return make


@pytest.fixture(scope="session")
def packed() -> Callable[[bytes], bytes]:
    return gzip.compress


@pytest.fixture
def until() -> Callable[..., None]:
    return waiting.until
