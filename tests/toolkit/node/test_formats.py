import json

import mcp.types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolMessage, convert_to_messages
from openai.types.chat import ChatCompletion, ChatCompletionToolMessageParam, ChatCompletionUserMessageParam
from pydantic import TypeAdapter

from toolkit.call import ToolCall
from toolkit.content import ImageContent, ResourceContent, TextContent, json_text
from toolkit.errors import DefinitionInvalid
from toolkit.formats import answer, answers, call_of, calls_of, offer
from toolkit.formats.mcp import mcp_result
from toolkit.functions import tool
from toolkit.result import ToolResult

_CHAT = {"id": "c1", "type": "function", "function": {"name": "shout", "arguments": '{"text": "hi"}'}}
_LANGCHAIN = {"type": "tool_call", "id": "c1", "name": "shout", "args": {"text": "hi"}}
_COMPLETION = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": None, "tool_calls": [_CHAT]},
        }
    ],
}


@pytest.mark.parametrize(
    "written",
    [
        _CHAT,
        _LANGCHAIN,
        ChatCompletion.model_validate(_COMPLETION).choices[0].message.tool_calls[0],
        {"id": "c1", "name": "shout", "arguments": '{"text": "hi"}'},
    ],
)
def test_one_call_is_read_in_every_shape(written):
    call = call_of(written)

    assert (call.name, call.arguments, call.problem) == ("shout", {"text": "hi"}, None)
    assert call.id == "c1"


@pytest.mark.parametrize(
    "wrapped",
    [
        _CHAT,
        [_CHAT],
        (_CHAT,),
        {"role": "assistant", "tool_calls": [_CHAT]},
        {"tools_calls": [_CHAT]},
        _COMPLETION,
        ChatCompletion.model_validate(_COMPLETION),
        AIMessage(content="Let me shout.", tool_calls=[{"name": "shout", "args": {"text": "hi"}, "id": "c1"}]),
        ToolCall("shout", {"text": "hi"}, "c1"),
    ],
)
def test_the_calls_are_found_in_the_answer_they_came_in(wrapped):
    assert [(each.name, each.arguments, each.id) for each in calls_of(wrapped)] == [("shout", {"text": "hi"}, "c1")]


@pytest.mark.parametrize(
    "wrapped",
    [
        None,
        [],
        {"role": "assistant", "content": "Nothing to do."},
        {"role": "assistant", "content": [{"type": "text", "text": "Nothing to do."}]},
        {"role": "assistant", "content": "Nothing to do.", "tool_calls": None},
        AIMessage(content="Nothing to do."),
        {"choices": []},
        {"output": []},
        {"role": "assistant", "content": "Nothing to do.", "name": "Bob"},
        {"jsonrpc": "2.0", "id": 4, "method": "prompts/get", "params": {"name": "delete", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {"uri": "x", "name": "f"}},
        AIMessage(content=["Nothing", "to do."], name="Bob"),
        "Nothing to do.",
    ],
)
def test_an_answer_without_calls_has_none(wrapped):
    assert calls_of(wrapped) == []


def test_calls_that_langchain_could_not_read_are_told_of_too():
    message = AIMessage(
        content="",
        tool_calls=[{"name": "a", "args": {}, "id": "1"}],
        invalid_tool_calls=[{"name": "b", "args": '{"x":', "id": "2", "error": "no JSON"}],
    )

    (first, second) = calls_of(message)

    assert (first.name, second.name, second.id) == ("a", "b", "2")
    assert second.arguments is None
    assert "not valid JSON" in second.problem


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ('{"x":', "the arguments are not valid JSON: "),
        ("[1]", "the arguments must be a JSON object, not an array"),
        ("null", "the arguments must be a JSON object, not null"),
        ("true", "the arguments must be a JSON object, not true"),
        ('"x"', "the arguments must be a JSON object, not the string 'x'"),
        (7, "the arguments must be a JSON object, not the number 7"),
        ("[" * 100_000, "the arguments are not valid JSON: "),
    ],
)
def test_arguments_that_are_no_object_are_a_problem_for_the_model(written, problem):
    call = call_of({"name": "shout", "arguments": written})

    assert call.arguments is None
    assert call.problem.startswith(problem)


def test_a_tool_use_block_of_anthropics_is_a_call():
    (call,) = calls_of([{"type": "tool_use", "id": "toolu_1", "name": "shout", "input": {"text": "hi"}}])

    assert (call.name, call.id, call.arguments) == ("shout", "toolu_1", {"text": "hi"})


@pytest.mark.parametrize("nothing", ["", None, "{}", {}])
def test_no_arguments_are_an_empty_object(nothing):
    assert call_of({"name": "now", "arguments": nothing}).arguments == {}


def test_a_call_without_a_name_cannot_be_parsed_but_is_kept_among_others():
    with pytest.raises(DefinitionInvalid, match="no tool's name in a tool call of type dict"):
        call_of({"id": "1", "function": {"arguments": "{}"}})
    (call,) = calls_of([{"id": "1", "function": {"arguments": "{}"}}])

    assert (call.name, call.id, call.arguments) == ("", "1", None)
    assert call.problem.startswith("no tool's name")


