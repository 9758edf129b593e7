import json
from itertools import accumulate

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.frames import (
    Elements,
    Frame,
    Runs,
    cut_messages,
    cut_strings,
    expanded,
    frame_of,
    frame_text,
    framed,
    in_runs,
    numbers,
)

LONG = "a text that is long enough to be kept apart " * 8


def put_back(text, **how):
    """Cuts a text and puts it together again; returns that, and the messages by number."""
    bodies = []

    def refer(found):
        bodies.extend(map(bytes, found))
        return list(range(len(bodies) - len(found) + 1, len(bodies) + 1))

    frame = frame_of(framed(cut_messages(text, is_prompt=False, **how), refer))
    stored = msgspec.json.decode(msgspec.json.encode(frame), type=Frame)
    assert list(numbers(stored)) == list(range(1, len(bodies) + 1))
    return frame_text(stored, lambda number: bodies[number - 1]).decode(), bodies


def said(text):
    return {"role": "user", "content": f"{text} {LONG}"}


MESSAGES = [said("one"), said("two ü"), said("three")]
SHAPES = {
    "array": MESSAGES,
    "array in an array": [MESSAGES],
    "messages": {"model": "m", "messages": MESSAGES, "temperature": 0},
    "batch": {"messages": [MESSAGES]},
    "input": {"input": MESSAGES, "instructions": LONG},
    "contents": {"contents": MESSAGES, "config": {"system_instruction": LONG, "tools": [said("tool")]}},
    "system": {"system": LONG, "tools": [said("tool")], "messages": MESSAGES},
    "text": {"prompt": json.dumps(MESSAGES)},
    "text without escapes": {"prompt": json.dumps(MESSAGES, ensure_ascii=False)},
    "text of an object": {"kwargs": {"input": json.dumps({"messages": MESSAGES})}},
    "JSON of a JSON text": json.dumps({"messages": MESSAGES}),
}


@pytest.mark.parametrize("layout", [{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}], ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_each_message_of_a_prompt_of_any_shape_is_apart_and_the_text_comes_back_to_the_letter(shape, layout):
    text = json.dumps(SHAPES[shape], **layout)
    back, bodies = put_back(text)
    assert back == text
    assert [body for body in map(json.loads, bodies) if body in MESSAGES] == MESSAGES


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        '{"messages": [',
        '["' + "\\ud800" * 300 + '", "x"]',
        json.dumps({"goal": LONG * 5}),
        json.dumps({"messages": "short", "rest": LONG}),
        json.dumps([[1, 2, 3]] * 400),
        '{"messages": [{"role": "user"},   {"role":"a"},{"role": "' + LONG + '"}]}',
        '"' + LONG + '"',
    ],
    ids=["text", "cut", "surrogates", "object", "short", "numbers", "uneven", "string"],
)
def test_a_text_without_messages_is_left_whole(text):
    assert cut_messages(text, is_prompt=False) == []


def test_a_repeated_member_is_never_mixed_up():
    text = json.dumps({"input": LONG})[:-1] + ", " + json.dumps({"input": LONG * 2, "messages": MESSAGES})[1:]
    assert put_back(text)[0] == text


@pytest.mark.parametrize("alike", [1, 3, 4, 9])
def test_messages_are_found_behind_texts_that_begin_as_they_do(alike):
    messages = [{"role": "user", "content": LONG}, *MESSAGES]
    others = {f"other{at}": [*messages[:1], {"at": at}] for at in range(alike)}
    text = json.dumps({**others, "messages": messages})
    assert put_back(text)[0] == text
    assert [len(piece.bodies) for piece in cut_messages(text, is_prompt=False) if isinstance(piece, Elements)] == [4]


def test_the_last_message_that_was_said_is_neither_a_tool_nor_an_instruction():
    text = json.dumps({"system": LONG, "messages": MESSAGES, "tools": [said("tool")]})
    pieces = cut_messages(text, is_prompt=False)
    frame = framed(pieces, lambda bodies: [int.from_bytes(bytes(body)[:60]) for body in bodies])
    assert frame.last == int.from_bytes(json.dumps(MESSAGES[2]).encode()[:60])


def test_ids_that_follow_one_another_are_one_run():
    frame = framed(cut_messages(json.dumps(MESSAGES), is_prompt=True), lambda _: [5, 6, 7, 9, 9, 20, 21])
    assert frame.pieces[1] == [5, -2, 9, 9, 20, -1]
    assert list(expanded([5, -2, 9, 9, 20, -1])) == [5, 6, 7, 9, 9, 20, 21]


def test_steps_that_repeat_are_one_run():
    two_in_turn = [65, 66, *(number for at in range(69, 669, 3) for number in (at, at - 1))]
    assert in_runs(two_in_turn) == [65, -1, 69, [-1, 4, 199], 665]
    assert list(expanded(in_runs(two_in_turn))) == two_in_turn


@given(st.lists(st.tuples(st.lists(st.integers(-9, 9), min_size=1, max_size=5), st.integers(1, 9)), max_size=5))
def test_numbers_come_back_from_their_runs_whatever_they_are(patterns):
    steps = [step for pattern, times in patterns for step in pattern * times]
    ids = list(accumulate(steps, initial=1000)) if steps else []
    runs = msgspec.json.decode(msgspec.json.encode(in_runs(ids)), type=Runs)
    assert list(expanded(runs)) == ids
    assert len(runs) <= len(ids)


NAMES = st.sampled_from(["messages", "input", "system", "tools", "config", "prompt", "other", 'a"b', "ü"])
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.just(LONG) | st.just(MESSAGES[1]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES, inner, max_size=3)
        | st.builds(json.dumps, inner)
        | st.builds(lambda value: json.dumps(value, ensure_ascii=False), inner)
    ),
    max_leaves=8,
)


@given(value=VALUES, indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_every_text_comes_back_to_the_letter(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    if cut_messages(text, is_prompt=False):
        assert put_back(text)[0] == text


@given(
    value=st.recursive(
        st.none() | st.integers() | st.text() | st.sampled_from(['"' * 9, "\\" * 9, 'a"b\\' * 9]),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    ),
    letters=st.booleans(),
)
def test_a_text_without_its_long_strings_comes_back_to_the_letter(value, letters):
    text = json.dumps(value, ensure_ascii=letters).encode()
    bodies = []

    def refer(found):
        bodies.extend(map(bytes, found))
        return [len(bodies) - 1]

    pieces = cut_strings(text, 12)
    if pieces:
        assert frame_text(frame_of(framed(pieces, refer)), bodies.__getitem__) == text
    assert all(len(body) >= 12 and isinstance(json.loads(body), str) for body in bodies)
    apart = [len(json.dumps(each, ensure_ascii=letters).encode()) for each in strings_in(value)]
    assert len(bodies) == sum(size >= 12 for size in apart)


def strings_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)
