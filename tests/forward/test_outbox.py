import json

import pytest
from spooled import attributes_of

from inspector import semconv
from inspector.forward import Endpoint, Outbox, Sender, advice_on, last_problem
from inspector.parts import part_line
from inspector.refusals import Refused, refused

START_NS = 1_795_000_000_000_000_000


@pytest.fixture
def clock():
    class Clock:
        now_s = 0.0

        def __call__(self):
            return self.now_s

    return Clock()


@pytest.fixture
def outbox(segments, receiver, clock):
    def make(protocol="http/protobuf"):
        segments.directory.mkdir(exist_ok=True)
        sender = Sender(Endpoint.of(receiver.url, protocol=protocol), timeout_s=5)
        return Outbox(segments.directory, sender, now_s=clock)

    return make


@pytest.mark.parametrize("protocol", ["http/protobuf", "http/json"])
def test_what_waits_is_sent_in_order_and_its_file_is_deleted(outbox, segments, receiver, protocol, line, span):
    path = segments.write(line(span(0), span(1)), line(span(2)))
    assert outbox(protocol).send_waiting()
    assert receiver.names == ["span 0", "span 1", "span 2"]
    assert receiver.headers[0]["content-encoding"] == "gzip"
    assert not path.exists()


def test_texts_that_lines_name_are_sent_whole_also_by_the_next_process(outbox, segments, receiver, line, span):
    text = "said long ago " * 100
    value = {"inspectorFrame": {"pieces": ['{"said":', [7], "}"]}}
    named = [{"key": "mcp.llm.prompt_json", "value": value}, {"key": "x", "value": {"intValue": "1"}}]
    missing = [{"key": "mcp.llm.prompt_json", "value": {"inspectorFrame": [8]}}]
    path = segments.write(part_line(7, json.dumps(text).encode()), line(span(0, attributes=named)))
    with segments.alive(path):
        assert outbox().send_waiting()
        segments.write(line(span(1, attributes=named), span(2, attributes=missing)))
        assert outbox().send_waiting()
    sent = [attributes_of(each["attributes"]) for spans in receiver.requests for each in spans]
    assert sent[:2] == [{"mcp.llm.prompt_json": json.dumps({"said": text}, separators=(",", ":")), "x": 1}] * 2
    assert sent[2] == {"mcp.llm.prompt_json": "[null]", "mcp.llm.prompt_json_truncated": True}


def test_both_encodings_carry_the_same_spans(outbox, segments, receiver, line, span):
    rich = span(
        0,
        parentSpanId=f"{7:016x}",
        links=[{"traceId": f"{5:032x}", "spanId": f"{6:016x}"}],
        events=[{"name": "e", "timeUnixNano": str(START_NS), "attributes": []}],
        status={"code": 2, "message": "no"},
    )
    for process, protocol in (("1" * 8, "http/protobuf"), ("2" * 8, "http/json")):
        segments.write(line(rich), process=f"20261122T100000-1-{process}")
        outbox(protocol).send_waiting()
    (by_protobuf,), (by_json,) = receiver.requests
    assert by_json == rich
    assert bytes.fromhex(rich["spanId"]).hex() == _hex(by_protobuf["spanId"])
    assert _hex(by_protobuf["traceId"]) == rich["traceId"]
    assert _hex(by_protobuf["parentSpanId"]) == rich["parentSpanId"]
    assert _hex(by_protobuf["links"][0]["spanId"]) == f"{6:016x}"
    assert by_protobuf["attributes"] == rich["attributes"]
    assert by_protobuf["startTimeUnixNano"] == rich["startTimeUnixNano"]
    assert by_protobuf["status"] == {"code": "STATUS_CODE_ERROR", "message": "no"}


def _hex(base64_text):
    import base64

    return base64.b64decode(base64_text).hex()


