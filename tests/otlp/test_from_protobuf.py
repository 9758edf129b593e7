"""Protobuf decodes to what the same request in JSON decodes to, and one bad span costs itself."""

import base64
import json
import math

import msgspec
import pytest
from google.protobuf import json_format
from hypothesis import example, given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span
from protobuf_values import add_pairs

from inspector.otlp import decode, decode_protobuf, decode_request, to_protobuf
from inspector.otlp.from_protobuf import _MOST_SHORT_PAIRS, _short_pairs
from inspector.otlp.limits import LARGE_REQUEST, MAX_ATTRIBUTES, MAX_DEPTH, MAX_EVENTS, MAX_ITEMS, TOO_DEEP

START_NS = 1_795_000_000_000_000_000
UINT64 = st.integers(0, 2**64 - 1)
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
SIZED = st.sampled_from([0, 1, 122, 123, 124, 125, 126, 127, 128, 129, 130, 1000, 16_376, 16_380, 16_384, 16_390]).map(
    lambda size: "x" * size
)
INT64 = st.sampled_from([0, 1, 127, 128, 255, 16_383, 16_384, 2**31, 2**63 - 1, -1, -(2**63)]) | st.integers(
    -(2**63), 2**63 - 1
)
SCALARS = st.none() | st.booleans() | INT64 | st.floats() | TEXT | SIZED | st.binary(max_size=20)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))
KEYS = st.sampled_from(["gen_ai.request.model", "session.id", "a"]) | TEXT
ATTRIBUTES = st.dictionaries(KEYS, VALUES, max_size=6)
IDS = st.binary(min_size=8, max_size=8) | st.just(bytes(8))
SPANS = st.fixed_dictionaries(
    {
        "trace_id": st.binary(min_size=16, max_size=16) | st.sampled_from([b"", b"x", bytes(16), b"x" * 17]),
        "span_id": IDS | st.sampled_from([b"", b"x" * 7]),
        "parent_span_id": IDS | st.sampled_from([b"", b"x" * 16]),
        "name": TEXT,
        "kind": st.integers(-1, 7),
        "start": UINT64,
        "end": UINT64 | st.just(0),
        "status": st.none() | st.tuples(st.integers(-1, 4), TEXT),
        "attributes": ATTRIBUTES,
        "events": st.lists(st.tuples(TEXT, UINT64, ATTRIBUTES), max_size=2),
        "links": st.lists(st.tuples(st.binary(min_size=16, max_size=16), IDS, ATTRIBUTES), max_size=2),
        "dropped": st.integers(0, 2**32 - 1) | st.just(0),
    }
)
GROUPS = st.lists(
    st.tuples(
        st.none() | ATTRIBUTES, st.none() | st.tuples(TEXT, TEXT, ATTRIBUTES), st.lists(SPANS, min_size=1, max_size=3)
    ),
    max_size=3,
)


def json_value(value):
    match value:
        case None:
            return {}
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            named = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
            return {"doubleValue": value if math.isfinite(value) else named}
        case str():
            return {"stringValue": value}
        case bytes():
            return {"bytesValue": base64.b64encode(value).decode()}
        case list():
            return {"arrayValue": {"values": [json_value(item) for item in value]}}
        case _:
            return {"kvlistValue": {"values": json_pairs(value)}}


def json_pairs(attributes):
    return [{"key": key, "value": json_value(value)} for key, value in attributes.items()]


