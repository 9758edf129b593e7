import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.model import Event, JsonText
from inspector.reading.call_messages import messages_of

BLOB = {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "AAAA"}
CALL = {"type": "tool_call", "id": "c1", "name": "f", "arguments": {"a": 1}}


def text(content):
    return {"type": "text", "content": content}


def event_of(kind, asked=None, answered=None, /, **attributes):
    values = dict.fromkeys(Event.__dataclass_fields__)
    raw = {
        name: None if value is None else JsonText(json.dumps(value).encode())
        for name, value in (("input", asked), ("output", answered), ("attributes", attributes))
    }
    return Event(**values | {"kind": kind, "name": "tools/list"} | raw)


def asked(prompt):
    return messages_of(event_of("llm", prompt))["input"]


def answered(response):
    return messages_of(event_of("llm", None, response))["output"]


def test_the_parts_of_the_conventions_stay_as_they_are():
    said = {
        "role": "assistant",
        "parts": [{"type": "reasoning", "content": "hm"}, text("hi"), CALL],
        "finish_reason": "stop",
    }
    assert answered([said]) == [said]


def test_the_chat_form_of_openai():
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    prompt = [
        {"role": "developer", "content": "be brief"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
    ]
    assert asked(prompt) == [
        {"role": "system", "parts": [text("be brief")]},
        {"role": "user", "parts": [BLOB]},
        {"role": "assistant", "parts": [CALL]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "42"}]},
    ]


def test_a_request_of_anthropic_with_its_system_prompt_and_blocks():
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "id": "t", "name": "f", "input": {}}]
    result = {"type": "tool_result", "tool_use_id": "t", "content": "no", "is_error": True}
    request = {
        "system": [{"type": "text", "text": "be brief"}],
        "messages": [{"role": "assistant", "content": blocks}, {"role": "user", "content": [result]}],
    }
    assert asked(request) == [
        {"role": "system", "parts": [text("be brief")]},
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "hm"},
                {"type": "tool_call", "id": "t", "name": "f", "arguments": {}},
            ],
        },
        {
            "role": "user",
            "parts": [{"type": "tool_call_response", "id": "t", "response": "no", "is_error": True}],
        },
    ]


def test_contents_of_gemini_and_answers_inside_choices_and_candidates():
    call = {"functionCall": {"name": "f", "args": {"a": 1}}}
    assert asked({"contents": [{"role": "model", "parts": [call]}]}) == [
        {"role": "assistant", "parts": [CALL | {"id": None}]}
    ]
    choices = {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "length"}]}
    assert answered(choices) == [{"role": "assistant", "parts": [text("hi")], "finish_reason": "length"}]
    candidates = {"candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}, "finishReason": "STOP"}]}
    assert answered(candidates) == [{"role": "assistant", "parts": [text("hi")], "finish_reason": "STOP"}]


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (BLOB, BLOB),
        (
            {"type": "uri", "modality": "image", "uri": "https://example.org/x.png"},
            {"type": "uri", "modality": "image", "mime_type": None, "uri": "https://example.org/x.png"},
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
            {"type": "blob", "modality": "audio", "mime_type": "wav", "content": "AAAA"},
        ),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            BLOB,
        ),
        (
            {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
            BLOB,
        ),
        (
            {"type": "file", "file": {"file_id": "f-1"}},
            {"type": "file", "modality": "document", "mime_type": None, "file_id": "f-1"},
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:text/plain,hello"}},
            {"type": "uri", "modality": "image", "mime_type": "text/plain", "uri": "data:text/plain,hello"},
        ),
    ],
    ids=lambda block: block.get("type", "untyped"),
)
def test_data_of_images_sounds_and_files_is_told_from_where_they_are(block, part):
    assert asked([{"role": "user", "content": [block]}])[0]["parts"] == [part]


def test_what_no_rule_knows_is_kept_as_it_is():
    odd = {"type": "hologram", "x": 1}
    assert asked([{"role": "user", "content": [odd]}])[0]["parts"] == [{"type": "json", "content": odd}]
    assert answered({"answer": 42})[0]["parts"] == [{"type": "json", "content": {"answer": 42}}]


def test_system_instructions_recorded_apart_come_first():
    attributes = {"gen_ai.system_instructions": [{"type": "text", "content": "be brief"}]}
    event = event_of("llm", [{"role": "user", "content": "hi"}], None, **attributes)
    assert [each["role"] for each in messages_of(event)["input"]] == ["system", "user"]


def test_a_prompt_is_read_as_it_was_rendered_and_its_parameters_are_no_messages():
    rendered = {"messages": [{"role": "user", "content": {"type": "text", "text": "Plan a trip."}}]}
    assert messages_of(event_of("prompt", {"city": "Lisbon"}, rendered)) == {
        "tools": [],
        "input": [],
        "output": [{"role": "user", "parts": [text("Plan a trip.")]}],
    }


