"""Runs by their inferred tools: calls that an answer asks for and the next prompt has the result of.

They are no spans and in no sum; a run of a hand-written loop is found by them all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import msgspec
from sqlalchemy import ColumnElement, Connection, exists

from inspector.model import Filter
from inspector.store.sqlite.contents import json_list
from inspector.store.sqlite.engine import driver
from inspector.store.sqlite.events import value_in
from inspector.store.sqlite.tables import runs, turns
from inspector.store.sqlite.turn_lists import AskedTool, ToolResult, following_results, taken_result

_MOST_TURNS = 50_000
"""Turns that are looked at for one step of a list."""
_TOOLS = msgspec.json.Decoder(list[AskedTool])
_OF_TOOLS = frozenset(("kinds", "tool", "arguments", "results", "duplicates"))
"""Fields that say something of a tool call."""
_ASKING = (
    "SELECT turns.run, turns.span, turns.tools FROM turns "
    "WHERE turns.run IN (SELECT value FROM json_each(?)) AND turns.tools <> '[]' LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class InferredTools:
    """What a filter asks of one tool call."""

    tool: str | None
    arguments: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, where: Filter) -> Self | None:
        """Returns what a filter asks of a tool call; None where it asks nothing, or what such a call never has."""
        of_others = {row.field for row in where.rows() if row.of != "run"}
        is_of_tools = not where.kinds or "tool" in where.kinds
        asks = bool(where.kinds or where.tool or where.arguments or where.results)
        if not (asks and is_of_tools and of_others <= _OF_TOOLS):
            return None
        return cls(where.tool, where.arguments, where.results)

    @property
    def candidates(self) -> ColumnElement[bool]:
        """The condition for runs that may have one."""
        return exists(turns.c.span).where(turns.c.run == runs.c.run_id, turns.c.tools != "[]")

    def among(self, connection: Connection, run_ids: Sequence[str]) -> set[str]:
        """Returns which of these runs have such a call."""
        rows = driver(connection).execute(_ASKING, (json_list(run_ids), _MOST_TURNS)).fetchall()
        following = following_results(connection, [row[1] for row in rows])
        found: set[str] = set()
        for run_id, span, tools in rows:
            if run_id not in found and self._is_asked(_TOOLS.decode(tools), following, span):
                found.add(run_id)
        return found

    def _is_asked(self, tools: Sequence[AskedTool], following: Mapping[int, Sequence[ToolResult]], span: int) -> bool:
        left = list(following.get(span, ()))
        matching = False
        for tool in tools:
            result = taken_result(left, tool.id)
            matching |= result is not None and self._matches(tool, result)
        return matching

    def _matches(self, tool: AskedTool, result: ToolResult) -> bool:
        if self.tool is not None and tool.name != self.tool:
            return False
        asked: list[tuple[str, tuple[str, str]]] = [(tool.arguments, pair) for pair in self.arguments]
        asked += [(result.result, pair) for pair in self.results]
        return all(value_in(text, path) == value for text, (path, value) in asked)
