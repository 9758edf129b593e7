"""Logs requests in both encodings: each record of a span is an event of it, and anything else costs only itself."""

import gzip
import json

import msgspec
import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from inspector.otlp import decode_request
from inspector.otlp.limits import LARGE_REQUEST

TRACE, SPAN = (1).to_bytes(16, "big"), (2).to_bytes(8, "big")
AT_NS = 1_795_000_000_000_000_000


def made(pair, records, scope=""):
    """A request with log records as given; attributes and body are plain values."""
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    group.resource.attributes.append(pair("service.name", "tests"))
    part = group.scope_logs.add()
    part.scope.name = scope
    for each in records:
        given = {"trace_id": TRACE, "span_id": SPAN, "time_unix_nano": AT_NS} | each
        attributes, body = given.pop("attributes", {}), given.pop("body", None)
        record = part.log_records.add(**given)
        record.attributes.extend(pair(*item) for item in attributes.items())
        if body is not None:
            record.body.CopyFrom(pair("body", body).value)
    return request


@pytest.fixture
def request_of(pair):
    return lambda *records, scope="tests": made(pair, records, scope)


def in_json(request):
    """The request as OTLP/JSON has it, whose ids are hexadecimal and not base64."""
    plain = MessageToDict(request)
    for group in plain.get("resourceLogs", ()):
        for part in group["scopeLogs"]:
            for record, original in zip(
                part.get("logRecords", ()), request.resource_logs[0].scope_logs[0].log_records, strict=True
            ):
                record |= {"traceId": original.trace_id.hex(), "spanId": original.span_id.hex()}
    return json.dumps(plain).encode()


def decoded_in_both(request):
    """What both encodings decode to, which is the same."""
    one = decode_request(request.SerializeToString(), "protobuf", signal="logs")
    other = decode_request(in_json(request), "json", signal="logs")
    assert msgspec.to_builtins(one.spans) == msgspec.to_builtins(other.spans)
    assert one.rejected == other.rejected
    assert one.malformed is None
    return one


def test_a_record_is_an_event_of_its_span(request_of):
    request = request_of(
        {
            "event_name": "gen_ai.user.message",
            "severity_number": 9,
            "attributes": {"gen_ai.system": "openai", "n": 1},
            "body": {"content": "Where to?", "parts": [1, None, True]},
        }
    )
    [log] = decoded_in_both(request).spans
    assert (log.is_log, log.trace_id, log.span_id) == (True, f"{1:032x}", f"{2:016x}")
    assert list(log.events) == [
        {
            "name": "gen_ai.user.message",
            "time_unix_nano": str(AT_NS),
            "attributes": {
                "gen_ai.system": "openai",
                "n": 1,
                "log.level": "INFO",
                "log.logger": "tests",
                "log.message": {"content": "Where to?", "parts": [1, None, True]},
            },
        }
    ]


@pytest.mark.parametrize(
    "record, name",
    [
        ({"event_name": "a", "attributes": {"event.name": "b"}}, "a"),
        ({"attributes": {"event.name": "b"}}, "b"),
        ({"attributes": {"event.name": 1}}, "log"),
        ({"body": "claude_code.user_prompt"}, "log"),
    ],
)
def test_the_name_is_the_records_else_that_of_an_attribute(request_of, record, name):
    [log] = decoded_in_both(request_of(record)).spans
    assert log.events[0]["name"] == name


@pytest.mark.parametrize(
    "record, level",
    [
        ({"severity_text": "warning", "severity_number": 13}, "warning"),
        ({"severity_number": 20}, "ERROR"),
        ({"severity_number": 24}, "FATAL"),
        ({}, None),
        ({"severity_number": 9, "attributes": {"log.level": "own"}}, "own"),
    ],
)
def test_the_level_is_the_senders_text_else_that_of_the_number(request_of, record, level):
    [log] = decoded_in_both(request_of(record)).spans
    assert log.events[0]["attributes"].get("log.level") == level


def test_the_time_is_when_it_happened_else_when_it_was_seen(request_of):
    request = request_of({"observed_time_unix_nano": 7}, {"time_unix_nano": 0, "observed_time_unix_nano": 7})
    assert [log.events[0]["time_unix_nano"] for log in decoded_in_both(request).spans] == [str(AT_NS), "7"]


def test_records_of_no_span_are_left_out_and_counted(request_of):
    request = request_of({"trace_id": b""}, {"span_id": b""}, {"span_id": bytes(8)}, {}, {"trace_id": bytes(16)})
    found = decoded_in_both(request)
    assert (len(found.spans), found.rejected) == (1, {"logs_without_span": 4})