def in_protobuf(groups):
    request = ExportTraceServiceRequest()
    for resource, scope, spans in groups:
        group = request.resource_spans.add()
        if resource is not None:
            group.resource.SetInParent()
            add_pairs(group.resource.attributes, resource)
        part = group.scope_spans.add()
        if scope is not None:
            part.scope.SetInParent()
            part.scope.name, part.scope.version = scope[:2]
            add_pairs(part.scope.attributes, scope[2])
        for each in spans:
            span = part.spans.add(
                **{key: each[key] for key in ("trace_id", "span_id", "parent_span_id", "name", "kind")},
                start_time_unix_nano=each["start"],
                end_time_unix_nano=each["end"],
                dropped_attributes_count=each["dropped"],
            )
            if each["status"]:
                span.status.code, span.status.message = each["status"]
            add_pairs(span.attributes, each["attributes"])
            for name, time_ns, attributes in each["events"]:
                add_pairs(span.events.add(name=name, time_unix_nano=time_ns).attributes, attributes)
            for trace_id, span_id, attributes in each["links"]:
                add_pairs(span.links.add(trace_id=trace_id, span_id=span_id).attributes, attributes)
    return request.SerializeToString()


def in_json(groups):
    out = []
    for resource, scope, spans in groups:
        listed = [
            {
                "traceId": each["trace_id"].hex(),
                "spanId": each["span_id"].hex(),
                "parentSpanId": each["parent_span_id"].hex(),
                "name": each["name"],
                "kind": each["kind"],
                "startTimeUnixNano": str(each["start"]),
                "endTimeUnixNano": str(each["end"]),
                "droppedAttributesCount": each["dropped"],
                "attributes": json_pairs(each["attributes"]),
                "events": [
                    {"name": name, "timeUnixNano": str(time_ns), "attributes": json_pairs(attributes)}
                    for name, time_ns, attributes in each["events"]
                ],
                "links": [
                    {"traceId": trace_id.hex(), "spanId": span_id.hex(), "attributes": json_pairs(attributes)}
                    for trace_id, span_id, attributes in each["links"]
                ],
            }
            | ({"status": dict(zip(("code", "message"), each["status"], strict=True))} if each["status"] else {})
            for each in spans
        ]
        part = {"spans": listed}
        if scope is not None:
            part["scope"] = {"name": scope[0], "version": scope[1], "attributes": json_pairs(scope[2])}
        group = {"scopeSpans": [part]}
        if resource is not None:
            group["resource"] = {"attributes": json_pairs(resource)}
        out.append(group)
    return json.dumps({"resourceSpans": out}).encode()


@pytest.mark.slow
@given(GROUPS)
def test_a_request_in_json_is_written_in_protobuf_as_the_same_message(groups):
    written = ExportTraceServiceRequest.FromString(to_protobuf(json.loads(in_json(groups))))
    wanted = json_format.ParseDict(with_base64_ids(json.loads(in_json(groups))), ExportTraceServiceRequest())
    assert written.SerializeToString(deterministic=True) == wanted.SerializeToString(deterministic=True)


def with_base64_ids(message):
    """Protobuf's own JSON has ids in base64."""
    if isinstance(message, list):
        return [with_base64_ids(each) for each in message]
    if not isinstance(message, dict):
        return message
    return {
        key: base64.b64encode(bytes.fromhex(value)).decode()
        if key in ("traceId", "spanId", "parentSpanId")
        else with_base64_ids(value)
        for key, value in message.items()
    }


def test_what_a_span_says_beyond_its_attributes_is_written_in_protobuf():
    span = {
        "traceId": "0a" * 16,
        "spanId": "0b" * 8,
        "traceState": "a=b",
        "droppedEventsCount": 3,
        "unknown": 1,
        "links": [{"traceId": "0c" * 16, "spanId": "0d" * 8, "droppedAttributesCount": 5}],
        "droppedLinksCount": 4,
        "events": [{"name": "e", "droppedAttributesCount": 2}],
    }
    spans = {"scope": {"name": "s"}, "spans": [span], "schemaUrl": "https://scope"}
    group = {"resource": {"droppedAttributesCount": 1}, "scopeSpans": [spans], "schemaUrl": "https://resource"}
    [got] = ExportTraceServiceRequest.FromString(to_protobuf({"resourceSpans": [group]})).resource_spans
    assert (got.schema_url, got.resource.dropped_attributes_count) == ("https://resource", 1)
    assert got.scope_spans[0].schema_url == "https://scope"
    [read] = got.scope_spans[0].spans
    assert (read.trace_state, read.dropped_events_count, read.dropped_links_count) == ("a=b", 3, 4)
    assert (read.events[0].dropped_attributes_count, read.links[0].dropped_attributes_count) == (2, 5)


