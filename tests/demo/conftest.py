import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from emitted import watching
from spooled import attributes_of, requests_of

ROOT = Path(__file__).parents[2]


@dataclass
class Recorded:
    """A span as it stands in the spool: the last record of its id."""

    service: str
    name: str
    span_id: str
    parent_id: str
    trace_id: str
    kind: int
    start_ns: int
    end_ns: int | None
    attributes: dict = field(default_factory=dict)
    events: list = field(default_factory=list)

    @property
    def hook(self):
        return self.attributes.get("inspector.hook")

    @property
    def status(self):
        return self.attributes.get("inspector.status")


@dataclass
class Run:
    """One finished run of the demo: what it said and what its processes left in their spools."""

    home: Path
    trace_id: str
    spans: list[Recorded]

    def of(self, hook, service=None):
        return [each for each in self.spans if each.hook == hook and service in (None, each.service)]

    def named(self, name, service=None):
        return [each for each in self.spans if each.name == name and service in (None, each.service)]

    def parent(self, span):
        return next((each for each in self.spans if each.span_id == span.parent_id), None)


def _read_spool(home):
    spans = {}
    for segment in sorted((home / "spool").glob("*.jsonl")):
        whole, _, _ = segment.read_text().rpartition("\n")
        for request in requests_of(whole.splitlines()):
            for resource in request["resourceSpans"]:
                service = attributes_of(resource["resource"]["attributes"])["service.name"]
                for scope in resource["scopeSpans"]:
                    for span in scope["spans"]:
                        spans[span["spanId"]] = Recorded(
                            service=service,
                            name=span["name"],
                            span_id=span["spanId"],
                            parent_id=span.get("parentSpanId", ""),
                            trace_id=span["traceId"],
                            kind=span["kind"],
                            start_ns=int(span["startTimeUnixNano"]),
                            end_ns=int(span["endTimeUnixNano"]) if "endTimeUnixNano" in span else None,
                            attributes=attributes_of(span["attributes"]),
                            events=span.get("events", []),
                        )
    return sorted(spans.values(), key=lambda span: span.start_ns)


@pytest.fixture
def read_spool():
    return _read_spool


@pytest.fixture
def demo_command():
    return [sys.executable, "-m", "inspector.demo"]


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    done = subprocess.run(
        [sys.executable, "-m", "inspector.demo"],
        cwd=ROOT,
        env={**os.environ, **watching(ROOT), "INSPECTOR_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return Run(home, done.stdout.strip(), _read_spool(home))
