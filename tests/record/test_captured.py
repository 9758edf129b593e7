"""What is encoded at once, and that it is what a copy of it would be."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from inspector.record.captured import captured, captured_result, plain
from inspector.record.values import snapshot

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


def test_a_cycle_is_copied_as_ever():
    value = {}
    value["self"] = [value]
    assert captured(value) == snapshot(value) == {"self": [{"$ref": "cycle"}]}


def test_a_result_that_may_say_that_it_failed_is_plain():
    assert captured_result({"isError": True, "content": []}) == {"isError": True, "content": []}
    assert isinstance(captured_result({"content": []}), Raw)