def test_a_result_in_the_form_of_mcp_is_a_message_of_its_tool():
    result = {
        "content": [
            {"type": "text", "text": "hi"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "json", "value": [1]},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}},
        ],
        "structuredContent": {"a": 1},
    }
    parts = [
        text("hi"),
        BLOB,
        {"type": "json", "content": [1]},
        text("inside"),
        {"type": "structured", "content": {"a": 1}},
    ]
    assert messages_of(event_of("tool", {"q": 1}, result)) == {
        "tools": [],
        "input": [],
        "output": [{"role": "tool", "parts": parts}],
    }


@pytest.mark.parametrize("result", [None, "x", 3, [1], {"content": "x"}, {"content": [1]}, {"content": [{"text": 1}]}])
def test_any_other_result_of_a_tool_holds_no_messages(result):
    assert messages_of(event_of("tool", None, result))["output"] == []


SCHEMA = {"type": "object"}
FORMS = [
    [{"type": "function", "function": {"name": "f", "description": "does f", "parameters": SCHEMA}}],
    [{"type": "function", "name": "f", "description": "does f", "parameters": SCHEMA}],
    [{"name": "f", "description": "does f", "input_schema": SCHEMA}],
    [{"name": "f", "description": "does f", "inputSchema": SCHEMA}],
    [{"functionDeclarations": [{"name": "f", "description": "does f", "parameters": SCHEMA}]}],
]


@pytest.mark.parametrize("form", [*FORMS, *map(json.dumps, FORMS)])
def test_tools_of_every_api_have_a_name_a_description_and_a_schema(form):
    offered = messages_of(event_of("llm", None, None, **{"gen_ai.tool.definitions": form}))["tools"]
    assert offered == [{"name": "f", "description": "does f", "schema": SCHEMA}]


@pytest.mark.parametrize("envelope", [lambda result: result, lambda result: {"jsonrpc": "2.0", "result": result}])
def test_tools_that_an_mcp_server_lists_are_read_in_its_envelope_and_without(envelope):
    listed = {"tools": [{"name": "f", "inputSchema": SCHEMA}]}
    assert messages_of(event_of("rpc", None, envelope(listed)))["tools"] == [
        {"name": "f", "description": None, "schema": SCHEMA}
    ]


@pytest.mark.parametrize("wrong", [None, 1, "x", "[", {}, [None, 1, "x", {}, []]])
def test_definitions_that_are_none_are_left_out(wrong):
    assert messages_of(event_of("llm", None, None, **{"gen_ai.tool.definitions": wrong}))["tools"] == []


def test_messages_come_with_an_event_that_is_asked_for_them(client, store, span):
    said = [{"role": "user", "content": "Which?"}]
    digits = '"n": 1.10, "m": 1e400, "i": 123456789012345678901234567890'
    answer = '[{"role": "assistant", "tool_calls": [{"name": "f", "args": {' + digits + "}}]}]"
    attributes = {"in": json.dumps(said), "out": answer}
    store.write([span(1, kind="llm", input_key="in", output_key="out", attributes=attributes)])
    whole = client.get(f"/events/{1:016x}")
    assert "messages" not in whole.json()
    read = client.get(f"/events/{1:016x}?messages=true")
    assert read.json()["messages"]["input"] == [{"role": "user", "parts": [text(said[0]["content"])]}]
    # Digits stay: they are what was recorded.
    assert '"arguments":{"n":1.10,"m":1E+400,"i":123456789012345678901234567890}' in read.text.split('"messages":')[1]
    clipped = client.get(f"/events/{1:016x}?messages=true&clip=60").json()
    assert clipped["clipped"]["output"] > 60
    assert clipped["messages"]["output"] == []


def test_what_a_replay_gives_back_comes_with_an_event_that_is_asked_for_it(client, store, span):
    store.write([span(1, attributes={"inspector.raw.result": "{}", "n": 1})])
    assert client.get(f"/events/{1:016x}").json()["attributes"] == {"n": 1}
    assert client.get("/events?full=true").json()["items"][0]["attributes"] == {"n": 1}
    read = client.get(f"/events/{1:016x}?raw=true").json()
    assert read["attributes"] == {"n": 1, "inspector.raw.result": "{}"}


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "parts", "tool_calls", "type", "messages", "choices", "message", "source", "text"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(["llm", "agent", "prompt", "tool", "rpc"]), plain, plain)
@example("llm", None, {"type": []})
def test_nothing_breaks_on_values_of_the_wrong_shape(kind, one, other):
    read = messages_of(event_of(kind, one, other, **{"gen_ai.tool.definitions": one}))
    assert all(isinstance(part["type"], str) for each in read["input"] + read["output"] for part in each["parts"])
    assert all(isinstance(tool["name"], str) for tool in read["tools"])


def test_what_is_nested_very_deep_is_read_as_far_as_anybody_reads():
    deep = "end"
    for _ in range(300):
        deep = {"messages": [deep]}
    assert isinstance(asked(deep), list)
