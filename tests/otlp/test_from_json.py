import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.otlp import decode, decode_request
from inspector.otlp.limits import LARGE_REQUEST, MAX_ATTRIBUTES, MAX_DEPTH, MAX_EVENTS, MAX_ITEMS, MAX_KEY, TOO_DEEP
from inspector.reading.dialects import read_span


def test_a_span_is_decoded_field_by_field(make_span, make_request, otlp_attributes):
    span = make_span(
        {"text": "a", "yes": True, "n": -5, "x": 1.5, "list": [1, "b"], "map": {"k": [True]}, "none": None},
        traceId="5B8EFFF798038103D269B633813FC60C",
        spanId="EEE19B7EC3C1B174",
        parentSpanId="eee19b7ec3c1b173",
        kind=3,
        startTimeUnixNano="1544712660000000000",
        endTimeUnixNano=1544712661000000000,
        events=[{"name": "e", "timeUnixNano": "7", "attributes": otlp_attributes({"a": "b"})}],
        links=[{"traceId": "AB", "spanId": "CD", "attributes": otlp_attributes({"l": 1})}],
        status={"code": 2, "message": "no"},
    )
    decoded = decode(make_request(span, process=None, scope={"inspector.dropped": 3, "inspector.dropped_segments": 1}))
    [got] = decoded.spans
    assert msgspec.to_builtins(got) == {
        "trace_id": "5b8efff798038103d269b633813fc60c",
        "span_id": "eee19b7ec3c1b174",
        "parent_id": "eee19b7ec3c1b173",
        "name": "execute_tool search",
        "kind": 3,
        "start_ns": 1544712660000000000,
        "end_ns": 1544712661000000000,
        "status_code": 2,
        "status_message": "no",
        "attributes": {
            "text": "a",
            "yes": True,
            "n": -5,
            "x": 1.5,
            "list": [1, "b"],
            "map": {"k": [True]},
            "none": None,
        },
        "events": [{"name": "e", "time_unix_nano": "7", "attributes": {"a": "b"}}],
        "links": [{"trace_id": "ab", "span_id": "cd", "attributes": {"l": 1}}],
        "resource": {"service.name": "agent"},
        "scope": {
            "name": "mcp-agent-inspector",
            "version": "0.1.0",
            "attributes": {"inspector.dropped": 3, "inspector.dropped_segments": 1},
        },
        "is_log": False,
    }
    assert (dict(decoded.rejected), decoded.malformed) == ({}, None)
    [reported] = decoded.losses
    assert reported.counts == {"dropped": 3, "dropped_segments": 1}
    assert reported.resource == {"service.name": "agent"}


def test_a_line_of_the_collectors_file_exporter_is_decoded():
    line = (Path(__file__).parents[1] / "ingest" / "collector.jsonl").read_bytes()
    decoded = decode(line)
    assert [(span.name, span.kind, span.end_ns) for span in decoded.spans] == [
        ("chat gpt-4o", 3, 1795000001750000000),
        ("execute_tool get_weather", 1, 1795000002000000000),
    ]
    assert decoded.spans[0].attributes["gen_ai.response.finish_reasons"] == ["tool_calls"]
    assert decoded.spans[0].attributes["gen_ai.usage.input_tokens"] == 97


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("traceId", "0" * 32, "trace_id"),
        ("traceId", None, "trace_id"),
        ("traceId", "ab", "trace_id"),
        ("traceId", "g" * 32, "trace_id"),
        ("traceId", "W47/95gDgQPSabYzgT/GDA==", "trace_id"),
        ("traceId", "a" * (1 << 20), "trace_id"),
        ("traceId", "１" * 32, "trace_id"),
        ("traceId", 5, "malformed"),
        ("spanId", "0" * 16, "span_id"),
        ("spanId", "", "span_id"),
        ("spanId", "7uGbfsPBsXM=", "span_id"),
        ("parentSpanId", "abc", "parent_span_id"),
        ("startTimeUnixNano", "-1", "start_time_unix_nano"),
        ("startTimeUnixNano", str(2**64), "start_time_unix_nano"),
        ("startTimeUnixNano", 1.5, "start_time_unix_nano"),
        ("startTimeUnixNano", "9" * 5000, "start_time_unix_nano"),
        ("startTimeUnixNano", "١٢", "start_time_unix_nano"),
        ("endTimeUnixNano", "yesterday", "end_time_unix_nano"),
        ("endTimeUnixNano", True, "malformed"),
        ("endTimeUnixNano", [], "malformed"),
        ("name", 5, "malformed"),
        ("kind", [], "malformed"),
        ("status", "ok", "malformed"),
        ("attributes", {"a": 1}, "malformed"),
        ("attributes", [5], "malformed"),
        ("attributes", [{"key": 5}], "malformed"),
        ("attributes", [{"key": "a", "value": "b"}], "malformed"),
        ("events", [{"name": "e", "timeUnixNano": "x"}], "events"),
        ("events", "e", "malformed"),
        ("links", [[]], "malformed"),
    ],
)
def test_a_bad_span_costs_itself_alone(make_span, make_request, field, value, reason):
    bad = make_span()
    bad[field] = value
    if value is None:
        del bad[field]
    decoded = decode(make_request(make_span(), bad, make_span()))
    assert len(decoded.spans) == 2
    assert dict(decoded.rejected) == {reason: 1}
    assert decoded.malformed is None


