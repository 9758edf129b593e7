import json
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.store.values.excerpts import LONGEST, answer_in, question_in

NAMES = ("role", "type", "content", "parts", "text", "messages", "input", "response")
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=9)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS | st.sampled_from(["user", "assistant"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=30,
)


def test_of_messages_the_last_of_the_user_and_of_the_assistant_is_told():
    said = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "My system is Linux."},
        {"role": "assistant", "parts": [{"type": "text", "content": "What shall I do?"}]},
        {"role": "user", "content": "Find the  invoice."},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "find", "arguments": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "A-17"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "A-17."}]},
    ]
    text = msgspec.json.encode(said).decode()
    assert question_in(text) == "Find the invoice."
    assert answer_in(text) == "A-17."


QUESTION = {"role": "user", "content": "Find the invoice."}
ADDED = "<system-reminder>\nThe list of tasks is empty.\n</system-reminder>"


@pytest.mark.parametrize(
    "last",
    [
        pytest.param([{"role": "user", "content": f"{ADDED} Find the invoice."}], id="beside the question"),
        pytest.param([QUESTION, {"role": "user", "content": ADDED}], id="alone"),
        pytest.param([QUESTION, {"role": "user", "content": "\n"}], id="blank"),
    ],
)
def test_what_the_user_did_not_say_is_not_the_question(last):
    assert question_in(json.dumps([{"role": "user", "content": "Hello."}, *last])) == "Find the invoice."


def test_of_a_batch_of_prompts_the_first_asks():
    prompts = [[{"role": "system", "content": "Be brief."}, {"role": "user", "content": f"{city}?"}] for city in "AB"]
    assert question_in(json.dumps({"messages": prompts})) == "A?"


def test_a_question_beside_a_large_screenshot_is_told():
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{'A' * 3_000_000}"}}
    parts = [image, {"type": "text", "text": "What is in it?"}]
    assert question_in(json.dumps([{"role": "user", "content": parts}])) == "What is in it?"
    assert question_in(json.dumps([{"role": "user", "content": "What is in it?"}] * 50_000)) is None


def test_of_arguments_without_roles_the_first_is_told():
    assert question_in(json.dumps(["Which invoice?", {"limit": 3}, "en"])) == "Which invoice?"


def test_messages_in_the_short_form_of_langchain_are_told_without_their_roles():
    messages = json.dumps({"messages": [["system", "Be short."], ["user", "Rome?"], ["ai", "Yes."]]})
    assert (question_in(messages), answer_in(messages)) == ("Rome?", "Yes.")
    assert question_in(json.dumps({"input": [["red", "blue"]]})) == "red blue"


def test_a_message_of_somebody_who_has_no_name_is_neither_asked_nor_answered():
    text = msgspec.json.encode([{"role": {"a": 1}, "content": "lost"}, {"role": ["user"], "content": "lost"}]).decode()
    assert question_in(text) is None
    assert answer_in(text) is None


@given(VALUES)
def test_any_value_has_a_short_gist_or_none(value):
    text = msgspec.json.encode(value if not isinstance(value, int) else str(value)).decode()
    for found in (question_in(text), answer_in(text)):
        assert found is None or 0 < len(found) <= LONGEST


@pytest.mark.parametrize(
    "value",
    [{"role": "assistant", "parts": [{"type": "tool_call", "name": "weather"}]}, {"number": 7}, {"a": {"b": {"c": 1}}}],
    ids=["tool call", "number", "deep"],
)
def test_a_value_without_a_text_is_seen_through_in_few_steps(value):
    calls = []
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        answer_in(json.dumps([value]))
    finally:
        sys.setprofile(None)
    assert len(calls) < 100


def test_arguments_are_read_as_names_and_values():
    asked = json.dumps({"city": "Lisbon", "nights": 2, "near": ["sea", "park"]})
    assert question_in(asked) == 'city: Lisbon, nights: 2, near: ["sea","park"]'
    assert question_in(json.dumps({"rows": [0] * 9_000, "last": 1})) == f"rows: [{'0,' * 116}…"


def test_what_a_tool_of_the_provider_found_is_not_answered():
    found = {"type": "tool_call_response", "id": "ws", "response": "rain"}
    answered = [{"role": "assistant", "parts": [found, {"type": "text", "content": "Take a coat."}]}]
    assert answer_in(msgspec.json.encode(answered).decode()) == "Take a coat."


def test_neither_the_data_of_an_image_nor_a_thought_is_told():
    image = {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "iVBORw0KGgo="}
    asked = [{"role": "user", "parts": [{"type": "text", "content": "What is here?"}, image]}]
    thought = {"type": "reasoning", "content": "Let me see."}
    answered = [{"role": "assistant", "parts": [thought, {"type": "text", "content": "A house."}]}]
    assert question_in(msgspec.json.encode(asked).decode()) == "What is here?"
    assert answer_in(msgspec.json.encode(answered).decode()) == "A house."
