"""Says which agents are at work for another one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import instrument

_LONGEST = 60


@dataclass(slots=True)
class _Group:
    """The children of one agent that work at the same time."""

    started: int = 0
    hidden: int = 0
    running: dict[str, str] = field(default_factory=dict[str, str])
    """By the id of the call, what is said of it; nothing for one that is not shown."""


class Children:
    """Writes a line when an agent that is called as a tool begins and one when it ends.

    Of the agents that one agent has at work at a time, the first ``max_display_instances`` are shown; how many more
    there were is said when all are done.

    Args:
        limits: The number for each calling agent, by its name.
        write: Takes each line.
    """

    def __init__(self, limits: Mapping[str, int], write: Callable[[str], None]) -> None:
        self._limits = limits
        self._write = write
        self._groups: dict[str, _Group] = {}

    def __enter__(self) -> Self:
        instrument.register("before_tool_call", self._began)
        instrument.register("after_tool_call", self._succeeded)
        instrument.register("error_tool_call", self._failed)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        instrument.unregister("before_tool_call", self._began)
        instrument.unregister("after_tool_call", self._succeeded)
        instrument.unregister("error_tool_call", self._failed)

    def _began(
        self, *, tool_name: str, args: Mapping[str, Any] | None, context: Any, call_id: str, **_: object
    ) -> None:
        if context.tool_source != "agent":
            return
        group = self._groups.setdefault(context.agent_name, _Group())
        group.started += 1
        if group.started > self._limits.get(context.agent_name, 20):
            group.hidden += 1
            group.running[call_id] = ""
            return
        label = f"{context.agent_name} > {tool_name.removeprefix('agent__')}[{group.started}]"
        group.running[call_id] = label
        message = " ".join(str((args or {}).get("message", "")).split())
        self._write(f"{label}: {message[:_LONGEST]}{'…' if len(message) > _LONGEST else ''}")

    def _succeeded(self, *, context: Any, call_id: str, result: Any = None, **_: object) -> None:
        self._ended(context, call_id, "failed" if getattr(result, "is_error", False) else "done")

    def _failed(self, *, context: Any, call_id: str, **_: object) -> None:
        self._ended(context, call_id, "failed")

    def _ended(self, context: Any, call_id: str, outcome: str) -> None:
        group = self._groups.get(context.agent_name)
        if group is None or call_id not in group.running:
            return
        label = group.running.pop(call_id)
        if label:
            self._write(f"{label} {outcome}")
        if not group.running:
            del self._groups[context.agent_name]
            if group.hidden:
                self._write(f"{context.agent_name} > {group.hidden} more, not shown (max_display_instances)")