@pytest.mark.parametrize(
    "wrapped",
    [
        [_CHAT, {"id": "b", "func": {"name": "t"}}],
        {"role": "assistant", "tool_calls": [_CHAT, {"id": "b", "func": {"name": "t"}}]},
    ],
)
def test_what_is_no_call_among_calls_is_answered_too(wrapped):
    (good, bad) = calls_of(wrapped)
    assert (good.name, bad.name, bad.id) == ("shout", "", "b")
    assert bad.problem.endswith("expected 'name' or 'function.name', found 'id', 'func'")


@pytest.mark.parametrize("part", ["get_weather", 3, None, {}])
def test_a_list_of_what_is_no_call_is_not_taken_for_no_calls(part):
    (call,) = calls_of([part])
    assert call.problem.startswith("no tool's name in a tool call of type")


def test_messages_without_calls_may_stand_in_a_list():
    messages = [{"role": "user", "content": "hi"}, AIMessage(content=""), {"role": "assistant", "tool_calls": [_CHAT]}]
    assert [each.name for each in calls_of(messages)] == ["shout"]


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


_WORDS = ("type", "function", "params", "functionCall", "name", "args", "arguments", "input", "choices", "message")
_PARTS = ("content", "output", "parts", "tool_calls", "candidates", "id", "role", "text")
_hostile = st.recursive(
    st.none() | st.integers() | st.sampled_from(("function", "tool_use", "x", "{}")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_WORDS + _PARTS), inner, max_size=4),
    max_leaves=12,
)


@given(_json | _hostile)
def test_nothing_that_is_json_breaks_the_reading_of_calls(value):
    for call in calls_of(value):
        assert isinstance(call.name, str)


@given(
    st.dictionaries(
        st.text(max_size=5), st.none() | st.integers() | st.lists(st.text(max_size=5), max_size=2), max_size=3
    )
)
def test_arguments_come_through_every_shape_unchanged(arguments):
    written = json.dumps(arguments)
    for call in (
        {"function": {"name": "f", "arguments": written}},
        {"type": "tool_call", "id": "1", "name": "f", "args": arguments},
        {"name": "f", "arguments": arguments},
    ):
        (read,) = calls_of([call])
        assert (read.name, read.arguments) == ("f", arguments)


_RESULT = ToolResult([TextContent("HI"), ImageContent("aGk=", "image/png")], structured={"said": "HI"})
_FAILED = ToolResult.error("too loud")


def _answered(written, result):
    return answer(call_of(written), result)


def test_chat_completions_are_answered_with_a_tool_message():
    told = _answered(_CHAT, _RESULT)

    assert told == {"role": "tool", "tool_call_id": "c1", "content": "HI\n[image, image/png]"}
    TypeAdapter(ChatCompletionToolMessageParam).validate_python(told)


def test_langchain_takes_the_same_message():
    [message] = convert_to_messages([_answered(_LANGCHAIN, _FAILED)])

    assert isinstance(message, ToolMessage)
    assert (message.content, message.tool_call_id) == ("too loud", "c1")


def test_mcp_is_answered_with_a_result_of_the_protocol():
    result = ToolResult(
        [
            TextContent("HI"),
            ImageContent("aGk=", "image/png"),
            TextContent(json_text({"a": 1})),
            ResourceContent("file:///a.txt", "text/plain", text="a"),
            ResourceContent("file:///b.bin"),
        ],
        structured={"said": "HI"},
    )

    told = mcp.types.CallToolResult.model_validate(mcp_result(result))

    assert [each.type for each in told.content] == ["text", "image", "text", "resource", "resource_link"]
    assert told.structured_content == {"said": "HI"}
    assert ToolResult.of(told).text == result.text
    assert mcp.types.CallToolResult.model_validate(mcp_result(_FAILED)).is_error


def test_pictures_follow_the_answers_of_a_turn_where_no_answer_can_have_them():
    calls = [call_of({**_CHAT, "id": "c1"}), call_of({**_CHAT, "id": "c2"})]
    first, second, pictures = answers(calls, [_RESULT, _FAILED])

    assert (first["content"], second["content"]) == ("HI\n[image, image/png]", "too loud")
    assert pictures == {
        "role": "user",
        "content": [
            {"type": "text", "text": "Pictures that shout returned (tool call c1):"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        ],
    }
    TypeAdapter(ChatCompletionUserMessageParam).validate_python(pictures)


def test_a_tool_is_offered_in_every_format():
    @tool
    def shout(text: str) -> list[str]:
        """Shout."""
        return [text]

    schema = dict(shout.input_schema)
    function = {"name": "shout", "description": "Shout.", "parameters": schema}
    assert offer(shout.definition) == {"type": "function", "function": function}
    assert mcp.types.Tool.model_validate(offer(add.definition, "mcp")).output_schema == {"type": "object"}


@tool
def add(x: int) -> dict:
    return {"sum": x}