def test_a_file_that_grows_is_sent_line_by_line_and_kept_until_its_writer_ends(outbox, segments, receiver, line, span):
    path = segments.write(line(span(0)))
    box = outbox()
    with segments.alive(path):
        assert box.send_waiting()
        half = line(span(1))
        segments.write(half[:20])
        assert box.send_waiting()
        assert receiver.names == ["span 0"]
        segments.write(half[20:])
        assert box.send_waiting()
        assert receiver.names == ["span 0", "span 1"]
        assert path.exists()
    assert box.send_waiting()
    assert not path.exists()


def test_another_sender_goes_on_where_the_last_one_ended(outbox, segments, receiver, line, span):
    path = segments.write(line(span(0)))
    with segments.alive(path):
        outbox().send_waiting()
        segments.write(line(span(1)))
        outbox().send_waiting()
    assert receiver.names == ["span 0", "span 1"]


def test_an_inspector_gets_calls_that_still_run_and_others_do_not(outbox, segments, receiver, line, span):
    path = segments.write(line(span(0, ended=False)), line(span(1)))
    with segments.alive(path):
        outbox().send_waiting()
        assert receiver.names == ["span 1"]
        receiver.is_inspector = True
        segments.write(line(span(2, ended=False)))
        outbox().send_waiting()
    assert receiver.names == ["span 1", "span 2"]


def test_a_call_that_its_process_left_open_is_sent_as_lost(outbox, segments, receiver, line, span):
    path = segments.write(line(span(0, ended=False), span(1, ended=False)), line(span(1)))
    with segments.alive(path):
        assert outbox("http/json").send_waiting()
        assert receiver.names == ["span 1"]
    # Another process finds it: the first one is gone.
    assert outbox("http/json").send_waiting()
    assert receiver.names == ["span 1", "span 0"]
    lost = receiver.requests[-1][0]
    assert {"key": "inspector.status", "value": {"stringValue": "lost"}} in lost["attributes"]
    assert lost["status"]["code"] == 2
    assert int(lost["endTimeUnixNano"]) >= START_NS
    assert not path.exists()


def test_a_call_that_ends_in_a_later_file_is_not_lost(outbox, segments, receiver, line, span):
    first = segments.write(line(span(0, ended=False)), number=0)
    second = segments.write(line(span(1)), number=1)
    box = outbox()
    with segments.alive(second):
        box.send_waiting()
        assert first.exists()
        segments.write(line(span(0)), number=1)
    box.send_waiting()
    box.send_waiting()
    assert receiver.names == ["span 1", "span 0"]
    assert not first.exists()
    assert not second.exists()


@pytest.mark.parametrize("status", [429, 502, 503, 504, 401, 403, 404])
def test_what_is_not_taken_now_waits_and_is_sent_later(outbox, segments, receiver, clock, status, line, span):
    path = segments.write(line(span(0)))
    box = outbox()
    receiver.answers = [(status, {}, b"")]
    assert not box.send_waiting()
    assert box.problem == f"HTTP {status}"
    assert not box.send_waiting()
    assert len(receiver.headers) == 1, "nothing is sent before the wait is over"
    clock.now_s = 100
    assert box.send_waiting()
    assert receiver.names == ["span 0"]
    assert not path.exists()


def test_a_receiver_is_left_alone_as_long_as_it_asks(outbox, segments, receiver, clock, line, span):
    segments.write(line(span(0)))
    box = outbox()
    receiver.answers = [(503, {"Retry-After": "30"}, b"")]
    box.send_waiting()
    clock.now_s = 29
    assert not box.send_waiting()
    clock.now_s = 31
    assert box.send_waiting()


def test_a_receiver_that_is_away_costs_nothing(segments, clock, line, span):
    segments.write(line(span(0)))
    box = Outbox(segments.directory, Sender(Endpoint.of("http://127.0.0.1:1"), timeout_s=5), now_s=clock)
    assert not box.send_waiting()
    assert "ConnectionRefused" in box.problem


def test_what_is_too_large_at_once_goes_in_halves(outbox, segments, receiver, line, span):
    receiver.most_spans = 3
    segments.write(line(*map(span, range(10))))
    assert outbox().send_waiting()
    assert receiver.names == [f"span {number}" for number in range(10)]
    assert max(map(len, receiver.requests)) <= 3