def test_what_the_sender_dropped_is_noted(request_of):
    [log] = decoded_in_both(request_of({"dropped_attributes_count": 3})).spans
    assert log.events[0]["attributes"]["otel.dropped_attributes_count"] == 3


@pytest.mark.parametrize(
    "field, value, reason",
    [
        ("spanId", "ab", "span_id"),
        ("traceId", "AAAAAAAAAAAAAAAAAAAAAQ==", "trace_id"),
        ("timeUnixNano", "soon", "time_unix_nano"),
        ("observedTimeUnixNano", -1, "observed_time_unix_nano"),
        ("body", "text", "malformed"),
        ("attributes", {"a": 1}, "malformed"),
    ],
)
def test_a_bad_record_costs_itself_alone(request_of, field, value, reason):
    request = json.loads(in_json(request_of({"time_unix_nano": 0}, {})))
    request["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0][field] = value
    found = decode_request(json.dumps(request).encode(), "json", signal="logs")
    assert (len(found.spans), found.rejected) == (1, {reason: 1})


def test_bad_ids_and_broken_bytes_in_protobuf_cost_their_record(request_of):
    request = request_of({"span_id": b"short"}, {"trace_id": b"short"}, {"event_name": "kept"}, {"event_name": "?" * 9})
    payload = request.SerializeToString().replace(b"\x62\x09" + b"?" * 9, b"\x62\x7f" + b"?" * 9)
    found = decode_request(payload, "protobuf", signal="logs")
    assert [log.events[0]["name"] for log in found.spans] == ["kept"]
    assert found.rejected == {"span_id": 1, "trace_id": 1, "malformed": 1}


def test_a_byte_that_is_no_utf_8_costs_a_character(request_of):
    request = request_of({"event_name": "azz", "body": "bzz", "severity_text": "czz"}, scope="dzz")
    for body, encoding in ((request.SerializeToString(), "protobuf"), (in_json(request), "json")):
        found = decode_request(body.replace(b"zz", b"z\xff"), encoding, signal="logs")
        [log] = found.spans
        assert (log.events[0]["name"], found.rejected) == ("az\ufffd", {})
        said = {"log.level": "cz\ufffd", "log.logger": "dz\ufffd", "log.message": "bz\ufffd"}
        assert log.events[0]["attributes"] == said


def test_a_large_request_is_read_again_each_time(request_of):
    request = request_of(*({"body": "x" * 10_000, "event_name": str(at)} for at in range(500)), {"span_id": b""})
    assert request.ByteSize() > LARGE_REQUEST
    for body, encoding in ((request.SerializeToString(), "protobuf"), (in_json(request), "json")):
        found = decode_request(gzip.compress(body, 1), encoding, gzipped=True, signal="logs")
        assert (len(found.spans), found.rejected) == (500, {"logs_without_span": 1})
        for _ in range(2):
            assert [log.events[0]["name"] for log in found.spans] == [str(at) for at in range(500)]


def test_a_large_request_with_numbers_for_records_is_refused_before_they_are_held():
    body = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[' + b"1," * 2_200_000 + b"1]}]}]}"
    found = decode_request(body, "json", signal="logs")
    assert (found.too_large, found.spans) == (True, ())


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=20) | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "event_name": st.text(max_size=20),
        "severity_text": st.text(max_size=5),
        "severity_number": st.integers(0, 24),
        "time_unix_nano": st.integers(0, 2**64 - 1),
        "observed_time_unix_nano": st.integers(0, 2**64 - 1),
        "attributes": st.dictionaries(st.text(max_size=10), _VALUES, max_size=4),
        "body": _VALUES,
        "span_id": st.sampled_from([b"", bytes(8), SPAN, b"\1" * 8]),
    },
)


@given(records=st.lists(_RECORDS, max_size=4))
def test_both_encodings_say_the_same(pair, records):
    found = decoded_in_both(made(pair, records))
    assert len(found.spans) + sum(found.rejected.values()) == len(records)


@given(st.binary(max_size=300) | st.text(alphabet='{}[]",:0resoucLgcpdR1', max_size=300).map(str.encode))
def test_no_bytes_are_more_than_malformed(noise):
    for encoding in ("protobuf", "json"):
        decoded = decode_request(noise, encoding, signal="logs")
        assert decoded.malformed is None or not (decoded.spans or decoded.rejected)
