import json
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from sent import START_NS, request_of, span_of

SECRET = "a-secret-of-the-tests-only"


def span(number, /, **fields):
    return span_of(number, {"gen_ai.tool.name": "search"}, **fields)


def test_protobuf_is_stored_and_answered_in_protobuf(server, protobuf):
    answer = server.post(protobuf({"span_id": 0x10, "attributes": {"gen_ai.tool.name": "search"}}))
    assert (answer.status, answer.media_type, answer.body) == (200, "application/x-protobuf", b"")
    event = server.event(f"{0x10:016x}")
    assert event["service"] == "tests"
    assert event["tool"] == "search"
    assert event["start_time_unix_nano"] == str(START_NS)
    assert event["duration_ms"] == 1.0


def test_json_is_stored_and_answered_in_json(server):
    answer = server.post_json(request_of(span(0x11)))
    assert (answer.status, answer.media_type, answer.body) == (200, "application/json", b"{}")
    assert server.event(f"{0x11:016x}")["tool"] == "search"


def test_gzip_is_unpacked_also_when_it_was_joined_from_several(server, protobuf, packed):
    body = protobuf(0x12, 0x13)
    assert server.post_gzip(packed(body)).body == b""
    joined = packed(body[:9]) + packed(body[9:])
    assert server.post_gzip(joined).body == b""
    assert {f"{0x12:016x}", f"{0x13:016x}"} <= set(server.span_ids())


def test_an_empty_request_is_a_request(server):
    assert server.post(b"").status == 200
    assert server.post_json({}).body == b"{}"
    assert server.post(b"", "application/json").status == 400


@pytest.mark.parametrize("encoding", ["protobuf", "json"])
def test_what_is_left_out_is_counted_and_named(server, protobuf, encoding):
    if encoding == "protobuf":
        answer = server.post(protobuf(0x20, {"span_id": b"\0" * 8}, {"span_id": 0x21, "trace_id": b""}, 0x22))
        assert b"1 for span_id, 1 for trace_id" in answer.body
    else:
        answer = server.post_json(request_of(span(0x20), span(0), span(0x21, traceId="xyz"), span(0x22)))
        assert json.loads(answer.body) == {
            "partialSuccess": {"rejectedSpans": "2", "errorMessage": "left out: 1 for span_id, 1 for trace_id"}
        }
    assert answer.rejected == 2
    assert {f"{0x20:016x}", f"{0x22:016x}"} <= set(server.span_ids())


@pytest.mark.parametrize("media_type", ["application/x-protobuf", "application/json"])
def test_what_is_malformed_is_answered_with_a_status_of_the_same_type(server, media_type):
    answer = server.post(b"\xff" * 100, media_type)
    assert (answer.status, answer.media_type) == (400, media_type)
    assert answer.message.startswith("not an ExportTraceServiceRequest: ")


@pytest.mark.parametrize(
    "media_type",
    [
        "application/json; charset=utf-8",
        "Application/JSON",
        'application/json;charset="UTF-8"',
        "application/json ;x=y",
    ],
)
def test_a_media_type_is_read_as_http_spells_it(server, media_type):
    assert server.post(b"{}", media_type).status == 200


def test_a_later_end_replaces_the_start_record_whatever_comes_first(server, protobuf):
    child = {"span_id": 0x31, "parent_span_id": 0x30}
    server.post(protobuf(child))
    server.post(protobuf({"span_id": 0x30, "end_time_unix_nano": 0}))
    assert server.event(f"{0x30:016x}")["status"] == "running"
    server.post(protobuf({"span_id": 0x30, "name": "done"}))
    ended = server.event(f"{0x30:016x}")
    assert (ended["status"], ended["name"]) == ("ok", "done")
    server.post(protobuf({"span_id": 0x30, "end_time_unix_nano": 0}))
    assert server.event(f"{0x30:016x}") == ended


def test_a_repeat_changes_nothing(server, protobuf):
    body = protobuf(0x40, 0x40, 0x41)
    server.post(body)
    first = server.event(f"{0x40:016x}")
    for _ in range(3):
        assert server.post(body).body == b""
    assert server.event(f"{0x40:016x}") == first
    assert server.span_ids().count(f"{0x40:016x}") == 1


def test_the_same_span_from_32_writers_at_once_is_one_span(server, protobuf):
    body = protobuf({"span_id": 0x50, "trace_id": 5})
    answers = []
    writers = [threading.Thread(target=lambda: answers.append(server.post(body).status)) for _ in range(32)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert answers == [200] * 32
    assert server.span_ids(f"{5:032x}") == [f"{0x50:016x}"]


def test_a_collectors_file_is_taken_line_by_line(server):
    for line in (Path(__file__).parents[1] / "ingest" / "collector.jsonl").read_bytes().splitlines():
        assert server.post(line, "application/json").body == b"{}"
    names = {event["name"] for event in server.get("/events?limit=1000")["items"]}
    assert {"chat gpt-4o", "execute_tool get_weather"} <= names


def test_what_was_received_is_found_by_its_words(server, protobuf, until):
    attributes = {"gen_ai.tool.name": "t", "gen_ai.tool.call.arguments": '{"query": "needle7"}'}
    server.post(protobuf({"span_id": 0x60, "attributes": attributes}))
    until(lambda: [event["span_id"] for event in server.get("/events?q=needle7")["items"]] == [f"{0x60:016x}"])


def test_a_stream_shows_what_is_received(server, protobuf):
    url = f"{server.url}/events/stream?trace_id={7:032x}"
    head = {"Authorization": f"Bearer {SECRET}"}
    with urllib.request.urlopen(urllib.request.Request(url, headers=head), timeout=60) as stream:
        server.post(protobuf({"span_id": 0x70, "trace_id": 7}))
        while b"data:" not in (line := stream.readline()):
            assert line
        assert json.loads(line.removeprefix(b"data:"))["span_id"] == f"{0x70:016x}"


def test_a_token_that_may_only_read_does_not_add(server, protobuf):
    from inspector.api import Token

    token = Token(SECRET)
    assert server.post(protobuf(1), Authorization=f"Bearer {token.derive('read')}").status == 403
    assert server.post(protobuf(1), Authorization="Bearer wrong").status == 401
    assert server.post(protobuf(1), Authorization=f"Bearer {token.derive('ingest')}").status == 200