@given(GROUPS)
@example([(None, ("mcp-agent-inspector", "1", {"inspector.dropped": 3, "inspector.dropped_segments": 1}), [])])
def test_both_encodings_of_a_request_decode_to_the_same(groups):
    of_protobuf, of_json = decode_protobuf(in_protobuf(groups)), decode(in_json(groups))
    assert msgspec.to_builtins(of_protobuf) == msgspec.to_builtins(of_json)
    assert [list(span.attributes) for span in of_protobuf.spans] == [list(span.attributes) for span in of_json.spans]


@given(GROUPS.map(in_protobuf), st.data())
def test_bytes_of_any_kind_are_answered(request, data):
    place = data.draw(st.integers(0, len(request)))
    cut = data.draw(st.integers(0, 4))
    decoded = decode_protobuf(request[:place] + data.draw(st.binary(max_size=8)) + request[place + cut :])
    assert decoded.malformed is None or not decoded.spans


@given(st.binary(max_size=200))
def test_noise_is_answered(noise):
    for encoding in ("protobuf", "json"):
        for gzipped in (False, True):
            decode_request(noise, encoding, gzipped=gzipped)


def span(number, **fields):
    return Span(
        **{
            "trace_id": (1).to_bytes(16, "big"),
            "span_id": number.to_bytes(8, "big"),
            "name": "s",
            "start_time_unix_nano": START_NS,
            "end_time_unix_nano": START_NS + 1,
        }
        | fields
    )


def field(number, content):
    out = bytearray([number << 3 | 2])
    length = len(content)
    while length > 127:
        out.append(length & 127 | 128)
        length >>= 7
    return bytes([*out, length]) + content


def around(*spans):
    return field(1, field(2, b"".join(field(2, each) for each in spans)))


def good(number):
    return span(number).SerializeToString()


BAD = {
    "a cut field": good(2)[:-1],
    "a field without a number": good(2) + b"\x00\x01",
    "a wire type that is none": good(2) + b"\x1f",
    "the end of a group alone": good(2) + b"\x0c",
    "a group that does not end": good(2) + b"\x7b",
    "an attribute that is cut": good(2) + field(9, b"\x0a\x05ab"),
    "a value that is cut": good(2) + field(9, b"\x0a\x01a\x12\x05\x0a"),
    "a value of a known key that is cut": good(2) + field(9, b"\x0a\x05known\x12"),
    "an event that is cut": good(2) + field(11, b"\x09"),
    "a link that is cut": good(2) + field(13, b"\x0a\x20"),
    "a status that is cut": good(2) + field(15, b"\x18"),
    "a list that is cut": good(2) + field(9, b"\x0a\x01a" + field(2, field(5, b"\x0a"))),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=list(BAD))
def test_a_broken_span_costs_itself_alone(bad):
    known = span(1)
    known.attributes.append(KeyValue(key="known"))
    decoded = decode_protobuf(around(known.SerializeToString(), bad, good(3)))
    assert [each.span_id[-1] for each in decoded.spans] == ["1", "3"]
    assert dict(decoded.rejected) == {"malformed": 1}


