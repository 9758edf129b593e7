# ruff: noqa: E501 -- a row of a table of API shapes stays on one line
"""Prompts and answers of every API come out as OpenTelemetry messages; what no rule knows is kept as its JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.reading.llm_facts import RequestFacts, ResponseFacts, request_facts, response_facts
from inspector.reading.messages import input_messages, output_messages


def text(content):
    return {"type": "text", "content": content}


def user(*parts):
    return {"role": "user", "parts": list(parts)}


def assistant(*parts, **more):
    return {"role": "assistant", "parts": list(parts), **more}


CALL = {"type": "tool_call", "id": "c1", "name": "add", "arguments": {"a": 1}}
ANSWER = {"type": "tool_call_response", "id": "c1", "response": "2"}
THOUGHT = {"type": "reasoning", "content": "hm"}
PIXEL = "iVBORw0KGgo="

PROMPTS = {
    "text": ("hi", [user(text("hi"))]),
    "texts": (["a", "b"], [user(text("a")), user(text("b"))]),
    "openai chat": (
        [
            {"role": "developer", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "https://x.example/i.png"}}]},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "2"},
        ],
        [
            {"role": "system", "parts": [text("be kind")]},
            user(text("look"), {"type": "uri", "modality": "image", "mime_type": None, "uri": "https://x.example/i.png"}),
            assistant(CALL),
            {"role": "tool", "parts": [ANSWER]},
        ],
    ),
    "openai responses": (
        [
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}, {"type": "input_file", "file_id": "f1"}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "function_call", "call_id": "c1", "id": "fc", "name": "add", "arguments": '{"a":1}'},
            {"type": "function_call_output", "call_id": "c1", "output": "2"},
        ],
        [user(text("hi"), {"type": "file", "modality": "document", "mime_type": None, "file_id": "f1"}), assistant(THOUGHT), assistant(CALL), {"role": "tool", "parts": [ANSWER]}],
    ),
    "anthropic": (
        [
            {"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "2"}]},
        ],
        [
            user(text("hi"), {"type": "blob", "modality": "image", "mime_type": "image/png", "content": PIXEL}),
            assistant(THOUGHT, CALL),
            user(ANSWER),
        ],
    ),
    "gemini": (
        {"contents": [
            {"role": "user", "parts": [{"text": "hi"}, {"inlineData": {"mimeType": "image/png", "data": PIXEL}}, {"file_data": {"file_uri": "gs://f", "mime_type": "audio/wav"}}]},
            {"role": "model", "parts": [{"text": "hm", "thought": True}, {"functionCall": {"id": "c1", "name": "add", "args": {"a": 1}}}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "add", "response": "2"}}]},
        ]},
        [
            user(
                text("hi"),
                {"type": "blob", "modality": "image", "mime_type": "image/png", "content": PIXEL},
                {"type": "uri", "modality": "audio", "mime_type": "audio/wav", "uri": "gs://f"},
            ),
            assistant(THOUGHT, CALL),
            user(ANSWER),
        ],
    ),
    "ollama": (
        {"model": "m", "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}]},
            {"role": "tool", "tool_name": "add", "content": "2"},
        ]},
        [user(text("hi")), assistant({**CALL, "id": None}), {"role": "tool", "parts": [{**ANSWER, "id": "add"}]}],
    ),
    "langchain": (
        [
            {"type": "human", "content": "hi", "id": "1"},
            {"type": "ai", "content": [{"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}}], "tool_calls": [{"id": "c1", "name": "add", "args": {"a": 1}, "type": "tool_call"}]},
            {"type": "tool", "content": "2", "tool_call_id": "c1"},
        ],
        [user(text("hi")), assistant(CALL), {"role": "tool", "parts": [ANSWER]}],
    ),
    "mcp": (
        [{"role": "user", "content": {"type": "text", "text": "hi"}}, {"role": "user", "content": {"type": "image", "data": PIXEL, "mimeType": "image/png"}}],
        [user(text("hi")), user({"type": "blob", "modality": "image", "mime_type": "image/png", "content": PIXEL})],
    ),
    "bedrock media": (
        [{"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": {"$type": "bytes", "size": 2, "base64": PIXEL}}}}, {"toolResult": {"toolUseId": "c1", "content": [{"text": "no"}], "status": "error"}}]}],
        [user({"type": "blob", "modality": "image", "mime_type": "image/png", "content": PIXEL}, {"type": "tool_call_response", "id": "c1", "response": [{"text": "no"}], "is_error": True})],
    ),
    "bedrock": (
        [{"role": "user", "content": [{"text": "hi"}, {"toolResult": {"toolUseId": "c1", "content": "2"}}]}, {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "add", "input": {"a": 1}}}]}],
        [user(text("hi"), ANSWER), assistant(CALL)],
    ),
    "pydantic-ai": (
        [
            {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "hi"}]},
            {"kind": "response", "parts": [{"part_kind": "thinking", "content": "hm"}, {"part_kind": "tool-call", "tool_name": "add", "args": '{"a":1}', "tool_call_id": "c1"}]},
            {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "add", "content": "2", "tool_call_id": "c1"}]},
        ],
        [user(text("hi")), assistant(THOUGHT, CALL), user(ANSWER)],
    ),
    "smolagents": (
        [{"role": "tool-call", "content": "Calling"}, {"role": "tool-response", "content": "hi"}],
        [assistant(text("Calling")), user(text("hi"))],
    ),
    "opentelemetry": ([{"role": "user", "parts": [text("hi"), CALL, ANSWER, THOUGHT]}], [user(text("hi"), CALL, ANSWER, THOUGHT)]),
    "blocks of one message": ([{"type": "text", "text": "hi"}, {"text": "there"}], [user(text("hi"), text("there"))]),
    "request": ({"model": "m", "messages": [{"role": "user", "content": "hi"}]}, [user(text("hi"))]),
    "one message": ({"role": "user", "content": "hi"}, [user(text("hi"))]),
    "unknown": ({"x": [1]}, [user(text('{"x":[1]}'))]),
    "number": (5, [user(text("5"))]),
    "nothing": (None, []),
}  # fmt: skip


@pytest.mark.parametrize("api", PROMPTS)
def test_prompts_become_messages(api):
    prompt, messages = PROMPTS[api]
    assert input_messages(prompt) == (messages, None)


SYSTEMS = {
    "anthropic": {"system": "be kind", "messages": []},
    "anthropic blocks": {"system": [{"type": "text", "text": "be kind"}], "messages": []},
    "responses": {"instructions": "be kind", "input": []},
    "gemini": {"system_instruction": {"parts": [{"text": "be kind"}]}, "contents": []},
    "gemini config": {"config": {"system_instruction": "be kind"}, "contents": []},
    "mcp": {"systemPrompt": "be kind", "messages": []},
    "bedrock": {"system": [{"text": "be kind"}], "messages": []},
}


@pytest.mark.parametrize("api", SYSTEMS)
def test_system_instructions_given_apart_are_kept_apart(api):
    assert input_messages(SYSTEMS[api]) == ([], [text("be kind")])


ANSWERS = {
    "text": ("hi", [assistant(text("hi"))]),
    "openai chat": (
        {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "add", "arguments": '{"a":1}'}}]}}]},
        [assistant(CALL, finish_reason="tool_calls")],
    ),
    "deepseek": ({"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "reasoning_content": "hm", "content": "hi"}}]}, [assistant(THOUGHT, text("hi"), finish_reason="stop")]),
    "completions": ({"choices": [{"text": "hi", "finish_reason": "length"}]}, [assistant(text("hi"), finish_reason="length")]),
    "responses": (
        {"status": "completed", "output": [{"type": "reasoning", "summary": [{"text": "hm"}]}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}, {"type": "function_call", "call_id": "c1", "name": "add", "arguments": '{"a":1}'}]},
        [assistant(THOUGHT, text("hi"), CALL, finish_reason="completed")],
    ),
    "anthropic": ({"id": "m", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"}, [assistant(text("hi"), finish_reason="end_turn")]),
    "gemini": ({"candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}, "finishReason": "STOP"}]}, [assistant(text("hi"), finish_reason="STOP")]),
    "bedrock": ({"output": {"message": {"role": "assistant", "content": [{"text": "hi"}]}}, "stopReason": "end_turn"}, [assistant(text("hi"), finish_reason="end_turn")]),
    "titan": ({"results": [{"outputText": "hi", "completionReason": "FINISH"}]}, [assistant(text("hi"))]),
    "llama": ({"generation": "hi", "stop_reason": "stop"}, [assistant(text("hi"), finish_reason="stop")]),
    "mistral on bedrock": ({"outputs": [{"text": "hi", "stop_reason": "stop"}]}, [assistant(text("hi"), finish_reason="stop")]),
    "results of no model": ({"results": [{"id": 1}]}, [assistant(text('{"results":[{"id":1}]}'))]),
    "ollama": ({"message": {"role": "assistant", "content": "hi"}, "done_reason": "stop"}, [assistant(text("hi"), finish_reason="stop")]),
    "langchain": ({"type": "ai", "content": "hi", "response_metadata": {"finish_reason": "stop"}}, [assistant(text("hi"), finish_reason="stop")]),
    "langchain result": ({"generations": [[{"text": "hi", "message": {"type": "ai", "content": "hi"}}]]}, [assistant(text("hi"))]),
    "mcp": ({"role": "assistant", "content": {"type": "text", "text": "hi"}, "stopReason": "endTurn", "model": "m"}, [assistant(text("hi"), finish_reason="endTurn")]),
    "vercel": ({"text": "hi", "toolCalls": [{"toolCallId": "c1", "toolName": "add", "args": {"a": 1}}], "finishReason": "stop"}, [assistant(text("hi"), CALL, finish_reason="stop")]),
    "pydantic-ai": ({"kind": "response", "parts": [{"part_kind": "text", "content": "hi"}]}, [assistant(text("hi"))]),
    "several": ([{"role": "assistant", "content": "a"}, "b"], [assistant(text("a")), assistant(text("b"))]),
    "unknown": ({"x": 1}, [assistant(text('{"x":1}'))]),
    "nothing": (None, []),
}  # fmt: skip


@pytest.mark.parametrize("api", ANSWERS)
def test_answers_become_messages_with_their_finish_reason(api):
    response, messages = ANSWERS[api]
    assert output_messages(response) == messages


HOSTED = {
    "web search": (
        {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search", "query": "Oslo"}},
        [
            {
                "type": "tool_call",
                "id": "ws",
                "name": "web_search",
                "arguments": {"action": {"type": "search", "query": "Oslo"}},
            },
            {"type": "tool_call_response", "id": "ws", "response": "completed"},
        ],
    ),
    "code": (
        {
            "type": "code_interpreter_call",
            "id": "ci",
            "status": "completed",
            "code": "1+1",
            "container_id": "c",
            "outputs": [{"type": "logs", "logs": "2"}],
        },
        [
            {
                "type": "tool_call",
                "id": "ci",
                "name": "code_interpreter",
                "arguments": {"code": "1+1", "container_id": "c"},
            },
            {"type": "tool_call_response", "id": "ci", "response": [{"type": "logs", "logs": "2"}]},
        ],
    ),
    "files": (
        {"type": "file_search_call", "id": "fs", "queries": ["q"], "results": None, "status": "completed"},
        [
            {"type": "tool_call", "id": "fs", "name": "file_search", "arguments": {"queries": ["q"]}},
            {"type": "tool_call_response", "id": "fs", "response": "completed"},
        ],
    ),
    "mcp": (
        {
            "type": "mcp_call",
            "id": "mc",
            "name": "ask",
            "server_label": "deep",
            "arguments": '{"q": 1}',
            "output": "answer",
            "error": None,
        },
        [
            {"type": "tool_call", "id": "mc", "name": "ask", "arguments": {"q": 1}},
            {"type": "tool_call_response", "id": "mc", "response": "answer"},
        ],
    ),
    "mcp that fails": (
        {
            "type": "mcp_call",
            "id": "mc",
            "name": "ask",
            "server_label": "deep",
            "arguments": '{"q": 1}',
            "output": None,
            "error": "gone",
        },
        [
            {"type": "tool_call", "id": "mc", "name": "ask", "arguments": {"q": 1}},
            {"type": "tool_call_response", "id": "mc", "response": "gone", "is_error": True},
        ],
    ),
    "a shell of the program": (
        {"type": "local_shell_call", "id": "ls", "call_id": "c9", "status": "completed", "action": {"command": ["ls"]}},
        [{"type": "tool_call", "id": "c9", "name": "local_shell", "arguments": {"action": {"command": ["ls"]}}}],
    ),
}


@pytest.mark.parametrize("tool", HOSTED)
def test_a_call_of_a_providers_own_tool_is_a_tool_call_with_its_outcome(tool):
    item, parts = HOSTED[tool]
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
    assert output_messages({"output": [item, said]})[0]["parts"] == [*parts, text("done")]
    # As the program sends it back for the next turn.
    again, _ = input_messages([{"role": "user", "content": "go"}, item, said])
    assert again == [user(text("go")), assistant(*parts), assistant(text("done"))]


@pytest.mark.parametrize("tool", ["custom_tool", "computer", "local_shell", "shell", "apply_patch"])
def test_what_a_program_answers_to_a_call_by_an_item_is_a_tools_answer(tool):
    item = {"type": f"{tool}_call_output", "call_id": "c1", "output": "2"}
    assert input_messages([{"role": "user", "content": "go"}, item])[0][1] == {"role": "tool", "parts": [ANSWER]}


def test_arguments_that_are_no_json_stay_text():
    call = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "add", "arguments": '{"a": '}}]}
    assert input_messages([call])[0][0]["parts"][0]["arguments"] == '{"a": '


def test_facts_of_a_request_are_read_from_its_top_and_its_configuration():
    assert request_facts(
        {
            "model": "m",
            "temperature": 0.5,
            "top_p": 1,
            "max_completion_tokens": 9,
            "seed": 3,
            "stop": "x",
            "stream": True,
            "tools": [{"name": "add"}],
        }
    ) == RequestFacts("m", 0.5, 1, None, 9, 3, ("x",), True, [{"name": "add"}])
    assert request_facts(
        {"modelId": "m", "inferenceConfig": {"maxTokens": 9, "stopSequences": ["a", 1, "b"], "topP": 0.1}}
    ) == RequestFacts("m", None, 0.1, None, 9, None, ("a", "b"))
    assert request_facts({"generationConfig": {"topK": 4, "maxOutputTokens": 5}, "max_tokens": 6}) == RequestFacts(
        top_k=4, max_tokens=6
    )
    assert request_facts("text") == request_facts(None) == request_facts([]) == RequestFacts()
    assert (
        request_facts({"model": 5, "temperature": "hot", "max_tokens": True, "stream": "yes", "tools": {}, "seed": 1.5})
        == RequestFacts()
    )


def test_facts_of_a_response_are_read_in_every_spelling():
    assert response_facts(
        {"id": "r", "model": "m", "choices": [{"finish_reason": "stop"}, {"finish_reason": "length"}]}
    ) == ResponseFacts("r", "m", ("stop", "length"))
    assert response_facts(
        {"responseId": "r", "modelVersion": "m", "candidates": [{"finishReason": "STOP"}]}
    ) == ResponseFacts("r", "m", ("STOP",))
    assert response_facts({"id": "r", "model": "m", "stop_reason": "end_turn"}) == ResponseFacts(
        "r", "m", ("end_turn",)
    )
    assert response_facts(
        {"id": "r", "output": [], "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    ) == ResponseFacts("r", None, ("max_output_tokens",))
    assert response_facts({"id": "r", "output": [], "status": "in_progress"}) == ResponseFacts("r")
    assert response_facts(
        {"id": "r", "response_metadata": {"model_name": "m", "finish_reason": "stop"}}
    ) == ResponseFacts("r", "m", ("stop",))
    assert response_facts("text") == response_facts({}) == ResponseFacts()
    assert response_facts({"id": 5, "model": [], "choices": "x", "candidates": [1, None]}) == ResponseFacts()


WORDS = sorted(
    {
        "role",
        "content",
        "parts",
        "type",
        "kind",
        "text",
        "messages",
        "input",
        "output",
        "choices",
        "message",
        "tool_calls",
        "function",
        "function_call",
    }
    | {
        "arguments",
        "name",
        "id",
        "source",
        "image",
        "image_url",
        "inline_data",
        "functionCall",
        "toolUse",
        "toolResult",
        "reasoningContent",
        "system",
    }
    | {
        "config",
        "generations",
        "candidates",
        "part_kind",
        "resource",
        "file",
        "input_audio",
        "thinking",
        "summary",
        "tool_results",
        "tools",
        "stop",
    }
)
TEXTS = st.text(max_size=4) | st.sampled_from(
    [
        "user",
        "assistant",
        "tool",
        "text",
        "image",
        "tool_use",
        "tool_result",
        "message",
        "reasoning",
        "function_call",
        "resource",
        "audio",
        "file",
        "human",
        "{",
        "[1]",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=25,
)


@given(JSON)
def test_any_value_becomes_messages_of_the_right_shape(plain):
    messages, system = input_messages(plain)
    request_facts(plain)
    response_facts(plain)
    for message in (*messages, *output_messages(plain)):
        assert isinstance(message["role"], str)
        assert all(isinstance(part["type"], str) for part in message["parts"])
    assert system is None or all(isinstance(part["type"], str) for part in system)
    json.dumps([messages, system])
