"""Calls of tools, and of their functions by ``ToolCall.execute``."""

from collections.abc import Mapping
from functools import update_wrapper
from importlib import import_module
from inspect import currentframe, iscoroutinefunction, signature
from typing import Any, Final, cast

from inspector.integrations.calls import Call, Keywords, opened, safely
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping
from inspector.integrations.tool_bodies import decided, decided_async, leave_to_others, run_body
from inspector.integrations.tracebacks import hidden

_OVER_MCP: Final = "dspy.utils.mcp"
_AGENTS_OWN: Final = "dspy.predict."
"""The modules whose functions are the moves of an agent, such as ``finish``."""
_OURS: Final = "inspector.integrations."
_WITH_CALLBACKS: Final = frozenset(("sync_wrapper", "async_wrapper"))
"""The functions of DSPy that run the callbacks of a method around it."""


def invoked(original: Any) -> Any:
    """Report each call of a tool, and have its body decided about, inside of the program's callbacks."""
    is_async = iscoroutinefunction(original)
    inner = _within_callbacks(original)
    body = hidden((decided_async if is_async else decided)("dspy")(inner))
    if inner is not original:
        # Callbacks are given the arguments by the names in this signature, not by those of the wrapped function.
        body.__signature__ = signature(inner)
        body = import_module("dspy.utils.callback").with_callbacks(update_wrapper(body, inner))
    return reported(_opened, lambda result: {"result": result})(body)


@wrapping
def executed(original: Any, self: Any, functions: Any = None) -> Any:
    """Report a tool call that the program has executed itself, unless a `Tool` does that."""
    if functions is None:
        # DSPy looks for the function in the frame of its caller.
        functions = safely(lambda: _around(self.name), None)
    found = safely(lambda: _found(self.name, functions), None)
    if found is None or type(found).__name__ == "Tool":
        return original(self, functions)
    described: Keywords = {"tool_name": self.name, "args": self.args or {}, "context": _source(found)}
    with opened("tool_call", lambda: {**described, "function": found}, emitter="dspy") as call:
        result = run_body(call, lambda changed: original(_with(self, changed), functions), subject=self)
    call.ended(lambda: {"result": result})
    return result


def _within_callbacks(original: Any) -> Any:
    """Return the method inside of its callbacks; the method itself if something else is around it."""
    name = getattr(getattr(original, "__code__", None), "co_name", None)
    return original.__wrapped__ if name in _WITH_CALLBACKS else original


def _opened(tool: Any, _: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    call = opened("tool_call", lambda: _tool(tool, kwargs), emitter="dspy")
    leave_to_others(call)
    return call


def _tool(tool: Any, kwargs: Mapping[str, Any]) -> Keywords:
    return {"tool_name": tool.name, "args": dict(kwargs), "context": _source(tool.func), "function": tool.func}


def _source(function: Any) -> dict[str, Any]:
    module = str(getattr(function, "__module__", ""))
    if module == _OVER_MCP:
        return {"tool_source": "mcp"}
    return {"tool_source": "runtime" if module.startswith(_AGENTS_OWN) else "function"}


def _around(name: str) -> dict[str, Any]:
    """Return what has this name where the program calls DSPy."""
    frame = currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_OURS):
        frame = frame.f_back
    found = None if frame is None else frame.f_locals.get(name) or frame.f_globals.get(name)
    return {} if found is None else {name: found}


def _found(name: str, functions: Any) -> Any:
    if isinstance(functions, dict):
        return cast("dict[str, Any]", functions).get(name)
    return next((tool.func for tool in functions if tool.name == name), None)


def _with(call: Any, changed: Mapping[str, Any] | None) -> Any:
    return call if changed is None else call.model_copy(update={"args": dict(changed)})