@pytest.mark.parametrize(
    "bad", [b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xe2\x82", b"\xf4\x90\x80\x80"], ids=lambda bad: bad.hex()
)
def test_what_is_no_utf8_costs_its_characters_alone(bad):
    made = span(1).SerializeToString() + field(5, b"a" + bad + b"b")
    made += field(9, b"\x0a\x01k" + field(2, field(1, b"a" + bad + b"b")))
    made += field(9, b"\x0a\x01k" + field(2, field(1, (b"a" + bad + b"b") * 50)))
    made += field(9, field(1, b"a" + bad) + field(2, field(1, b"v")))
    [got] = decode_protobuf(around(made)).spans
    assert got.name.startswith("a�") and got.name.endswith("b")
    assert got.attributes["k"] == got.name * 50
    assert next(key for key in got.attributes if key != "k").startswith("a�")


@pytest.mark.parametrize(
    "payload",
    [
        b"\x00",
        b"\xff" * 20,
        b"\x0a\x7f",
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        b'{"resourceSpans": []}',
        b"<html></html>",
        b"\x0b" * 10_000,
        b"\x0c",
        b"\x0e",
        b"\x09\x00",
        field(1, b"\x0a"),
        field(1, field(2, b"\x12\x09")),
    ],
    ids=lambda payload: payload[:12].hex(),
)
def test_what_is_no_request_is_malformed(payload):
    decoded = decode_protobuf(payload)
    assert decoded.malformed
    assert not decoded.too_large


def test_unknown_fields_and_groups_are_skipped():
    odd = b"\x78\x05" + b"\x7b\x08\x01\x7c" + b"\x79" + bytes(8) + b"\x7d" + bytes(4) + field(14, b"x")
    payload = odd + field(1, odd + field(2, odd + field(2, good(1) + odd)) + odd)
    assert [each.span_id[-1] for each in decode_protobuf(payload).spans] == ["1"]


def test_what_is_around_the_spans_may_follow_them():
    group = ResourceSpans(scope_spans=[ScopeSpans(spans=[span(1)])]).SerializeToString()
    resource = ResourceSpans()
    resource.resource.attributes.add(key="a").value.string_value = "1"
    more = ResourceSpans()
    more.resource.attributes.add(key="b").value.int_value = 2
    [got] = decode_protobuf(field(1, group + resource.SerializeToString() + more.SerializeToString())).spans
    assert got.resource == {"a": "1", "b": 2}


def test_a_broken_resource_or_scope_leaves_the_spans():
    group = field(2, field(1, b"\x0a\x7f") + field(2, good(1)))
    [got] = decode_protobuf(field(1, field(1, b"\x0a\x7f") + group)).spans
    assert (got.resource, got.scope.name) == ({}, "")


def test_the_last_field_of_a_value_or_an_id_counts():
    odd = field(2, field(1, b"text") + b"\x18\x05")
    made = span(1).SerializeToString() + field(2, (2).to_bytes(8, "big")) + field(9, odd + field(1, b"late"))
    made += field(9, field(1, b"twice") + field(2, b"\x10\x00") + field(2, b"\x10\x01"))
    [got] = decode_protobuf(around(made)).spans
    assert got.span_id == f"{2:016x}"
    assert got.attributes == {"late": 5, "twice": True}


def test_what_is_too_much_of_one_span_is_left_out_and_counted():
    made = span(1, dropped_attributes_count=7)
    for number in range(MAX_ATTRIBUTES + 5):
        made.attributes.add(key=f"k{number}").value.int_value = number
    for _ in range(MAX_EVENTS + 2):
        made.events.add(name="e")
        made.links.add(trace_id=b"1" * 16, span_id=b"1" * 8)
    [got] = decode_protobuf(around(made.SerializeToString())).spans
    assert len(got.attributes) == MAX_ATTRIBUTES + 3
    assert got.attributes["otel.dropped_attributes_count"] == 12
    assert got.attributes["otel.dropped_events_count"] == 2
    assert (len(got.events), len(got.links)) == (MAX_EVENTS, MAX_EVENTS)


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1, 3000])
@pytest.mark.parametrize("keyed", [False, True])
def test_what_is_nested_too_deeply_is_replaced(depth, keyed):
    value = field(1, b"end")
    for _ in range(depth):
        value = field(6, field(1, field(1, b"k") + field(2, value))) if keyed else field(5, field(1, value))
    made = span(1).SerializeToString() + field(9, field(1, b"deep") + field(2, value))
    [got] = decode_protobuf(around(made)).spans
    found = got.attributes["deep"]
    for _ in range(min(depth, MAX_DEPTH)):
        found = found["k"] if keyed else found[0]
    assert found == ("end" if depth <= MAX_DEPTH else TOO_DEEP)


