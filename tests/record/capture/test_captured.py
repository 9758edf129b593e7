"""What is encoded at once, and that it is what a copy of it would be."""

import json
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from inspector.record.capture.captured import captured, captured_result, plain
from inspector.record.values.plainness import room_left
from inspector.record.values.snapshot import snapshot

SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner), max_leaves=20
)


@given(VALUES)
def test_a_captured_value_is_what_a_copy_is(value):
    assert json.dumps(plain(captured(value))) == json.dumps(snapshot(value))


def test_json_is_encoded_at_once():
    value = {"a": [1, 2.5, None, True, "é"], "b": {"c": []}}
    assert isinstance(captured(value), Raw)
    assert plain(captured(value)) == value


class Odd(dict):
    def items(self):
        raise AssertionError("code of the program ran")


@pytest.mark.parametrize(
    "value",
    [
        {"a": Odd(b=1)},
        {"a": math.nan},
        {"a": 2**64},
        {1: 2},
        {"a": "\ud800"},
        {"a": "x" * 300_000},
        {"a": [None] * 20_000},
        {"a": b"x"},
        {"k" * 10_000: 1},
        {f"{n:050}": n for n in range(200)},
    ],
)
def test_what_is_not_small_and_json_is_copied_as_ever(value):
    assert not isinstance(captured(value), Raw)
    assert captured(value) == snapshot(value)


def test_what_a_dictionary_once_held_is_not_walked_over_to_encode_it():
    drained = dict.fromkeys(range(1_000_000))
    for n in range(1_000_000):
        del drained[n]
    drained["a"], drained["b"] = 1, 2
    assert captured({"a": drained}) == {"a": {"$more": "… [2 more items]"}}
    many = {str(n): n for n in range(2_000)}
    assert plain(captured(many)) == many
    assert isinstance(captured(many), Raw)


def lines_run(function):
    lines = 0

    def trace(frame, event, _):
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.parametrize("many", [[1] * 100_000, {str(n): n for n in range(100_000)}])
def test_what_has_too_many_entries_is_not_looked_at(many):
    assert lines_run(lambda: room_left(many, 250_000, 32)) < 10
    assert lines_run(lambda: room_left([[[many]]], 250_000, 32)) < 50


def test_how_a_class_is_hashed_is_not_asked():
    class Unhashed(type):
        def __hash__(cls):
            raise AssertionError("code of the program ran")

    value = {"a": Unhashed("Odd", (), {})()}
    assert captured(value) == snapshot(value)


def test_a_cycle_is_copied_as_ever():
    value = {}
    value["self"] = [value]
    assert captured(value) == snapshot(value) == {"self": [{"$ref": "cycle"}]}


def test_a_result_that_may_say_that_it_failed_is_plain():
    assert captured_result({"isError": True, "content": []}) == {"isError": True, "content": []}
    assert isinstance(captured_result({"content": []}), Raw)
