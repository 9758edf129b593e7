"""What a broken or hostile sender can send: never a 5xx, never slow, and good spans are stored before and after."""

import gzip
import json
import os
import random
import zlib

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

MOST_CPU_S = 60.0 if "COVERAGE_PROCESS_CONFIG" in os.environ else 5.0
"""An answer that costs more processor time counts as none; a server whose lines are counted is many times as slow."""
START_NS = 1_795_000_000_000_000_000
TRACE = f"{1:032x}"
MIB = 1 << 20
JSON, PROTOBUF = "application/json", "application/x-protobuf"


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def raw_span(number=0xBAD, trace=1, start=START_NS, end=START_NS + 1):
    ids = field(1, trace.to_bytes(16, "big")) + field(2, number.to_bytes(8, "big"))
    return ids + field(5, b"name") + b"\x39" + start.to_bytes(8, "little") + b"\x41" + end.to_bytes(8, "little")


def around(*spans):
    return field(1, field(2, b"".join(field(2, each) for each in spans)))


def nested(depth, number):
    value = field(1, b"x")
    for _ in range(depth):
        value = field(number, field(1, field(1, b"k") + field(2, value) if number == 6 else value))
    return around(raw_span() + field(9, field(1, b"deep") + field(2, value)))


def metrics():
    request = ExportMetricsServiceRequest()
    metric = request.resource_metrics.add().scope_metrics.add().metrics.add(name="requests")
    metric.gauge.data_points.add(as_int=1)
    return request.SerializeToString()


def json_span(number=0xBAD, /, **fields):
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "name": "name",
        "kind": 1,
        "startTimeUnixNano": str(START_NS),
        "endTimeUnixNano": str(START_NS + 1),
    } | fields


def json_request(*spans):
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}).encode()


def spliced(text, **fields):
    """A request whose span has, in place of the text SPLICE, other text than JSON can be written with."""
    return json_request(json_span(**fields)).replace(b'"SPLICE"', text)


def judge(server, send):
    before = server.cpu_s()
    answer = send()
    assert answer.status < 500, (answer.status, answer.body[:300])
    assert server.cpu_s() - before < MOST_CPU_S
    assert server.process.poll() is None
    if answer.status != 200:
        assert answer.media_type in (JSON, PROTOBUF, "application/problem+json")
        assert b"Traceback" not in answer.body
    return answer


@pytest.fixture
def hostile(server, protobuf, request):
    def send(body, media_type=PROTOBUF, **headers):
        answer = judge(server, lambda: server.post(body, media_type, **headers))
        number = 0x600D0000 + next(numbers)
        assert server.post(protobuf({"span_id": number, "trace_id": 0x600D})).body == b""
        assert server.event(f"{number:016x}", f"{0x600D:032x}")["status"] == "ok"
        return answer

    return send


numbers = iter(range(1, 10**6))


def made(body):
    """Large ones are made when they are sent: each process of a test run imports this."""
    return body() if callable(body) else body


GOOD = around(raw_span(0x900D))

WIRE = {
    "empty-body": (b"", 200),
    "field-number-zero": (b"\x00\x00", 400),
    "random-1k": (random.Random(1).randbytes(1000), 400),
    "random-1m": (random.Random(2).randbytes(MIB), 400),
    "all-ff": (b"\xff" * 1000, 400),
    "varint-11-bytes": (b"\x08" + b"\x80" * 10 + b"\x01", 400),
    "length-2^63": (b"\x0a" + varint(2**63), 400),
    "length-past-end": (b"\x0a\x7f\x00", 400),
    "wire-type-6": (b"\x0e", 400),
    "wire-type-7": (b"\x0f", 400),
    "end-group-alone": (b"\x0c", 400),
    "groups-nested-10k": (b"\x7b" * 10_000 + b"\x7c" * 10_000, 400),
    "groups-nested-10k-in-a-span": (around(raw_span() + b"\x7b" * 10_000 + b"\x7c" * 10_000), 200),
    "unknown-fields-10k": (GOOD + field(14, b"x") * 10_000, 200),
    "unknown-fields-10k-in-a-span": (around(raw_span(0x900E) + field(99, b"x") * 10_000), 200),
    "metrics-request": (metrics(), 200),
    "json-text": (json_request(json_span()), 400),
    "html-text": (b"<!doctype html><title>x</title>", 400),
    "array-depth-40": (nested(40, 5), 200),
    "array-depth-100": (nested(100, 5), 200),
    "array-depth-3000": (nested(3000, 5), 200),
    "kvlist-depth-30": (nested(30, 6), 200),
    "kvlist-depth-2000": (nested(2000, 6), 200),
    "trace-id-twice": (around(raw_span() + field(1, (2).to_bytes(16, "big"))), 200),
    "2m-empty-resource-spans": (lambda: b"\x0a\x00" * 2_000_000, 413),
    "1m-empty-spans": (lambda: field(1, field(2, b"\x12\x00" * 1_000_000)), 413),
    "33m-empty-attributes-of-one-span": (lambda: around(raw_span() + b"\x4a\x00" * (30 * MIB)), 413),
    **{f"cut-{at:02}": (around(raw_span(), raw_span())[: 7 * at + 1], 400) for at in range(1, 13)},
}


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", WIRE)
def test_pb(hostile, name):
    body, expected = WIRE[name]
    assert hostile(made(body)).status == expected


