import json

import pytest

from inspector.reading.exchanges import read_exchanges
from inspector.reading.results import read_result
from inspector.replay import with_answer
from inspector.replay.wording import reworded, reworded_stream
from inspector.tape import NotReplayable, Tape, TapeCall

CHAT = {
    "id": "c1",
    "object": "chat.completion",
    "model": "m-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "old", "tool_calls": [{"id": "x"}]}}],
}
RESPONSE = {"id": "r1", "object": "response", "output": [{"type": "function_call"}], "status": "completed"}
CONVERSED = {
    "output": {"message": {"role": "assistant", "content": [{"toolUse": {"name": "add"}}]}},
    "stopReason": "tool_use",
    "usage": {"inputTokens": 1},
}
MESSAGE = {"id": "m1", "type": "message", "content": [{"type": "tool_use"}], "stop_reason": "tool_use"}


def stream(*events):
    return "".join(f"event: {each.get('type')}\ndata: {json.dumps(each)}\n\n" for each in events).encode()


def events_of(body):
    return [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: {")]


def test_a_chat_completion_says_the_text_and_calls_no_tool():
    said = json.loads(reworded(json.dumps(CHAT).encode(), "new"))
    assert said["choices"][0]["message"] == {"role": "assistant", "content": "new"}
    assert (said["choices"][0]["finish_reason"], said["id"]) == ("stop", "c1")


def test_a_response_and_a_message_say_the_text_in_their_own_forms():
    said = json.loads(reworded(json.dumps(RESPONSE).encode(), "new"))
    assert [item["content"][0]["text"] for item in said["output"]] == ["new"]
    said = json.loads(reworded(json.dumps(MESSAGE).encode(), "new"))
    assert (said["content"], said["stop_reason"]) == ([{"type": "text", "text": "new"}], "end_turn")
    said = json.loads(reworded(json.dumps(CONVERSED).encode(), "new"))
    assert (said["output"]["message"]["content"], said["stopReason"]) == ([{"text": "new"}], "end_turn")
    assert said["usage"] == CONVERSED["usage"]


@pytest.mark.parametrize("body", [b"{}", b"[]", b"not JSON", b'{"choices": [], "object": "chat.completion"}'])
def test_an_answer_of_another_form_is_left_alone(body):
    assert reworded(body, "new") is None
    assert reworded_stream(b"data: " + body + b"\n\n", "new") is None


def test_a_stream_of_chunks_has_the_text_its_end_and_what_was_counted():
    first = {"id": "c1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "o"}}]}
    counted = {"id": "c1", "object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 3}}
    body = reworded_stream(stream(first, counted) + b"data: [DONE]\n\n", "new")
    text, end, usage = events_of(body)
    assert text["choices"][0]["delta"] == {"role": "assistant", "content": "new"}
    assert (end["choices"][0]["finish_reason"], usage["usage"]) == ("stop", {"total_tokens": 3})
    assert body.endswith(b"data: [DONE]\n\n")


def test_streams_of_events_with_names_keep_them():
    begun, over = (
        {"type": "message_start", "message": MESSAGE},
        {"type": "message_delta", "usage": {"output_tokens": 1}},
    )
    body = reworded_stream(stream(begun, over, {"type": "message_stop"}), "new")
    assert [each["type"] for each in events_of(body)] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert b"event: content_block_delta\ndata: " in body
    created, completed = ({"type": f"response.{word}", "response": RESPONSE} for word in ("created", "completed"))
    made = events_of(reworded_stream(stream(created, completed), "new"))
    assert [each["sequence_number"] for each in made] == list(range(8))
    assert made[-1]["response"]["output"][0]["content"][0]["text"] == "new"


def tape(call, **texts):
    return Tape("r1", (call,), texts)


def model(*, is_stream=False, body=CHAT, **more):
    parts = {"parameter stream": "h"} if is_stream else {}
    exchanges = json.dumps([{"status": 500}, {"status": 200, "headers": {}, "text": [json.dumps(body)]}])
    known = {"exchanges": exchanges} | more
    return tape(TapeCall("ab" * 8, "llm_generate", "chat m-1", "", (), parts, **known), h="true")


def tool(**more):
    return tape(TapeCall("ab" * 8, "tool_call", "execute_tool find", "find", (), {}, **more))


OBJECT = {"$kind": "pydantic", "class": "shop:Room", "fields": {"hotel": "Casa", "beds": 1}, "set": ["hotel"]}


def test_a_text_stands_in_the_recorded_answer_and_a_body_in_its_place():
    (call,) = with_answer(model(), 0, "a.txt", "new\n").calls
    (exchange,) = read_exchanges(call.exchanges)
    assert json.loads(exchange.pieces[0])["choices"][0]["message"]["content"] == "new"
    assert (exchange.status, call.is_replaced) == (200, True)
    (call,) = with_answer(model(exchanges=None, unrecordable="secret"), 0, "a.json", '{"choices": []}').calls
    assert read_exchanges(call.exchanges)[0].pieces == (b'{"choices": []}',)
    assert call.unrecordable is None
    (call,) = with_answer(model(is_stream=True), 0, "a.sse", "data: [DONE]\n\n").calls
    assert read_exchanges(call.exchanges)[0].headers == {"content-type": "text/event-stream"}


def test_a_tool_gives_plain_data_a_text_or_an_object_with_other_fields():
    (call,) = with_answer(tool(result='"same"', output="1"), 0, "a.json", "[2]").calls
    assert read_result(call.result, call.output) == [2]
    (call,) = with_answer(tool(error='{"class": "a:B"}'), 0, "a.txt", "found\n").calls
    assert (read_result(call.result, call.output), call.error) == ("found", None)
    (call,) = with_answer(tool(result=json.dumps({"value": OBJECT})), 0, "a.json", '{"beds": 3}').calls
    made = json.loads(call.result)["value"]
    assert (made["fields"], made["set"]) == ({"hotel": "Casa", "beds": 3}, ["beds", "hotel"])


@pytest.mark.parametrize(
    ("given", "name", "text", "why"),
    [
        (model(), "a.sse", "", "it was not asked for as a stream; give its text in a .txt, or the whole body in a .js"),
        (model(is_stream=True), "a.json", "{}", "it was asked for as a stream; give its text in a .txt, or its events"),
        (model(body={}), "a.txt", "new", "no answer of a known form was recorded that it could stand in (chat comple"),
        (model(exchanges=None), "a.txt", "new", "give the whole body in a .json"),
        (model(), "a.json", "{", "Expecting property name"),
        (tool(result='"same"'), "a.sse", "", "a tool has no events; give its result in a .json or a .txt"),
        (
            tool(result=json.dumps({"value": OBJECT})),
            "a.txt",
            "x",
            "its result is shop:Room; give a JSON object of",
        ),
        (tool(result=json.dumps({"value": OBJECT})), "a.json", '{"stars": 1}', "of its fields: hotel, beds"),
        (tool(result='{"value": {"$kind": "bytes"}}'), "a.json", "1", "its result is neither plain JSON"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_with_what_would(given, name, text, why):
    with pytest.raises(NotReplayable) as raised:
        with_answer(given, 0, name, text)
    assert str(raised.value).startswith(f"{name} cannot be the answer of {given.calls[0].name} (abababab): ")
    assert why in str(raised.value)


def answered_by_server(name, text, *, method="tools/call", **recorded):
    call = TapeCall("s1", "rpc_request", f"{method} a", method, (), {}, output=json.dumps(recorded))
    (made,) = with_answer(Tape("r1", (call,), {}), 0, name, text).calls
    return json.loads(made.output)


def test_a_server_answers_with_another_result():
    assert answered_by_server("a.json", '{"content": []}', error={"code": 1}) == {"result": {"content": []}}
    recorded = {"resultType": "complete", "content": [], "isError": True, "structuredContent": {"n": 1}}
    given = '{"content": [], "structuredContent": {"n": 2}}'
    made = {"resultType": "complete", "content": [], "structuredContent": {"n": 2}}
    assert answered_by_server("a.json", given, result=recorded) == {"result": made}
    listed = answered_by_server("a.json", '{"tools": []}', method="tools/list", result={"tools": [1], "ttlMs": 0})
    assert listed == {"result": {"tools": []}}


def test_a_tool_of_a_server_answers_with_another_text():
    said = [{"type": "text", "text": "new"}]
    old = [{"type": "text", "text": "old"}]
    assert answered_by_server("a.txt", "new\n", result={"content": old, "isError": True}) == {
        "result": {"content": said}
    }
    wrapped = {"content": old, "structuredContent": {"result": "old"}}
    expected = {"content": said, "structuredContent": {"result": "new"}}
    assert answered_by_server("a.txt", "new\n", result=wrapped) == {"result": expected}


@pytest.mark.parametrize(
    ("name", "text", "method", "why"),
    [
        ("a.txt", "text", "tools/list", r"give the result of its response in a \.json"),
        ("a.json", "[]", "tools/list", r"give the result of its response in a \.json"),
        ("a.sse", "data: 1", "tools/call", r"give the result of its response in a \.json"),
        ("a.json", '{"text": "x"}', "tools/call", "has content, such as"),
        ("a.txt", "text", "tools/call", r"has structuredContent as well; give both in a \.json"),
    ],
)
def test_a_server_does_not_answer_with_what_is_no_result(name, text, method, why):
    with pytest.raises(NotReplayable, match=why):
        answered_by_server(name, text, method=method, result={"structuredContent": {"n": 1}})


def test_a_model_of_the_toolkit_says_another_text_or_gives_another_completion():
    call = TapeCall("s1", "llm_generate", "chat m", "toolkit", (), {}, output="{}", goes_on=True)
    (made,) = with_answer(Tape("r1", (call,), {}), 0, "a.txt", "new\n").calls
    assert json.loads(made.output)["choices"][0]["message"] == {"role": "assistant", "content": "new"}
    assert not made.goes_on
    (made,) = with_answer(Tape("r1", (call,), {}), 0, "a.json", '{"choices": []}').calls
    assert made.output == '{"choices": []}'
    with pytest.raises(NotReplayable, match="gives no events"):
        with_answer(Tape("r1", (call,), {}), 0, "a.sse", "data: 1\n\n")
