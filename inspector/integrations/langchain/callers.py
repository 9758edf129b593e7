"""Finds the object of a run: callbacks do not name it, but the function that called them has it."""

import sys
from types import FrameType
from typing import Any

from inspector.integrations.classes import is_a
from inspector.plain import fields_of

_CALLBACKS = ("langchain_core.callbacks.manager", "inspector.integrations.")
_AGENT_MARK = "langchain_create_agent"
_AGENT_NODES = frozenset(
    {"__start__", "model", "tools", "agent", "pre_model_hook", "post_model_hook", "generate_structured_response"}
)
_AGENT_HOOKS = frozenset({"before_agent", "before_model", "after_model", "after_agent"})


def caller() -> FrameType | None:
    """Return the frame of the function that started the run of this callback."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - there is no public way
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_CALLBACKS):
        frame = frame.f_back
    return frame


def running_graph(frame: FrameType | None) -> Any:
    """Return the graph whose own run this is; None for other runs."""
    if frame is None or not str(frame.f_globals.get("__name__")).startswith("langgraph.pregel"):
        return None
    return frame.f_locals.get("self")


def entrypoint_of(graph: Any) -> str | None:
    """Return the name of the function that ``@entrypoint`` turned into a graph; None for other graphs."""
    nodes: Any = getattr(graph, "nodes", None) or {}
    if type(graph).__name__ != "Pregel" or len(nodes) != 1:
        return None
    name = next(iter(nodes))
    return name if isinstance(name, str) else None


def is_task(frame: FrameType | None, metadata: Any, name: str | None) -> bool:
    """Tell whether a run is that of a ``@task`` function.

    Inner runs get the same metadata, but not from langgraph itself, and not with the task's name.
    """
    if frame is None or not str(frame.f_globals.get("__name__")).startswith("langgraph._internal"):
        return False
    members = fields_of(metadata)
    match members.get("langgraph_path"):
        case ("__pregel_push", tuple(), int(), True, *_):
            return name is not None and members.get("langgraph_node") == name
        case _:
            return False


def is_bound_graph(frame: FrameType | None) -> bool:
    """Tell whether the run is that of a node that is a graph."""
    node = None if frame is None else frame.f_locals.get("self")
    steps = getattr(node, "steps", None)
    return bool(steps) and is_a(steps[0], "Pregel")


def is_agent(graph: Any) -> bool:
    """Tell whether a graph was made by ``create_agent``, as far as versions show that, or ``create_react_agent``."""
    if fields_of(fields_of(getattr(graph, "config", None)).get("metadata")).get("ls_integration") == _AGENT_MARK:
        return True
    nodes = set(getattr(graph, "nodes", None) or ())
    if not nodes & {"model", "agent"}:
        return False
    return all(name in _AGENT_NODES or name.rpartition(".")[2] in _AGENT_HOOKS for name in nodes)