UTF8 = {
    "ff": b"\xff",
    "surrogate": b"\xed\xa0\x80",
    "overlong": b"\xc0\xaf",
    "cut": b"\xe2\x82",
    "above-10ffff": b"\xf4\x90\x80\x80",
}


@pytest.mark.parametrize("name", UTF8)
def test_pb_bytes_that_are_no_utf8_cost_their_characters_alone(server, hostile, name):
    bad = raw_span(0x0F8) + field(5, b"a" + UTF8[name]) + field(9, field(1, b"k") + field(2, field(1, UTF8[name])))
    assert hostile(around(raw_span(0x0F7), bad, raw_span(0x0F9))).rejected == 0
    event = server.event(f"{0x0F8:016x}")
    assert event["name"].startswith("a�")
    assert "�" in event["attributes"]["k"]


@pytest.mark.parametrize("bad", [raw_span()[:-3], raw_span(0)], ids=["one-bad-span", "one-zero-id-span"])
def test_pb_one_among_300_good_costs_itself_alone(server, hostile, bad):
    spans = [raw_span(number, trace=0x300) for number in range(1, 301)]
    answer = hostile(around(*spans[:150], bad, *spans[150:]))
    assert answer.rejected == 1
    assert len(server.span_ids(f"{0x300:032x}")) == 300


@pytest.mark.sweep(20)
@pytest.mark.parametrize("seed", range(100))
def test_pb_mutations(server, seed):
    chance = random.Random(seed)
    body = bytearray(
        around(
            *[raw_span(n, trace=0x77) + field(9, field(1, b"k") + field(2, field(1, b"v" * 40))) for n in range(1, 6)]
        )
    )
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(body))
        match chance.randrange(3):
            case 0:
                body[at] = chance.randrange(256)
            case 1:
                del body[at : at + chance.randrange(1, 9)]
            case _:
                body[at:at] = chance.randbytes(chance.randrange(1, 9))
    answer = judge(server, lambda: server.post(bytes(body)))
    assert answer.status in (200, 400)


def raw_log(number=0xBAD, trace=1):
    ids = field(9, trace.to_bytes(16, "big")) + field(10, number.to_bytes(8, "big"))
    return ids + field(12, b"name") + b"\x09" + START_NS.to_bytes(8, "little")


def nested_body(depth, number):
    value = field(1, b"x")
    for _ in range(depth):
        value = field(number, field(1, field(1, b"k") + field(2, value) if number == 6 else value))
    return around(raw_log() + field(5, value))


LOGS = {
    **{name: body for name, (body, _) in WIRE.items()},
    "unknown-fields-10k-in-a-log": around(raw_log() + field(99, b"x") * 10_000),
    "groups-nested-10k-in-a-log": around(raw_log() + b"\x7b" * 10_000 + b"\x7c" * 10_000),
    "33m-empty-attributes-of-one-log": lambda: around(raw_log() + b"\x32\x00" * (30 * MIB)),
    "1m-empty-logs": lambda: field(1, field(2, b"\x12\x00" * 1_000_000)),
    **{
        f"{name}-depth-{depth}": nested_body(depth, at)
        for name, at in (("array", 5), ("kvlist", 6))
        for depth in (40, 3000)
    },
}


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", LOGS)
def test_logs_pb(server, protobuf, name):
    answer = judge(server, lambda: server.export("/v1/logs", made(LOGS[name]), PROTOBUF))
    assert answer.status in (200, 400, 413)
    assert server.post(protobuf({"span_id": 1, "trace_id": 0x600D})).body == b""


