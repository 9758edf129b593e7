"""Whatever value of a hinted type: its JSON fits the schema and leads back to an equal value."""

import asyncio
import enum
import json
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Literal, NamedTuple
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from typing_extensions import TypedDict  # before Python 3.12, pydantic takes no other inside of a dataclass

from toolkit.errors import ArgumentsInvalid
from toolkit.functions import FunctionTool
from toolkit.plain import plain
from toolkit.schemas.validation import validator


class Colour(enum.Enum):
    RED = "red"
    PAIR = (1, 2)
    HALF = 0.5


class Kind(enum.Enum):
    OAK = "oak"
    ELM = 2


class Step(NamedTuple):
    when: date
    weight: Decimal = Decimal(1)


class Note(TypedDict, total=False):
    text: str
    at: datetime


@dataclass(frozen=True)
class Tree:
    name: str
    kind: Kind | None = None
    children: "tuple[Tree, ...]" = ()
    notes: dict[int, Note] = field(default_factory=dict)


class Model(BaseModel):
    at: datetime
    tags: set[str] = set()


WORDS = st.text(max_size=5)
STAMPS = st.datetimes(timezones=st.none() | st.timezones().map(lambda zone: None))
NOTES = st.fixed_dictionaries({}, optional={"text": WORDS, "at": STAMPS})
TREES = st.recursive(
    st.builds(Tree, WORDS, st.none() | st.sampled_from(Kind)),
    lambda trees: st.builds(
        Tree,
        WORDS,
        st.sampled_from(Kind),
        st.lists(trees, max_size=2).map(tuple),
        st.dictionaries(st.integers(), NOTES, max_size=2),
    ),
    max_leaves=4,
)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False)
HASHABLE = [
    (str, WORDS),
    (int, st.integers()),
    (float, FINITE),
    (bool, st.booleans()),
    (date, st.dates()),
    (datetime, STAMPS),
    (time, st.times()),
    (timedelta, st.timedeltas()),
    (UUID, st.uuids()),
    (Decimal, DECIMALS),
    (bytes, st.binary(max_size=5)),
    (PurePosixPath, st.text("ab./", max_size=5).map(PurePosixPath)),
    (Colour, st.sampled_from(Colour)),
    (Literal["a", 1, False], st.sampled_from(["a", 1, False])),
    (Step, st.builds(Step, st.dates(), DECIMALS)),
]
LEAVES = [
    *HASHABLE,
    (Tree, TREES),
    (Note, NOTES),
    (Model, st.builds(Model, at=st.datetimes(), tags=st.sets(WORDS, max_size=3))),
]


def containers(pairs):
    def around(pair):
        hint, values = pair
        return st.sampled_from(
            [
                (list[hint], st.lists(values, max_size=3)),
                (tuple[hint, ...], st.lists(values, max_size=3).map(tuple)),
                (tuple[hint, int], st.tuples(values, st.integers())),
                (dict[str, hint], st.dictionaries(WORDS, values, max_size=3)),
                (dict[int, hint], st.dictionaries(st.integers(), values, max_size=3)),
                (hint | None, st.none() | values),
            ]
        )

    return pairs.flatmap(around)


SETS = st.sampled_from(HASHABLE).flatmap(
    lambda pair: st.sampled_from(
        [(set[pair[0]], st.sets(pair[1], max_size=3)), (frozenset[pair[0]], st.frozensets(pair[1], max_size=3))]
    )
)
PAIRS = st.recursive(st.sampled_from(LEAVES) | SETS, containers, max_leaves=3)


def keep(hint, seen):
    def keep(value):
        return seen.append(value) or value

    keep.__annotations__ = {"value": hint, "return": hint}
    return FunctionTool(keep)


@given(st.data())
def test_the_json_of_a_value_fits_the_schema_of_its_type_and_leads_back_to_it(data):
    hint, values = data.draw(PAIRS, label="hint")
    value = data.draw(values, label="value")
    seen = []
    tool = keep(hint, seen)
    written = json.loads(json.dumps(plain(value)))
    assert validator(tool.input_schema)({"value": written}) == ()
    result = asyncio.run(tool({"value": written}))
    assert seen == [value]
    assert type(seen[0]) is type(value)
    assert not result.is_error
    if tool.output_schema is not None:
        assert result.structured == (None if isinstance(value, str) else plain(seen[0]))
        assert validator(tool.output_schema)(written) == ()


@given(st.sampled_from(LEAVES), st.recursive(st.none() | st.booleans() | FINITE | WORDS, st.lists, max_leaves=4))
def test_json_is_read_or_refused_and_nothing_else(pair, value):
    seen = []
    result = asyncio.run(keep(pair[0], seen)({"value": value}))
    assert len(seen) == 1 or isinstance(result.exception, ArgumentsInvalid)


@given(
    st.sampled_from([str, int, float, bool, int | None, float | str, Literal["a", 1, True], Literal["1.0", 2] | bool]),
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=3) | st.just("a"),
)
def test_words_and_numbers_are_read_alone_as_beside_what_is_read_by_way_of_json(hint, value):
    def beside(value, others=()):
        return shown.append(value) or ""

    beside.__annotations__ = {"value": hint, "others": list[int], "return": str}
    alone, shown = [], []
    results = [asyncio.run(tool({"value": value})) for tool in (keep(hint, alone), FunctionTool(beside))]
    assert [(type(each), each) for each in alone] == [(type(each), each) for each in shown]
    assert [type(each.exception) for each in results] == [type(results[0].exception)] * 2