def test_numbers_and_enumerations_are_taken_in_every_spelling(make_span, make_request):
    spans = [
        make_span(startTimeUnixNano=1795000000000000000),
        make_span(startTimeUnixNano=1.795e18),
        make_span(startTimeUnixNano=str(2**64 - 1), endTimeUnixNano=2**64 - 1),
        make_span(kind="SPAN_KIND_SERVER", status={"code": "STATUS_CODE_ERROR"}),
        make_span(kind=99, status={"code": -1}),
        make_span(kind="MOON", status={}),
        make_span(startTimeUnixNano=None, endTimeUnixNano="0", status=None, name=None, kind=None),
    ]
    decoded = decode(make_request(*spans))
    assert [span.start_ns for span in decoded.spans[:3]] == [1795000000000000000, 1795000000000000000, 2**64 - 1]
    assert decoded.spans[2].end_ns == 2**64 - 1
    assert [(span.kind, span.status_code) for span in decoded.spans[3:6]] == [(2, 2), (0, 0), (0, 0)]
    assert (decoded.spans[6].start_ns, decoded.spans[6].end_ns, decoded.spans[6].name) == (0, None, "")


@pytest.mark.parametrize(
    ("value", "decoded"),
    [
        ({"intValue": "9223372036854775807"}, 2**63 - 1),
        ({"intValue": "-9223372036854775808"}, -(2**63)),
        ({"intValue": "9223372036854775808"}, "9223372036854775808"),
        ({"intValue": 10**30}, str(10**30)),
        ({"intValue": "five"}, "five"),
        ({"intValue": "1_0"}, "1_0"),
        ({"doubleValue": "NaN"}, "NaN"),
        ({"doubleValue": "-Infinity"}, "-Infinity"),
        ({"doubleValue": "1e400"}, "Infinity"),
        ({"doubleValue": "nan"}, "NaN"),
        ({"doubleValue": "1.5"}, 1.5),
        ({"doubleValue": 3}, 3.0),
        ({"doubleValue": "x"}, "x"),
        ({"bytesValue": "AAEC"}, "AAEC"),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {}}, {}),
        ({}, None),
        (None, None),
        ({"unknownValue": 5}, None),
    ],
)
def test_attribute_values_keep_what_was_sent(make_span, make_request, value, decoded):
    span = make_span(attributes=[{"key": "k", "value": value}])
    [got] = decode(make_request(span)).spans
    assert got.attributes == {"k": decoded}
    msgspec.json.encode(got.attributes)


def test_unknown_fields_are_ignored_at_every_level(make_span, make_request):
    request = json.loads(make_request(make_span()))
    request["new"] = {"a": [1]}
    request["resourceSpans"][0]["schemaUrl"] = 5
    request["resourceSpans"][0]["resource"]["droppedAttributesCount"] = "x"
    request["resourceSpans"][0]["scopeSpans"][0]["spans"][0] |= {"flags": {}, "traceState": 1}
    decoded = decode(json.dumps(request).encode())
    assert (len(decoded.spans), decoded.malformed) == (1, None)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"x",
        b"{",
        b"[]",
        b"5",
        b"null",
        b'"a"',
        b'{"resourceSpans":5}',
        b'{"resourceSpans":[]} {}',
        b'{"resourceSpans":NaN}',
        b'{"a":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}",
        b'{"resourceSpans":[' + b"{}," * 2_000_001 + b"{}]}",
        '{"resourceSpans":[]}'.encode("utf-16"),
        b"\x00" * 100,
    ],
    ids=lambda payload: repr(payload[:20]),
)
def test_what_is_no_request_is_refused_with_a_reason(payload):
    decoded = decode(payload)
    assert decoded.malformed
    assert not decoded.spans


