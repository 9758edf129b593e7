import json
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from lists import walk

from inspector.model import Filter
from inspector.otlp import decode, export_lines
from inspector.reading.dialects import read_span
from inspector.store.sqlite import SqliteStore

EXPORTS = sorted(Path(__file__).parent.glob("exports/*.json*"))
KEPT = ("seq",)


@pytest.fixture
def new_store(tmp_path_factory):
    opened = []

    def new_store():
        store = SqliteStore(tmp_path_factory.mktemp("home") / "inspector.db")
        opened.append(store)
        return store

    yield new_store
    for store in opened:
        store.close()


def write(store, *payloads):
    for payload in payloads:
        decoded = decode(payload)
        assert decoded.malformed is None
        store.write([read_span(span) for span in decoded.spans])


def everything(store):
    return walk(store.events, Filter(), order="asc", limit=100, full=True)


def plain(event):
    def value(name):
        found = getattr(event, name)
        return (
            json.loads(bytes(found))
            if name in ("input", "output", "attributes", "events", "links") and found
            else found
        )

    return {name: value(name) for name in event.__dataclass_fields__ if name not in KEPT}


def test_there_are_exports_of_other_programs_to_try():
    assert len(EXPORTS) > 10


@pytest.mark.sweep(6)
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_what_any_library_sent_comes_back_the_same(new_store, path):
    first, second = new_store(), new_store()
    write(first, *path.read_bytes().splitlines())
    exported = list(export_lines(everything(first)))
    write(second, *exported)
    assert [plain(event) for event in everything(second)] == [plain(event) for event in everything(first)]


@pytest.mark.sweep(6)
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_what_is_imported_twice_is_there_once(new_store, path):
    first, second = new_store(), new_store()
    write(first, *path.read_bytes().splitlines())
    lines = list(export_lines(everything(first)))
    write(second, *lines)
    last = second.last_seq()
    write(second, *lines)
    assert second.last_seq() == last


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)
keys = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        [
            "gen_ai.operation.name",
            "gen_ai.system",
            "gen_ai.tool.name",
            "gen_ai.usage.input_tokens",
            "gen_ai.request.model",
            "gen_ai.input.messages",
            "inspector.hook",
            "inspector.status",
            "inspector.exported",
            "inspector.normalised",
            "span.kind",
            "otel.scope.name",
            "otel.dropped_attributes_count",
            "service.version",
            "session.id",
            "error.type",
            "mcp.method.name",
            "__proto__",
        ]
    ),
)


def any_value(value):
    if value is None:
        return {}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return (
            {"doubleValue": value if abs(value) < 1e308 else str(value)} if value == value else {"doubleValue": "NaN"}
        )
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(item) for item in value]}}
    return {"kvlistValue": {"values": pairs(value)}}


def pairs(attributes):
    return [{"key": key, "value": any_value(value)} for key, value in attributes.items()]


spans = st.fixed_dictionaries(
    {
        "name": st.text(max_size=10),
        "kind": st.integers(0, 5),
        "ended": st.booleans(),
        "status": st.fixed_dictionaries({"code": st.integers(0, 2), "message": st.text(max_size=5)}),
        "attributes": st.dictionaries(keys, values, max_size=6),
        "events": st.lists(st.dictionaries(keys, values, max_size=2), max_size=2),
        "scope": st.text(max_size=5),
        "service": st.text(max_size=5),
        "dropped": st.integers(0, 3),
        "times": st.tuples(st.integers(1, 2**64 - 1), st.integers(1, 2**64 - 1)),
    }
)


def request(number, span):
    start, end = span["times"]
    body = {
        "traceId": f"{1:032x}",
        "spanId": f"{number + 1:016x}",
        "parentSpanId": f"{number:016x}" if number % 2 else "",
        "name": span["name"],
        "kind": span["kind"],
        "startTimeUnixNano": str(start),
        "status": span["status"],
        "attributes": pairs(span["attributes"]),
        "events": [{"name": "e", "timeUnixNano": "5", "attributes": pairs(each)} for each in span["events"]],
        "links": [{"traceId": f"{7:032x}", "spanId": f"{8:016x}", "attributes": []}],
        "droppedAttributesCount": span["dropped"],
    }
    if span["ended"]:
        body["endTimeUnixNano"] = str(end)
    resource = {"attributes": pairs({"service.name": span["service"], "service.version": "1"})}
    scope = {"scope": {"name": span["scope"], "version": "2"}, "spans": [body]}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}).encode()


@given(st.lists(spans, min_size=1, max_size=4))
# Without shrinking, which takes minutes with two databases an example; what is found is small as it is.
@settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_whatever_a_span_holds_comes_back_the_same(tmp_path_factory, found):
    first = SqliteStore(tmp_path_factory.mktemp("one") / "inspector.db")
    second = SqliteStore(tmp_path_factory.mktemp("two") / "inspector.db")
    try:
        write(first, *(request(number, span) for number, span in enumerate(found)))
        write(second, *export_lines(everything(first)))
        ours, theirs = ({event.span_id: plain(event) for event in everything(each)} for each in (first, second))
        assert theirs == ours
    finally:
        first.close()
        second.close()


def test_a_lost_call_and_the_price_of_its_day_come_back(new_store):
    first, second = new_store(), new_store()
    attributes = {
        "inspector.hook": "llm_generate",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4.1",
        "gen_ai.provider.name": "openai",
        "gen_ai.usage.input_tokens": 1000,
    }
    span = {
        "name": "chat",
        "kind": 3,
        "ended": False,
        "status": {},
        "attributes": attributes,
        "events": [],
        "scope": "x",
        "service": "s",
        "dropped": 0,
        "times": (1, 2),
    }
    payload = json.loads(request(0, span))
    payload["resourceSpans"][0]["resource"]["attributes"].append(
        {"key": "inspector.process", "value": {"stringValue": "p"}}
    )
    write(first, json.dumps(payload).encode())
    first.mark_lost(["p"])
    (line,) = export_lines(everything(first))
    cheaper = line.replace(b'"doubleValue":0.002', b'"doubleValue":0.5')
    assert cheaper != line
    write(second, cheaper)
    (event,) = everything(second)
    assert (event.status, event.cost_usd) == ("lost", 0.5)
    assert "inspector.exported" not in plain(event)["attributes"]
