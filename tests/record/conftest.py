"""A recorder whose times and ids count up, writing to a real spool, and a reader of what it wrote."""

from itertools import count

import pytest
from opentelemetry import context as otel_context
from spooled import attributes_of, records

from inspector.record.calls import current, notices
from inspector.record.calls.spans import Clock, Ids
from inspector.record.lines.renderer import Renderer
from inspector.record.lines.texts import Texts
from inspector.record.mirror import Mirror
from inspector.record.process.identity import describe_process
from inspector.record.recorder import Recorder
from inspector.record.spool.sleep import PAUSES
from inspector.record.spool.writer import SpoolWriter
from inspector.redaction import Redactor


class SteppingClock(Clock):
    """Every look at it is one second later."""

    def __init__(self):
        self._steps = count(1)

    def now_ns(self):
        return next(self._steps) * 1_000_000_000

    def tick_ns(self):
        return next(self._steps) * 1_000_000_000


class StillClock(Clock):
    """Stands still but for what a test lets pass."""

    def __init__(self):
        self.passed_ns = 1_000_000_000

    def now_ns(self):
        return self.passed_ns

    def tick_ns(self):
        return self.passed_ns


class CountingIds(Ids):
    """1, 2, 3 …"""

    def reseed(self):
        self._numbers = count(1)

    def span_id(self):
        return next(self._numbers)

    def trace_id(self):
        return 0xA000 + next(self._numbers)


class Recording:
    """A subscribed recorder and its spool directory."""

    def __init__(
        self,
        directory,
        *,
        content=True,
        real_ids=False,
        still=False,
        max_bytes=1 << 20,
        longest=48 << 20,
        max_calls=200_000,
        tracer=None,
        pauses=PAUSES,
        **redaction,
    ):
        self.directory = directory
        texts = Texts(Redactor(**redaction), max_bytes=max_bytes, content=content)
        renderer = Renderer(texts, describe_process("p-1", service="tests", version="0"), longest=longest)
        self.spool = SpoolWriter(directory, "p-1", renderer, max_calls=max_calls, pauses=pauses)
        self.clock, ids = (Clock(), Ids()) if real_ids else (StillClock() if still else SteppingClock(), CountingIds())
        mirror = None if tracer is None else Mirror(tracer, texts)
        self.recorder = Recorder(self.spool, clock=self.clock, ids=ids, mirror=mirror, keeps_raw=texts.raw)
        self.recorder.subscribe()

    def records(self):
        assert self.spool.flush(10)
        found = records(self.directory)
        for span in found:
            for part in (span, *span.get("events", ())):
                part["attributes"] = attributes_of(part["attributes"])
        return found

    def spans(self):
        last = {span["spanId"]: span for span in self.records()}
        return sorted(last.values(), key=lambda span: int(span["startTimeUnixNano"]))

    def close(self):
        self.recorder.unsubscribe()
        self.spool.close()


@pytest.fixture(autouse=True)
def outside_of_calls():
    """Nothing that a test leaves open is around the next one: they run in one context."""
    yield
    current._innermost.set(None)
    notices._waiting.set(None)
    otel_context.attach(otel_context.Context())


@pytest.fixture
def record(tmp_path):
    made = []

    def make(**options):
        made.append(Recording(tmp_path / f"spool{len(made)}", **options))
        return made[-1]

    yield make
    for recording in made:
        recording.close()
