import itertools
import json
import sqlite3
from contextlib import closing

import pytest
from msgspec.structs import replace
from patience import PATIENT, let_one_write

from inspector.model import Span, SpanError
from inspector.store.clickhouse import ClickHouseStore, read_address
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.database.engine import driver

START_NS = 1_790_000_000_000_000_000
SECOND_NS = 1_000_000_000


@pytest.fixture(scope="module")
def engine():
    """ClickHouse in this process: what is in its memory is there as long as somebody has it open."""
    with pytest.MonkeyPatch.context() as patch:
        # What is looked for in the background takes time from what is tested.
        let_one_write(patch)
        store = ClickHouseStore(read_address("chdb://memory/open"), limits=PATIENT)
    with closing(store):
        yield store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "inspector.db"


@pytest.fixture
def open_store():
    """Opens stores that are closed when the test is over, and take their time for an answer."""
    opened = []

    def open_one(path, **options):
        store = SqliteStore(path, **{"limits": PATIENT, **options})
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store, path):
    return open_store(path)


@pytest.fixture
def make_span():
    """Builds spans with counted ids and a clock that steps one second."""
    count = itertools.count(1)

    def build(**fields):
        at = next(count)
        start_ns = fields.pop("start_ns", START_NS + at * SECOND_NS)
        span = Span(
            trace_id=fields.pop("trace_id", "a" * 32),
            span_id=fields.pop("span_id", f"{at:016x}"),
            name=fields.pop("name", "work"),
            kind=fields.pop("kind", "tool"),
            status=fields.pop("status", "ok"),
            start_ns=start_ns,
            end_ns=start_ns + SECOND_NS // 2,
        )
        if span.status in ("running", "lost"):
            span = replace(span, end_ns=None)
        if span.status == "error":
            span = replace(span, error=SpanError("ValueError", "it failed"))
        return replace(span, **fields)

    return build


@pytest.fixture
def rows_of(path):
    def run(sql, *values):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            return connection.execute(sql, values).fetchall()

    return run


@pytest.fixture
def filled(path, make_span):
    with closing(SqliteStore(path)) as store:
        for at in range(40):
            store.write([make_span(trace_id=f"t{at}", session_id="s", attributes={"x": "y" * 300}) for _ in range(5)])
        while store.index():
            pass
    return path


@pytest.fixture
def steps(store):
    """Counts the instructions of SQLite's virtual machine that the writer runs in some work, in hundreds."""

    def count(work):
        counted = []
        with store._write() as connection:
            raw = driver(connection)
        raw.set_progress_handler(lambda: counted.append(1), 100)
        try:
            work()
        finally:
            raw.set_progress_handler(None, 0)
        return len(counted)

    return count


@pytest.fixture
def ask(make_span):
    """Builds a model call that is over; each is a trace of its own, of one run."""

    def build(messages, answer=None, **fields):
        lane, request, response = (fields.pop(name, None) for name in ("lane", "request", "response"))
        attributes = {"gen_ai.input.messages": json.dumps(messages)}
        if answer is not None:
            attributes["gen_ai.output.messages"] = json.dumps([{**answer, "finish_reason": "stop"}])
        if lane is not None:
            attributes["thread.id"] = lane
        if request is not None:
            attributes["mcp.llm.prompt_json"] = json.dumps({"input": "go on", "previous_response_id": request})
        if response is not None:
            attributes["gen_ai.response.id"] = response
        span = make_span(**{"kind": "llm", "run": "r", "process": "p", "attributes": attributes, **fields})
        return replace(span, trace_id=fields.get("trace_id", span.span_id * 2))

    return build


@pytest.fixture
def turn(store, make_span):
    """Writes a model call that asks for tools, those of them that have spans, and the call that brings all results."""

    def write(asked, *spans, run="r", answers=None):
        began = make_span().start_ns
        question = [{"role": "user", "parts": [{"type": "text", "content": f"go {run} {began}"}]}]
        asked = [(name, id_, *(arguments or ({},))) for name, id_, *arguments in asked]
        wants = [
            {"type": "tool_call", "id": id_, "name": name, "arguments": arguments} for name, id_, arguments in asked
        ]
        gave = [
            {"type": "tool_call_response", "id": id_, "response": (answers or {}).get(id_, "fine")}
            for _, id_, _ in asked
        ]
        answer = {"role": "assistant", "parts": wants}
        talks = [question, [*question, answer, {"role": "tool", "parts": gave}]]
        for at, (talk, said) in enumerate(zip(talks, [answer, {"role": "assistant", "parts": []}], strict=True)):
            attributes = {"gen_ai.input.messages": json.dumps(talk), "gen_ai.output.messages": json.dumps([said])}
            start_ns = began + at * SECOND_NS
            times = {"start_ns": start_ns, "end_ns": start_ns + SECOND_NS // 10}
            span = make_span(kind="llm", run=run, process="p", attributes=attributes, **times)
            store.write([replace(span, trace_id=span.span_id * 2)])
        for at, (name, id_, fields) in enumerate(spans):
            attributes = fields.pop("attributes", {}) | ({} if id_ is None else {"gen_ai.tool.call.id": id_})
            start_ns = fields.pop("start_ns", began + SECOND_NS // 2 + at)
            given_ = {"tool": name, "run": run, "process": "p", "start_ns": start_ns, "attributes": attributes}
            span = make_span(**given_, **fields)
            store.write([span if "parent_id" in fields else replace(span, trace_id=span.span_id * 2)])
        return store.turns(run, limit=100).items[0].tools

    return write
