"""Hints that are strings, as ``from __future__ import annotations`` makes them."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from typing import NamedTuple, NotRequired

import pytest
from typing_extensions import TypedDict

from toolkit.context import ToolContext
from toolkit.functions import Inject, tool


class Options(TypedDict):
    page: int
    size: NotRequired[int]


class Pair(NamedTuple):
    one: int
    other: str | None = None


class Database:
    name = "db"


@dataclass
class Tree:
    name: str
    children: list[Tree] | None = None


class Forest:
    @tool
    def grow(self, tree: Tree, options: Options, pair: Pair, db: Inject[Database], context: ToolContext) -> list[str]:
        """Grow.

        Args:
            tree: The first.
        """
        assert isinstance(pair, Pair)
        return [tree.name, *(each.name for each in tree.children or []), db.name, context.agent_name]

    @tool
    def itself(self) -> Forest:
        """Return what has no JSON."""
        return self


def test_postponed_hints_are_read_like_any_other():
    schema = Forest.grow.input_schema
    assert list(schema["properties"]) == ["tree", "options", "pair"]
    assert schema["properties"]["tree"] == {"$ref": "#/$defs/Tree", "description": "The first."}
    assert schema["properties"]["options"]["required"] == ["page"]
    assert schema["properties"]["pair"]["required"] == ["one"]
    arguments = {
        "tree": {"name": "oak", "children": [{"name": "elm"}]},
        "options": {"page": 1},
        "pair": {"one": 1},
    }
    context = ToolContext(dependencies={Database: Database()}, agent_name="PMO")
    result = asyncio.run(Forest().grow(arguments, context))
    assert result.structured == ["oak", "elm", "db", "PMO"]


def test_a_hint_that_names_its_own_class_is_read_once_the_class_is_there():
    assert Forest.itself.definition.output_schema is None


def test_a_hint_that_names_a_class_of_the_function_around_is_read():
    @dataclass
    class Local:
        x: int

    @tool
    def ask(local: Local) -> int:
        assert isinstance(local, Local)
        return local.x

    assert ask.input_schema["properties"]["local"]["required"] == ["x"]
    assert asyncio.run(ask({"local": {"x": 3}})).structured == 3


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax came with Python 3.12")
def test_type_statements_and_type_parameters_are_read():
    namespace = {"tool": tool, "__name__": "newer"}
    exec(
        "type Json = dict[str, Json] | list[Json] | str\n"
        "type Several[T] = list[T]\n"
        "@tool\n"
        "def ask[T: int](value: T, several: Several[int], json: Json) -> int:\n"
        "    return value\n",
        namespace,
    )
    schema = namespace["ask"].input_schema
    assert schema["properties"]["value"] == {"type": "integer"}
    assert schema["properties"]["several"] == {"type": "array", "items": {"type": "integer"}}
    assert schema["properties"]["json"] == {"$ref": "#/$defs/Json"}
