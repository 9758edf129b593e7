"""Says which agents are at work for another one."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import instrument

_LONGEST = 60
_MOST = 20


@contextmanager
def children_shown(limits: Mapping[str, int], write: Callable[[str], None]) -> Generator[None]:
    """Write a line when an agent that is called as a tool begins and one when it ends.

    Of the agents that one agent has at work at a time, the first ``max_display_instances`` are shown; how many more
    there were is said when all are done.
    """
    children = _Children(limits, write)
    hooks = {
        "before_tool_call": children.began,
        "after_tool_call": children.ended,
        "error_tool_call": children.ended,
    }
    for name, hook in hooks.items():
        instrument.register(name, hook)
    try:
        yield
    finally:
        for name, hook in hooks.items():
            instrument.unregister(name, hook)


@dataclass(slots=True)
class _Group:
    """The children of one agent that work at the same time."""

    most: int
    started: int = 0
    running: dict[str, str] = field(default_factory=dict[str, str])
    """By the id of the call, what is said of it; nothing for one that is not shown."""


class _Children:
    def __init__(self, limits: Mapping[str, int], write: Callable[[str], None]) -> None:
        self._limits = limits
        self._write = write
        self._groups: dict[str, _Group] = {}

    def began(self, *, tool_name: str, args: Mapping[str, Any] | None, context: Any, call_id: str, **_: object) -> None:
        if context.tool_source != "agent":
            return
        agent: str = context.agent_name
        group = self._groups.setdefault(agent, _Group(self._limits.get(agent, _MOST)))
        group.started += 1
        group.running[call_id] = ""
        if group.started <= group.most:
            label = group.running[call_id] = f"{agent} > {tool_name.removeprefix('agent__')}[{group.started}]"
            message = " ".join(str((args or {}).get("message", "")).split())
            self._write(f"{label}: {message[:_LONGEST]}{'…' if len(message) > _LONGEST else ''}")

    def ended(self, *, context: Any, call_id: str, result: Any = None, **_: object) -> None:
        group = self._groups.get(context.agent_name)
        if group is None or call_id not in group.running:
            return
        if label := group.running.pop(call_id):
            self._write(f"{label} {'failed' if getattr(result, 'is_error', True) else 'done'}")
        if not group.running:
            del self._groups[context.agent_name]
            if group.started > group.most:
                hidden = group.started - group.most
                self._write(f"{context.agent_name} > {hidden} more, not shown (max_display_instances)")
