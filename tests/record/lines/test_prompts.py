"""Long prompts: copied as their hook fires, written by their messages, of which those of before are not encoded."""

import json
import math
from copy import deepcopy

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Raw

from inspector.frames import LEAST_BYTES, cut_messages, cut_value, frame_of, frame_text, framed, numbers
from inspector.plain import Cut
from inspector.record.capture.captured import Prompt, captured_prompt, plain
from inspector.record.lines.messages import Messages
from inspector.record.spool.waiting import WaitingCalls
from inspector.record.values.snapshot import snapshot
from instrument import around

LONG = "what is asked at such length that it is a part of its own, " * 30
SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 4


def said(text, **more):
    return {"role": "user", "content": text, **more}


def prompt_of(*messages):
    return {"model": "m", "messages": list(messages), "temperature": 0.5}


async def ask(*prompts):
    for prompt in prompts:
        async with around("llm_generate", llm="m", prompt=prompt) as call:
            call.set(response={"id": "r"})


def prompts_of(recording):
    return [span["attributes"]["mcp.llm.prompt_json"] for span in recording.spans()]


class Odd(dict):
    def items(self):
        raise AssertionError("code of the program ran")


NAMES = st.sampled_from(["role", "content", "messages", "input", "tools", "system", "state", "other"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS | st.sampled_from([LONG, json.dumps([said(LONG)] * 2)]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_captured_prompt_is_what_a_copy_is(value):
    assert json.dumps(plain(captured_prompt(value))) == json.dumps(snapshot(value))


@given(st.lists(VALUES, max_size=4) | st.dictionaries(NAMES, VALUES, max_size=4))
@example({"messages": {"content": json.dumps([said(LONG)] * 2), "messages": json.dumps([said(LONG)] * 2)}})
def test_a_prompt_is_cut_into_the_messages_that_its_text_is(value):
    text = msgspec.json.encode(value).decode()
    known = []

    def refer(bodies):
        texts = [bytes(body) for body in bodies]
        known.extend(body for body in dict.fromkeys(texts) if body not in known)
        return [known.index(body) for body in texts]

    messages = Messages()
    for _ in range(2):
        pieces = cut_value(value, messages.bodies)
        expected = cut_messages(text, is_prompt=True) if len(text.encode()) >= LEAST_BYTES else []
        assert bool(pieces) == bool(expected)
        if pieces:
            frame, of_text = frame_of(framed(pieces, refer)), frame_of(framed(expected, refer))
            # Messages that stand in two places are found by a text in the first, by a value under their own name.
            assert (list(numbers(frame)), frame.last) == (list(numbers(of_text)), of_text.last)
            assert frame_text(frame, known.__getitem__) == frame_text(of_text, known.__getitem__) == text.encode()


@pytest.mark.parametrize(
    "odd",
    [Odd(b=1), math.nan, 2**64, "x" * 300_000, [None] * 20_000, b"x", {1: 2}, {"k" * 10_000: 1}, object],
    ids=["class", "nan", "large", "long", "many", "bytes", "number", "key", "object"],
)
def test_a_prompt_of_other_types_is_copied_as_ever(odd):
    value = prompt_of(said(LONG), said("two", odd=odd))
    assert plain(captured_prompt(value)) == snapshot(value)


def test_a_short_prompt_is_encoded_at_once():
    assert isinstance(captured_prompt(prompt_of(said("one"))), Raw)
    assert isinstance(captured_prompt([said(LONG)]), Prompt)
    assert plain(captured_prompt("text")) == "text"


@pytest.mark.anyio
async def test_what_a_program_does_to_its_prompt_afterwards_is_not_recorded(record):
    recording = record()
    parts = [{"type": "text", "text": LONG}]
    prompt = prompt_of(said(LONG), said(parts))
    before = deepcopy(prompt)
    async with around("llm_generate", llm="m", prompt=prompt) as call:
        parts.append("later")
        prompt["messages"][0]["content"] = "later"
        prompt["messages"].append(said("later"))
        prompt["model"] = "later"
        call.set(response={})
    assert json.loads(prompts_of(recording)[0]) == before


@pytest.mark.anyio
async def test_messages_that_are_equal_to_python_and_differ_in_json_are_told_apart(record):
    recording = record()
    odd = [1, True, 1.0, 0, False, 0.0, -0.0, None, "1", "", [1], [True], {"a": 0.0}, {"a": -0.0}]
    prompts = [prompt_of(said(LONG), said(LONG, odd=each)) for each in odd * 2]
    await ask(*prompts)
    assert prompts_of(recording) == [msgspec.json.encode(prompt).decode() for prompt in prompts]


@pytest.mark.anyio
async def test_a_message_that_was_changed_in_place_is_a_new_one(record):
    recording = record()
    message = said(LONG)
    prompt = prompt_of(said(LONG + "first"), message)
    for turn in range(4):
        message["content"] = f"{LONG} {turn % 3}"
        await ask(prompt)
    turns = [json.loads(each)["messages"][1]["content"][-1] for each in prompts_of(recording)]
    assert turns == ["0", "1", "2", "0"]


@pytest.mark.anyio
async def test_a_secret_in_a_message_is_hidden_each_time_it_is_sent(record):
    recording = record()
    prompts = [prompt_of(said(f"{LONG} {SECRET}"), said(LONG), said([f"{SECRET} {turn}"])) for turn in (1, 2)]
    await ask(*prompts, *prompts, {**prompts[0], "api_key": SECRET}, {**prompts[0], "metadata": {"password": LONG}})
    whole = "".join(path.read_text() for path in recording.directory.glob("*.jsonl"))
    assert SECRET not in whole
    assert f'"password":"{LONG}' not in whole
    assert all(json.loads(each)["messages"][1] == said(LONG) for each in prompts_of(recording))
    assert all("[redacted:" in each for each in prompts_of(recording))


@pytest.mark.anyio
async def test_a_prompt_with_half_a_surrogate_pair_is_recorded_without_it(record):
    recording = record()
    await ask(prompt_of(said(LONG), said("\ud800")), {"model": "\ud800", "messages": [said(LONG)]})
    first, second = map(json.loads, prompts_of(recording))
    assert first["messages"] == [said(LONG), said("\ufffd")]
    assert second == {"model": "\ufffd", "messages": [said(LONG)]}


@pytest.mark.anyio
async def test_a_prompt_longer_than_a_value_may_be_is_shortened(record):
    recording = record(max_bytes=20_000)
    await ask(prompt_of(*[said(f"{at} {LONG}") for at in range(30)]))
    prompt = prompts_of(recording)[0]
    assert len(prompt.encode()) <= 20_000
    assert len(json.loads(prompt)["messages"]) == 30


@pytest.mark.anyio
async def test_a_prompt_says_nothing_where_content_is_not_recorded(record):
    recording = record(content=False)
    await ask(prompt_of(said(LONG)), {**prompt_of(said(LONG)), "model": "\ud800"})
    assert LONG[:20] not in "".join(path.read_text() for path in recording.directory.glob("*.jsonl"))
    assert [span["attributes"]["gen_ai.request.temperature"] for span in recording.spans()] == [0.5, 0.5]


@pytest.mark.anyio
async def test_prompts_that_wait_take_up_what_their_texts_do(record, monkeypatch):
    recording = record()
    waiting = WaitingCalls()
    taken = []
    put = recording.spool.put
    monkeypatch.setattr(recording.spool, "put", lambda span: (taken.append(span), put(span)))
    async with around("llm_generate", llm="m", prompt=prompt_of(*[said(f"{at} {LONG}") for at in range(10)])) as call:
        span = taken[0]
        call.set(response={})
        span.stop_ns, span.state = 1, "ok"
        assert waiting.put(span)
        span.is_waiting, span.stop_ns, span.state = False, None, "running"
    assert span.weight >= 10 * len(LONG)


def test_marks_of_a_copy_are_never_taken_for_a_message():
    with pytest.raises(TypeError):
        cut_value(prompt_of(said(Cut("head", "tail", 9))), Messages().bodies)


def test_messages_are_kept_up_to_a_bound(monkeypatch):
    monkeypatch.setattr("inspector.record.lines.messages._MOST_BYTES", 10_000)
    messages = Messages()
    for at in range(100):
        (body,) = messages.bodies([said(f"{at} {LONG}")])
        assert messages.addresses([body]) == messages.addresses([bytes(bytearray(body))])
        assert messages.bodies([said(f"{at} {LONG}")]) == [body]
        assert len(messages._bodies) + len(messages._addresses) < 12