def test_one_bad_span_costs_one_span(outbox, segments, receiver, line, span):
    receiver.refuses = lambda each: each["name"] == "span 7"
    segments.write(line(*map(span, range(20))))
    box = outbox()
    assert box.send_waiting()
    assert receiver.names == [f"span {number}" for number in range(20) if number != 7]
    assert (box.total.spans, box.total.refused) == (19, 1)


def test_a_refusal_for_good_costs_the_request_alone(outbox, segments, receiver, line, span):
    receiver.answers = [(500, {}, b"")]
    segments.write(line(span(0)), process="20261122T100000-1-00000001")
    segments.write(line(span(1)), process="20261122T100000-2-00000002")
    box = outbox()
    assert box.send_waiting()
    assert receiver.names == ["span 1"]
    assert box.total.refused == 1


def test_spans_left_out_of_a_request_are_counted(outbox, segments, receiver, line, span):
    answer = b'{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too old"}}'
    receiver.answers = [(200, {"Content-Type": "application/json"}, answer)]
    segments.write(line(span(0), span(1)))
    box = outbox()
    assert box.send_waiting()
    assert (box.total.spans, box.total.refused) == (1, 1)


def test_a_web_page_is_no_receipt(outbox, segments, receiver, clock, line, span):
    receiver.answers = [(200, {"Content-Type": "text/html; charset=utf-8"}, b"<!doctype html>")]
    path = segments.write(line(span(0)))
    box = outbox()
    assert not box.send_waiting()
    assert box.problem == "HTTP 200 with a web page"
    assert "nothing takes spans there" in advice_on(box.problem)
    assert path.exists()
    clock.now_s = 100
    assert box.send_waiting()
    assert receiver.names == ["span 0"]


def test_an_answer_that_is_only_called_a_page_is_a_receipt(outbox, segments, receiver, line, span):
    receiver.answers = [(200, {"Content-Type": "text/html"}, b"ok")]
    segments.write(line(span(0)))
    assert outbox().send_waiting()


@pytest.mark.parametrize("rejected", [b"-2", b'"-1"', b"1e400", b"null", b"[]"])
def test_no_fewer_than_no_spans_are_left_out(outbox, segments, receiver, rejected, line, span):
    answer = b'{"partialSuccess": {"rejectedSpans": %b}}' % rejected
    receiver.answers = [(200, {"Content-Type": "application/json"}, answer)]
    segments.write(line(span(0)))
    box = outbox()
    assert box.send_waiting()
    assert (box.total.spans, box.total.refused) == (1, 0)


def test_no_redirect_is_followed(outbox, segments, receiver, line, span):
    receiver.answers = [(307, {"Location": f"{receiver.url}/elsewhere"}, b"")]
    segments.write(line(span(0)))
    box = outbox()
    assert not box.send_waiting()
    assert len(receiver.headers) == 1
    assert box.problem == "HTTP 307"


@pytest.mark.parametrize(
    "junk", [b"junk\n", b'{"resourceSpans": 7}\n', b'{"resourceSpans":[{"scopeSpans":[{}]}]}\n', b"\n"]
)
def test_a_line_that_is_no_request_is_counted_and_left_out(outbox, segments, receiver, junk, line, span):
    segments.write(line(span(0)), junk, line(span(1)))
    box = outbox()
    assert box.send_waiting()
    assert receiver.names == ["span 0", "span 1"]
    assert box.total.bad_lines == 1


def test_torn_marks_mean_that_all_is_sent_again(outbox, segments, receiver, line, span):
    path = segments.write(line(span(0)))
    with segments.alive(path):
        outbox().send_waiting()
        (segments.directory / "sent.json").write_text('{"a')
        outbox().send_waiting()
    assert receiver.names == ["span 0", "span 0"]


