"""Finds runs by inferred tool calls: those that an answer requests, and whose result is in the next prompt.

They are not spans and in no total, but they are how runs of a hand-written loop can be found.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import msgspec

from inspector.model import Filter
from inspector.store.values.chains import RequestedTool, ToolResult
from inspector.store.values.paths import value_in
from inspector.store.values.turn_pages import take_result

_TOOLS = msgspec.json.Decoder(list[RequestedTool])
_OF_TOOLS = frozenset(("kinds", "tool", "arguments", "results", "duplicates"))
"""The fields of a filter that such a call can match."""


@dataclass(frozen=True, slots=True)
class InferredTools:
    """The conditions of a filter on one tool call."""

    tool: str | None
    arguments: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, where: Filter) -> Self | None:
        """Return a filter's conditions on tool calls; None if it has none, or any that no inferred call can match."""
        of_others = {row.field for row in where.rows() if row.of != "run"}
        is_of_tools = not where.kinds or "tool" in where.kinds
        asks = bool(where.kinds or where.tool or where.arguments or where.results)
        if not (asks and is_of_tools and of_others <= _OF_TOOLS):
            return None
        return cls(where.tool, where.arguments, where.results)

    def among(self, turns: Iterable[tuple[str, str, Sequence[ToolResult]]]) -> set[str]:
        """Return the runs that have such a call.

        Args:
            turns: Turns: the run, the stored tool calls that the answer requests, and the results in the next prompt.
        """
        names: set[str] = set()
        for run_id, tools, results in turns:
            if run_id not in names and self._has_match(_TOOLS.decode(tools), results):
                names.add(run_id)
        return names

    def _has_match(self, tools: Sequence[RequestedTool], results: Sequence[ToolResult]) -> bool:
        left = list(results)
        matching = False
        for tool in tools:
            result = take_result(left, tool)
            matching |= result is not None and self._matches(tool, result)
        return matching

    def _matches(self, tool: RequestedTool, result: ToolResult) -> bool:
        if self.tool is not None and tool.name != self.tool:
            return False
        conditions: list[tuple[str, tuple[str, str]]] = [(tool.arguments, pair) for pair in self.arguments]
        conditions += [(result.result, pair) for pair in self.results]
        return all(value_in(text, path) == value for text, (path, value) in conditions)
