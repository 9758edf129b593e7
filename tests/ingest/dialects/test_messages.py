import json

import pytest

from inspector.reading.messages import read_messages

CALL = {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Paris"}}
ASKED = [
    {"role": "system", "parts": [{"type": "text", "content": "Be short."}]},
    {"role": "user", "parts": [{"type": "text", "content": "Weather?"}]},
    {"role": "assistant", "parts": [CALL]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "sunny"}]},
]
OPENAI = {
    "messages": [
        {"role": "developer", "content": "Be short."},
        {"role": "user", "content": [{"type": "text", "text": "Weather?"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    ]
}
RESPONSES = {
    "instructions": "Be short.",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "Weather?"}]},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Paris"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
    ],
}
LANGCHAIN = [
    {"type": "system", "data": {"type": "system", "content": "Be short."}},
    {"lc": 1, "type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": "Weather?"}},
    {"type": "ai", "content": "", "tool_calls": [{"name": "weather", "args": {"city": "Paris"}, "id": "c1"}]},
    {"type": "tool", "content": "sunny", "tool_call_id": "c1"},
]
VERCEL = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": [{"type": "text", "text": "Weather?"}]},
    {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": {"city": "Paris"}}],
    },
    {
        "role": "tool",
        "content": [{"type": "tool-result", "toolCallId": "c1", "output": {"type": "text", "value": "sunny"}}],
    },
]


@pytest.mark.parametrize("held", [OPENAI, RESPONSES, LANGCHAIN, VERCEL, ASKED], ids=lambda held: type(held).__name__)
def test_a_conversation_reads_the_same_in_every_api(held):
    assert read_messages(json.dumps(held), "user") == ASKED


def test_anthropics_blocks_are_parts():
    assert read_messages(
        {
            "system": [{"type": "text", "text": "Be short."}],
            "messages": [
                {
                    "role": "assistant",
                    "content": [{"type": "thinking", "thinking": "Hm."}, {**CALL, "type": "tool_use"}],
                },
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [], "is_error": True}],
                },
            ],
        },
        "user",
    ) == [
        ASKED[0],
        {"role": "assistant", "parts": [{"type": "reasoning", "content": "Hm."}, CALL]},
        {
            "role": "user",
            "parts": [{"type": "tool_call_response", "id": "c1", "response": [], "is_error": True}],
        },
    ]


def test_geminis_contents_are_messages():
    call = {"functionCall": {"name": "weather", "args": {"city": "Paris"}, "id": "c1"}}
    assert (
        read_messages(
            {
                "config": {"system_instruction": {"parts": [{"text": "Be short."}]}},
                "contents": [{"role": "user", "parts": [{"text": "Weather?"}]}, {"role": "model", "parts": [call]}],
            },
            "user",
        )
        == ASKED[:3]
    )


def test_an_answer_keeps_why_it_ended():
    answered = {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Sunny."}}]
    }
    assert read_messages(answered, "assistant") == [
        {"role": "assistant", "parts": [{"type": "text", "content": "Sunny."}], "finish_reason": "stop"}
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "{",
        '{"messages": [',
        "[" * 5000,
        '"\\ud800"',
        "NaN",
        "{}{}",
        '{"a": 1e999}',
        "[1, 2",
        "\x00",
        "{'a': 1}",
    ],
)
def test_what_is_no_json_is_said_as_it_is(text):
    assert read_messages(text, "user") == (
        [{"role": "user", "parts": [{"type": "text", "content": text}]}] if text else []
    )


def test_a_block_that_no_rule_knows_stays_as_it_came():
    block = {"type": "hologram", "depth": 3}
    assert read_messages([{"role": "user", "content": [block]}], "user") == [{"role": "user", "parts": [block]}]


def test_an_image_is_a_place_or_its_data():
    shown = [
        {"type": "image_url", "image_url": {"url": "https://example.invalid/a.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "uri", "uri": "data:image/png;base64,AAAA"},
    ]
    assert read_messages([{"role": "user", "content": shown}], "user")[0]["parts"] == [
        {"type": "uri", "modality": "image", "mime_type": None, "uri": "https://example.invalid/a.png"},
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "AAAA"},
        {"type": "blob", "modality": None, "mime_type": "image/png", "content": "AAAA"},
    ]