def test_files_of_other_programs_are_left_alone(outbox, segments, receiver, line, span):
    segments.directory.mkdir()
    foreign = segments.directory / "notes.jsonl"
    foreign.write_bytes(line(span(0)))
    assert outbox().send_waiting()
    assert receiver.requests == []
    assert foreign.exists()


def test_a_receiver_that_was_busy_gets_what_goes_with_calls_that_still_run(
    outbox, segments, receiver, clock, line, span
):
    path = segments.write(line(span(0, ended=False), span(1)))
    box = outbox()
    receiver.answers = [(200, {}, b""), (503, {}, b"")]
    with segments.alive(path):
        assert not box.send_waiting()
        clock.now_s = 100
        assert box.send_waiting()
    assert receiver.names == ["span 1"]


def test_a_file_that_cannot_be_opened_now_is_kept(outbox, segments, receiver, clock, line, span):
    path = segments.write(line(span(0)))
    box = outbox()
    receiver.answers = [(503, {}, b"")]
    assert not box.send_waiting()
    clock.now_s = 100
    aside = path.rename(path.with_suffix(".aside"))
    path.symlink_to(aside)
    box.send_waiting()
    assert path.is_symlink()
    aside.replace(path)
    assert box.send_waiting()
    assert receiver.names == ["span 0"]


def test_a_call_whose_end_was_not_sent_yet_is_not_lost(outbox, segments, receiver, clock, line, span):
    segments.write(line(span(0, ended=False)), number=0)
    # As much as is read at once, so that the next line is a request of its own.
    full = line(span(1)).rstrip().ljust((4 << 20) - 1) + b"\n"
    segments.write(full, line(span(0)), number=1)
    receiver.is_inspector = True
    box = outbox()
    # The question, the start and the first line of the second file are taken; the next line is not.
    ok = (200, {semconv.TAKES_HEADER: semconv.TAKES_RUNNING}, b"")
    receiver.answers = [ok, ok, ok, (503, {}, b"")]
    assert not box.send_waiting()
    clock.now_s = 100
    while list(segments.directory.glob("*.jsonl")):
        assert box.send_waiting()
    (ended,) = receiver.requests
    assert ended[0]["name"] == "span 0"
    assert "status" not in ended[0]


def test_a_receiver_that_refuses_every_span_is_complained_of_once(outbox, segments, receiver, caplog, line, span):
    receiver.refuses = lambda _: True
    segments.write(line(*map(span, range(8))))
    box = outbox()
    assert box.send_waiting()
    assert box.total.refused == 8
    assert refused(segments.directory) == Refused(receiver.url + "/v1/traces", 8, "HTTP 400", segments.directory, 0)
    assert [record.levelname for record in caplog.records].count("WARNING") == 1


def test_a_file_that_a_crash_left_unborn_does_not_keep_its_process_alive(outbox, segments, receiver, line, span):
    segments.write(line(span(0, ended=False)))
    (segments.directory / "20261122T100000-4711-00c0ffee.000001.tmp").touch()
    box = outbox()
    assert box.send_waiting()
    assert box.send_waiting()
    assert receiver.names == ["span 0"]


def test_why_nothing_is_taken_is_noted_for_others_until_it_is(outbox, segments, receiver, clock, line, span):
    segments.write(line(span(0)))
    receiver.answers = [(401, {}, b"")]
    assert not outbox().send_waiting()
    assert last_problem(segments.directory) == "HTTP 401"
    assert (segments.directory / "problem.txt").stat().st_mode & 0o777 == 0o600
    assert outbox().send_waiting()
    assert last_problem(segments.directory) is None
    assert list(segments.directory.glob("*.txt")) == []


def test_advice_is_given_where_a_setting_is_wrong_and_not_where_waiting_helps():
    for reason in ("HTTP 401", "HTTP 403"):
        assert "inspector token --scope ingest" in advice_on(reason)
    assert "token" not in advice_on("HTTP 404")
    assert [advice_on(reason) for reason in ("HTTP 503", "ConnectionRefusedError: no", None)] == ["", "", ""]