def test_a_long_list_is_cut():
    made = span(1)
    made.attributes.add(key="many").value.array_value.SetInParent()
    for number in range(MAX_ITEMS + 1):
        made.attributes[0].value.array_value.values.add(int_value=number)
    [got] = decode_protobuf(around(made.SerializeToString())).spans
    assert got.attributes["many"] == list(range(MAX_ITEMS))


MILLIONS = {
    "resource spans": b"\x0a\x00" * 1_100_000,
    "spans": field(1, field(2, b"\x12\x00" * 1_100_000)),
    "attributes": around(good(1) + b"\x4a\x00" * 1_100_000),
    "events": around(good(1) + b"\x5a\x00" * 1_100_000),
    "list items": around(good(1) + field(9, field(1, b"k") + field(2, field(5, b"\x0a\x00" * 1_100_000)))),
    "attributes of many spans": around(*[good(n + 1) + b"\x4a\x00" * 1000 for n in range(1_100)]),
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("payload", MILLIONS.values(), ids=list(MILLIONS))
def test_millions_of_parts_are_too_many(payload):
    decoded = decode_protobuf(payload)
    assert decoded.too_large
    assert decoded.malformed == "more than 1,000,000 objects"


def test_short_attributes_are_remembered_and_lists_never():
    spans = []
    for at in range(1, 60):
        made = span(at)
        made.attributes.append(KeyValue(key="number", value={"int_value": at * 1000}))
        made.attributes.append(KeyValue(key="even", value={"bool_value": at % 2 == 0}))
        made.attributes.append(KeyValue(key="list", value={"array_value": {"values": [{"int_value": 1}]}}))
        spans.append(made.SerializeToString())
    decoded = decode_protobuf(around(*spans)).spans
    assert [each.attributes["number"] for each in decoded] == [at * 1000 for at in range(1, 60)]
    assert [each.attributes["even"] for each in decoded] == [at % 2 == 0 for at in range(1, 60)]
    assert len({id(each.attributes["list"]) for each in decoded}) == 59


def test_a_large_request_has_the_spans_that_its_parts_have():
    made = [span(number) for number in range(1, 41)]
    for number, each in enumerate(made):
        each.attributes.add(key="text").value.string_value = f"{number} " * (LARGE_REQUEST // 80)
    payloads = [each.SerializeToString() for each in (*made, span(0))]
    large = decode_protobuf(around(*payloads))
    assert len(large.spans) == 40
    assert list(large.spans) == list(large.spans) == [decode_protobuf(around(each)).spans[0] for each in payloads[:-1]]
    assert (large.spans[-1].span_id, large.rejected) == (f"{40:016x}", {"span_id": 1})


def test_short_attributes_are_remembered_up_to_a_number():
    spans = []
    for at in range(200):
        made = span(at + 1)
        made.attributes.extend(KeyValue(key=f"{key}", value={"int_value": at * 1000 + key}) for key in range(100))
        spans.append(made.SerializeToString())
    decoded = decode_protobuf(around(*spans)).spans
    assert [each.attributes["99"] for each in decoded] == [at * 1000 + 99 for at in range(200)]
    assert 0 < len(_short_pairs) <= _MOST_SHORT_PAIRS < 200 * 100


def test_the_last_number_of_a_value_counts_under_a_known_key():
    spans = [good(at) + field(9, field(1, b"twice") + field(2, b"\x18\x05\x18\x87\x01")) for at in (1, 2, 3)]
    assert [each.attributes["twice"] for each in decode_protobuf(around(*spans)).spans] == [135] * 3