@pytest.mark.parametrize("seed", range(30))
def test_logs_pb_mutations(server, seed):
    chance = random.Random(seed)
    attribute = field(6, field(1, b"k") + field(2, field(1, b"v" * 40)))
    body = bytearray(around(*[raw_log(n, trace=0x77) + attribute + field(5, field(1, b"text")) for n in range(1, 6)]))
    for _ in range(chance.randrange(1, 6)):
        body[chance.randrange(len(body))] = chance.randrange(256)
    assert judge(server, lambda: server.export("/v1/logs", bytes(body), PROTOBUF)).status in (200, 400)


@pytest.mark.parametrize("depth", [30, 40, 1000, 20_000])
def test_logs_json_bodies_nested_deeply(server, depth):
    value = b'{"arrayValue":{"values":[' * depth + b'{"stringValue":"x"}' + b"]}}" * depth
    record = b'{"traceId":"%032x","spanId":"%016x","body":%s}' % (0x77, 0xBAD, value)
    body = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[%s]}]}]}' % record
    assert judge(server, lambda: server.export("/v1/logs", body, JSON)).status in (200, 400)


IDS = {
    "zero-trace": ({"traceId": "0" * 32}, 1),
    "zero-span": ({"spanId": "0" * 16}, 1),
    "missing": ({"traceId": "", "spanId": ""}, 1),
    "short": ({"traceId": "ab"}, 1),
    "long": ({"spanId": "a" * 32}, 1),
    "trace-id-1mib": ({"traceId": "a" * MIB}, 1),
    "base64": ({"traceId": "W47/95gDgQPSabYzgT/GDA=="}, 1),
    "parent-is-self": ({"parentSpanId": f"{0xBAD:016x}"}, 0),
    "start-zero": ({"startTimeUnixNano": "0"}, 0),
    "end-zero": ({"endTimeUnixNano": "0"}, 0),
    "end-before-start": ({"endTimeUnixNano": "1"}, 0),
    "2^63-ns": ({"startTimeUnixNano": str(2**63), "endTimeUnixNano": str(2**63)}, 0),
    "2^64-1-ns": ({"startTimeUnixNano": str(2**64 - 1), "endTimeUnixNano": str(2**64 - 1)}, 0),
    "past-uint64": ({"startTimeUnixNano": str(2**64)}, 1),
    "duration-584-years": ({"startTimeUnixNano": "0", "endTimeUnixNano": str(2**64 - 1)}, 0),
    "kind-out-of-range": ({"kind": 99}, 0),
    "status-out-of-range": ({"status": {"code": -7}}, 0),
    "events-20k": ({"events": [{"name": "e"}] * 20_000}, 0),
    "links-10k": ({"links": [{"traceId": TRACE, "spanId": "1" * 16}] * 10_000}, 0),
    "trace-state-crlf": ({"traceState": "a=b\r\nSet-Cookie: x"}, 0),
}


@pytest.mark.parametrize("name", IDS)
def test_id(hostile, name):
    fields, rejected = IDS[name]
    assert hostile(json_request(json_span(**fields)), JSON).rejected == rejected