@pytest.mark.parametrize(
    ("bad", "rejected"),
    [({"spanId": "0" * 16}, {"span_id": 1}), ({"traceId": 5}, {"malformed": 1})],
    ids=["no id", "another type"],
)
def test_a_large_request_has_the_spans_that_its_parts_have(make_span, make_request, bad, rejected):
    text = "ab " * (LARGE_REQUEST // 120)
    spans = [make_span({"text": f"{number} {text}"}, spanId=f"{number:016x}") for number in range(1, 42)]
    line = make_request(*spans, make_span(**bad), scope={"inspector.dropped": 3})
    assert len(line) > LARGE_REQUEST
    large, whole = decode_request(line, "json"), decode(line)
    assert list(large.spans) == list(large.spans) == list(whole.spans)
    assert (len(large.spans), large.rejected, large.losses) == (41, rejected, whole.losses)


@pytest.mark.parametrize(
    ("field", "decoded"),
    [
        ({"attributes": [{"key": "a", "value": {"arrayValue": {"values": None}}}]}, ({"a": []}, [], [])),
        ({"attributes": [{"key": "a", "value": {"kvlistValue": {"values": None}}}]}, ({"a": {}}, [], [])),
        (
            {"events": [{"name": None, "timeUnixNano": None, "attributes": None}]},
            ({}, [{"name": "", "time_unix_nano": "0", "attributes": {}}], []),
        ),
        (
            {"links": [{"traceId": None, "spanId": None, "attributes": None}]},
            ({}, [], [{"trace_id": "", "span_id": "", "attributes": {}}]),
        ),
    ],
    ids=["list", "map", "event", "link"],
)
def test_a_null_is_a_field_that_is_missing(make_span, make_request, field, decoded):
    request = decode(make_request(make_span(**({"attributes": []} | field)), process=None))
    assert request.rejected == {}
    (span,) = request.spans
    assert (dict(span.attributes), [*span.events], [*span.links]) == decoded


def test_a_request_without_spans_is_no_mistake():
    for payload in (b"{}", b'{"resourceSpans":null}', b'{"resourceMetrics":[{}]}', b'{"resourceSpans":[{},{}]}'):
        assert decode(payload).malformed is None


def test_bad_text_costs_the_characters_alone(make_span, make_request):
    line = make_request(make_span(name="NAME"), make_span())
    for text in (rb"\ud800", rb"\udc00", rb"\ud800\ud800", b"\xff", b"\xed\xa0\x80", b"\xc3"):
        decoded = decode(line.replace(b"NAME", b"a" + text + b"b"))
        assert decoded.malformed is None
        assert len(decoded.spans) == 2
        name = decoded.spans[0].name
        assert set(name.strip("ab")) == {"\N{REPLACEMENT CHARACTER}"}
    kept = decode(line.replace(b"NAME", rb"\ud83d\ude00 \\ud800 \xff"[:-4] + b"\xff"))
    assert kept.spans[0].name == "😀 \\ud800 \N{REPLACEMENT CHARACTER}"
    assert decode(b"\xef\xbb\xbf" + line).spans[0].name == "NAME"


def test_a_resource_or_scope_of_a_wrong_type_leaves_its_spans(make_span, make_request):
    request = json.loads(make_request(make_span()))
    request["resourceSpans"][0]["resource"] = 5
    request["resourceSpans"][0]["scopeSpans"][0]["scope"] = [1]
    request["resourceSpans"] += ["no", {"scopeSpans": [7]}]
    decoded = decode(json.dumps(request).encode())
    assert len(decoded.spans) == 1
    assert dict(decoded.rejected) == {"resource_spans": 1, "scope_spans": 1}


def test_depth_counts_and_keys_are_capped_and_the_losses_are_told(make_span, make_request):
    def nested(depth):
        return {"stringValue": "x"} if depth == 0 else {"arrayValue": {"values": [nested(depth - 1)]}}

    deep = {"key": "deep", "value": nested(MAX_DEPTH + 1)}
    fine = {"key": "fine", "value": nested(MAX_DEPTH)}
    long = {"key": "k" * 65_536, "value": {"arrayValue": {"values": [{"intValue": "1"}] * (MAX_ITEMS + 1)}}}
    many = [{"key": f"a{n}", "value": {"intValue": "1"}} for n in range(MAX_ATTRIBUTES)]
    first, second = decode(
        make_request(
            make_span(attributes=[deep, fine, long, *many], droppedAttributesCount=4),
            make_span(events=[{"name": "e"}] * (MAX_EVENTS + 5), links=[{}] * (MAX_EVENTS + 6)),
        )
    ).spans
    assert TOO_DEEP in json.dumps(first.attributes["deep"])
    assert TOO_DEEP not in json.dumps(first.attributes["fine"])
    assert len(first.attributes["k" * MAX_KEY]) == MAX_ITEMS
    assert first.attributes["otel.dropped_attributes_count"] == 3 + 4
    assert (len(second.events), len(second.links)) == (MAX_EVENTS, MAX_EVENTS)
    assert second.attributes["otel.dropped_events_count"] == 5
    assert second.attributes["otel.dropped_links_count"] == 6


def test_a_request_nested_too_deeply_to_parse_is_refused(make_span, make_request):
    # Python 3.14 parses what its stack has room for, earlier ones about a thousand levels.
    value = b'{"arrayValue":{"values":[' * 300_000 + b'{"intValue":"1"}' + b"]}}" * 300_000
    line = make_request(make_span(attributes="HERE")).replace(b'"HERE"', b'[{"key":"d","value":' + value + b"}]")
    assert decode(line).malformed == "nested too deeply"


def test_a_parent_that_is_the_span_itself_or_zeros_is_none(make_span, make_request):
    spans = [
        make_span(spanId="ab" * 8, parentSpanId="AB" * 8),
        make_span(parentSpanId="0" * 16),
        make_span(parentSpanId=""),
    ]
    assert [span.parent_id for span in decode(make_request(*spans)).spans] == [None, None, None]


@given(st.binary(max_size=400))
def test_any_bytes_are_answered(payload):
    decode(payload)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "key",
                    "value",
                    "stringValue",
                    "intValue",
                    "doubleValue",
                    "arrayValue",
                    "kvlistValue",
                    "values",
                    "name",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
_FIELDS = [
    "traceId",
    "spanId",
    "parentSpanId",
    "name",
    "kind",
    "startTimeUnixNano",
    "endTimeUnixNano",
    "attributes",
    "droppedAttributesCount",
    "events",
    "links",
    "status",
]


@given(st.lists(st.dictionaries(st.sampled_from(_FIELDS), _json, max_size=6), max_size=4), _json, _json)
def test_any_json_in_any_field_costs_no_more_than_its_span(bad, resource, scope):
    good = {"traceId": "ab" * 16, "spanId": "cd" * 8, "startTimeUnixNano": "5"}
    spans = [*({**good, **fields} for fields in bad), good]
    group = {"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}
    decoded = decode(json.dumps({"resourceSpans": [group]}).encode())
    assert decoded.malformed is None
    assert len(decoded.spans) + sum(decoded.rejected.values()) == len(spans)
    for span in decoded.spans:
        msgspec.json.encode(read_span(span).attributes)


_values = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


@given(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), _values, max_size=6),
    st.integers(0, 2**64 - 1),
    st.integers(1, 2**64 - 1),
    st.text(max_size=20),
)
def test_what_is_encoded_comes_back(attributes, start_ns, end_ns, name):
    def value(v):
        if isinstance(v, bool):
            return {"boolValue": v}
        if isinstance(v, int):
            return {"intValue": str(v)}
        if isinstance(v, float):
            return {"doubleValue": v}
        if isinstance(v, str):
            return {"stringValue": v}
        if isinstance(v, list):
            return {"arrayValue": {"values": [value(item) for item in v]}}
        return {"kvlistValue": {"values": [{"key": key, "value": value(item)} for key, item in v.items()]}}

    span = {
        "traceId": "ab" * 16,
        "spanId": "cd" * 8,
        "name": name,
        "startTimeUnixNano": str(start_ns),
        "endTimeUnixNano": str(end_ns),
        "attributes": [{"key": key, "value": value(v)} for key, v in attributes.items()],
    }
    payload = msgspec.json.encode({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    [got] = decode(payload).spans
    assert (got.attributes, got.start_ns, got.end_ns, got.name) == (attributes, start_ns, end_ns, name)