@pytest.mark.parametrize("encoding", [PROTOBUF, JSON])
@pytest.mark.parametrize("time_ns", [1, START_NS + 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_id_nanoseconds_are_kept_exactly(server, hostile, encoding, time_ns):
    trace = 0x1D00 + time_ns % 89
    if encoding == PROTOBUF:
        hostile(around(raw_span(1, trace, time_ns, time_ns)))
    else:
        times = {"startTimeUnixNano": str(time_ns), "endTimeUnixNano": time_ns}
        hostile(json_request(json_span(1, traceId=f"{trace:032x}", **times)), JSON)
    event = server.event(f"{1:016x}", f"{trace:032x}")
    assert event["start_time_unix_nano"] == event["end_time_unix_nano"] == str(time_ns)


def test_id_repeats_in_one_request_and_children_before_parents(server, hostile):
    child = raw_span(2, 0x1D2) + field(4, (1).to_bytes(8, "big"))
    hostile(around(*[child] * 20, raw_span(1, 0x1D2), raw_span(1, 0x1D2) + field(5, b"other content")))
    assert sorted(server.span_ids(f"{0x1D2:032x}")) == [f"{1:016x}", f"{2:016x}"]
    assert server.event(f"{1:016x}", f"{0x1D2:032x}")["name"] == "other content"


KEYS = [
    "__proto__",
    "constructor.prototype",
    "__class__",
    "a.b.c",
    "list[999999999]",
    "k" * 65_536,
    "a\0b",
    "",
    "\r\nX: y",
]
TEXTS = ["", "{", "[1,", "nul", '{"a":1}}', "\ufeff{}", "[" * 5_000, '"\\ud800"', "NaN", "1e400", "0" * 5_000]
INT64_MAX = 2**63 - 1
COUNTS = [
    (-1, None),
    (0, 0),
    (1.5, None),
    ("7", 7),
    ("x", None),
    (INT64_MAX, INT64_MAX),
    (True, None),
    (None, None),
    ([1], None),
    (1e300, INT64_MAX),
]
"""Counts of tokens as they are sent, and as they are stored."""


@pytest.mark.parametrize("at", range(len(KEYS)))
def test_attr_keys_are_data(server, hostile, pair, protobuf, at):
    hostile(protobuf({"span_id": 1, "trace_id": 0xA770 + at, "attributes": {KEYS[at]: "v", "plain": "w"}}))
    event = server.event(f"{1:016x}", f"{0xA770 + at:032x}")
    assert event["attributes"][KEYS[at][:1024]] == "v"
    assert event["attributes"]["plain"] == "w"


@pytest.mark.parametrize("key", ["gen_ai.input.messages", "gen_ai.tool.call.arguments"])
@pytest.mark.parametrize("at", range(len(TEXTS)))
def test_attr_texts_that_are_no_json_stay_texts(server, hostile, protobuf, at, key):
    trace = 0xA7800 + at
    attributes = {"gen_ai.operation.name": "chat", key: TEXTS[at]}
    assert hostile(protobuf({"span_id": 1, "trace_id": trace, "attributes": attributes})).rejected == 0
    event = server.event(f"{1:016x}", f"{trace:032x}")
    assert event["kind"] == "llm"
    assert event["attributes"][key] == TEXTS[at]


@pytest.mark.parametrize("at", range(len(COUNTS)), ids=lambda at: repr(COUNTS[at][0]))
def test_attr_token_counts_are_stored_where_they_count_and_their_sum_never_wraps(server, hostile, protobuf, at):
    sent, stored = COUNTS[at]
    trace = 0xA7900 + at
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": sent,
        "gen_ai.usage.output_tokens": sent,
    }
    spans = [{"span_id": n, "trace_id": trace, "attributes": attributes} for n in (1, 2, 3)]
    assert hostile(protobuf(*spans)).rejected == 0
    event = server.event(f"{1:016x}", f"{trace:032x}")
    assert (event["input_tokens"], event["output_tokens"]) == (stored, stored)
    assert server.get(f"/traces/{trace:032x}")["trace"]["input_tokens"] == min(3 * (stored or 0), INT64_MAX)


SESSIONS = ["../../etc/passwd", "a" * 100_000, "a\0b", "'; DROP TABLE spans; --", "\x1b]8;;x\x07"]


@pytest.mark.parametrize("at", range(len(SESSIONS)))
def test_attr_session_ids_are_data(server, hostile, protobuf, at):
    trace = 0xA7A00 + at
    sent = {"span_id": 1, "trace_id": trace, "attributes": {"session.id": SESSIONS[at]}}
    assert hostile(protobuf(sent)).rejected == 0
    assert server.event(f"{1:016x}", f"{trace:032x}")["session_id"] == SESSIONS[at][:1024].replace("\0", "\ufffd")


VALUES = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "int64-ends": [-(2**63), 2**63 - 1],
    "4-mib-bytes": b"\xff" * (4 * MIB),
    "16-mib-text": "x" * (16 * MIB),
    "200k-array": [1] * 200_000,
    "mixed": [None, {"a": [{}]}, [[]], b""],
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", VALUES)
def test_attr_values_of_any_kind_and_size(server, hostile, protobuf, name):
    trace = 0xA7B0 + list(VALUES).index(name)
    hostile(protobuf({"span_id": 1, "trace_id": trace, "attributes": {"value": VALUES[name]}}))
    assert "value" in server.event(f"{1:016x}", f"{trace:032x}")["attributes"]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("count", [10_000, 100_000])
def test_attr_many(server, hostile, protobuf, count):
    attributes = {f"key-{at}": at for at in range(count)}
    hostile(protobuf({"span_id": 1, "trace_id": 0xA7C + count, "attributes": attributes}))
    kept = server.event(f"{1:016x}", f"{0xA7C + count:032x}")["attributes"]
    assert kept["otel.dropped_attributes_count"] == count - 1024


WRONG = [None, True, 1, -1, 1.5, "x", [], {}, [[]], [{}], {"a": 1}]
FIELDS = [
    "traceId",
    "spanId",
    "parentSpanId",
    "name",
    "kind",
    "startTimeUnixNano",
    "attributes",
    "events",
    "links",
    "status",
]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", FIELDS)
def test_json_every_wrong_type_in_a_field_costs_that_span_at_most(server, name):
    for at, wrong in enumerate(WRONG):
        trace = f"{0x7000 + at:032x}"
        good = [json_span(n, traceId=trace) for n in (1, 2)]
        body = json_request(good[0], json_span(3, **({"traceId": trace} | {name: wrong})), good[1])
        answer = judge(server, lambda body=body: server.post(body, JSON))
        assert answer.rejected <= 1
        assert {f"{1:016x}", f"{2:016x}"} <= set(server.span_ids(trace))


OUTER = {
    "resourceSpans-number": (b'{"resourceSpans": 5}', 400),
    "resourceSpans-null": (b'{"resourceSpans": null}', 200),
    "scopeSpans-number": (b'{"resourceSpans": [{"scopeSpans": 5}]}', 200),
    "list": (b"[]", 400),
    "null": (b"null", 400),
    "text": (b'"x"', 400),
    "nothing": (b"", 400),
    "spaces": (b" \n\t ", 400),
    "two-values": (b"{}{}", 400),
    "cut": (json_request(json_span())[:-5], 400),
    "bom": (b"\xef\xbb\xbf" + json_request(json_span()), 200),
    "utf-16": (json_request(json_span()).decode().encode("utf-16"), 400),
    "nan": (spliced(b"NaN", weight="SPLICE"), 400),
    "nan-in-a-value": (spliced(b"NaN", kind="SPLICE"), 400),
    "1e400": (spliced(b"1e400", kind="SPLICE"), 200),
    "5000-digits": (spliced(b"9" * 5000, startTimeUnixNano="SPLICE"), 200),
    "lone-surrogate-in-a-name": (spliced(b'"\\ud800"', name="SPLICE"), 200),
    "lone-surrogate-in-a-key": (json_request(json_span(attributes=[{"key": "\ud800"}])), 200),
    "unknown-fields": (json_request(json_span(unknown={"a": [1, {"b": None}]})), 200),
    "enum-names": (json_request(json_span(kind="SPAN_KIND_CLIENT", status={"code": "STATUS_CODE_ERROR"})), 200),
    "deep-list": (b"[" * 1_000_000 + b"]" * 1_000_000, 400),
    "deep-list-in-an-unknown-field": (spliced(b"[" * 1_000_000 + b"]" * 1_000_000, unknown="SPLICE"), 400),
    "anyvalue-depth-300000": (
        spliced(
            b'{"arrayValue":{"values":[' * 300_000 + b"{}" + b"]}}" * 300_000,
            attributes=[{"key": "a", "value": "SPLICE"}],
        ),
        400,
    ),
    "500k-empty-spans": (lambda: json_request(*[{}] * 500_000), 200),
    "3m-empty-objects": (lambda: b'{"resourceSpans":[' + b"{}," * 3_000_000 + b"{}]}", 413),
    "20-mb-string": (lambda: json_request(json_span(0x20, name="x" * 20_000_000)), 200),
    "30m-numbers-for-spans": (lambda: spliced(b"0," * (30 * MIB), events="SPLICE")[: 60 * MIB], 413),
    "20m-numbers-for-spans": (
        lambda: b'{"resourceSpans":[{"scopeSpans":[{"spans":[' + b"0," * (20 * MIB) + b"0]}]}]}",
        413,
    ),
    "60-mib-of-escapes": (lambda: json_request(json_span(name="\n" * (28 * MIB)), 5), 200),
    "60-mib-of-halves": (lambda: spliced(b'"' + b"\\ud800" * (10 * MIB) + b'"', name="SPLICE"), 400),
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", OUTER)
def test_json(hostile, name):
    body, expected = OUTER[name]
    answer = hostile(made(body), JSON)
    assert answer.status == expected, answer.body[:300]


def many_members():
    return gzip.compress(b"") * 100_000


BOMBS = {
    "zeros": (b"\0", PROTOBUF),
    "json-spaces": (b" ", JSON),
    "one-field": (b"\x0a\x00", PROTOBUF),
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", BOMBS)
def test_enc_gzip_bombs_are_too_large(hostile, name):
    unit, media_type = BOMBS[name]
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    body = b"".join(packer.compress(unit * MIB) for _ in range(200 // len(unit))) + packer.flush()
    assert len(body) < 2 * MIB
    assert hostile(body, media_type, Content_Encoding="gzip").status == 413


ENCODED = {
    "twice-packed": (gzip.compress(gzip.compress(GOOD)), "gzip", 400),
    "many-members": (many_members, "gzip", 413),
    "cut": (gzip.compress(GOOD)[:-9], "gzip", 400),
    "cut-in-the-trailer": (gzip.compress(GOOD)[:-3], "gzip", 400),
    "empty": (b"", "gzip", 400),
    "plain-said-to-be-packed": (GOOD, "gzip", 400),
    "packed-said-to-be-plain": (gzip.compress(GOOD), "identity", 400),
    "bad-crc": (gzip.compress(GOOD)[:-8] + b"\0\0\0\0" + gzip.compress(GOOD)[-4:], "gzip", 400),
    "bad-length": (gzip.compress(GOOD)[:-4] + b"\0\0\0\0", "gzip", 400),
    "trailing-bytes": (gzip.compress(GOOD) + b"trailing", "gzip", 400),
    "zlib": (zlib.compress(GOOD), "gzip", 400),
    "many-tiny-messages": (lambda: gzip.compress(b"\x0a\x00" * (20 * MIB)), "gzip", 413),
    **{
        f"encoding-{name or 'none'}": (gzip.compress(GOOD), name, status)
        for name, status in {
            "gzip": 200,
            "GZIP": 200,
            " gzip ": 200,
            "x-gzip": 415,
            "deflate": 415,
            "br": 415,
            "zstd": 415,
            "snappy": 415,
            "gzip, gzip": 415,
            "identity, gzip": 415,
            "gzip;q=1": 415,
            "*": 415,
            "utf-8": 415,
        }.items()
    },
}


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", ENCODED)
def test_enc(hostile, name):
    body, encoding, expected = ENCODED[name]
    answer = hostile(made(body), Content_Encoding=encoding)
    assert answer.status == expected, answer.body


MEDIA_TYPES = {
    "": 415,
    "text/plain": 415,
    "text/json": 415,
    "application/protobuf": 415,
    "application/x-protobuf; charset=utf-16": 415,
    "application/json; charset=latin-1": 415,
    "application/json, text/plain": 415,
    "application/grpc": 415,
    "application/grpc-web+proto": 415,
    "application/octet-stream": 415,
    "application/x-www-form-urlencoded": 415,
    "multipart/form-data; boundary=x": 415,
    "application/x-ndjson": 415,
    "application/vnd.google.protobuf": 415,
    "json": 415,
    "*/*": 415,
    "application/jsonx": 415,
    "application/": 415,
    "; charset=utf-8": 415,
}


@pytest.mark.parametrize("media_type", MEDIA_TYPES)
def test_enc_media_types(hostile, media_type):
    answer = hostile(GOOD, media_type)
    assert answer.status == MEDIA_TYPES[media_type]
    assert "application/x-protobuf" in answer.message


@pytest.mark.sweep(1)
@pytest.mark.parametrize("packed", [False, True])
def test_enc_70_mib(hostile, packed):
    body = field(1, b"\0" * (70 * MIB))
    answer = hostile(gzip.compress(body, 1), Content_Encoding="gzip") if packed else hostile(body)
    assert answer.status == 413


def test_memory_stayed_bounded_through_all_of_it(server):
    assert server.largest_bytes() < 700 * MIB
