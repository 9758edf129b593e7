"""Calls of tools, and of the interpreter that runs the Python of a ``CodeAgent``."""

from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, is_inside, opened
from inspector.integrations.classes import is_a
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_fields
from inspector.integrations.smolagents.agents import plain
from inspector.integrations.tool_bodies import Arguments, leave_to_others, run_body

_SANITIZE: Final = "sanitize_inputs_outputs"
"""The argument of ``Tool.__call__`` that is none of the tool's."""


@wrapping
def invoked(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each call of a tool, and have its body decided about."""
    # A method may call its superclass's; an agent inside a tool may call that tool again.
    if is_inside(self):
        return original(self, *args, **kwargs)
    own: list[Any] = []

    def body(changed: Arguments | None) -> Any:
        if changed is None:
            own.append(original(self, *args, **kwargs))
        else:
            own.append(original(self, **{_SANITIZE: kwargs.get(_SANITIZE, False)}, **changed))
        return plain(own[-1])

    with opened("tool_call", lambda: _tool(self, args, kwargs), emitter="smolagents", subject=self) as call:
        leave_to_others(call)
        result = body(None) if call.is_decided else run_body(call, body, subject=self)
    call.ended(lambda: {"result": result})
    return own[-1] if own else _as_output(self, result, kwargs)


@wrapping
def refused(original: Any, /, self: Any, tool_name: Any, arguments: Any, *args: Any, **kwargs: Any) -> Any:
    """Report calls that no tool gets: of unknown tools, or with arguments that do not fit."""
    try:
        return original(self, tool_name, arguments, *args, **kwargs)
    except Exception as exc:
        if _is_refusal(exc):
            described: Keywords = {"tool_name": tool_name, "args": arguments, "context": None}
            opened("tool_call", lambda: described, emitter="smolagents").failed(exc)
        raise


def _is_refusal(exc: Exception) -> bool:
    name = type(exc).__name__
    return name == "AgentToolCallError" or (name == "AgentToolExecutionError" and exc.__cause__ is None)


def _tool(tool: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Keywords:
    function = tool.forward
    return {
        "tool_name": tool.name,
        "args": _arguments(tool, args, {name: value for name, value in kwargs.items() if name != _SANITIZE}),
        "context": {"tool_source": _source(tool)},
        "function": getattr(function, "__wrapped__", function),
    }


def _arguments(tool: Any, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    if not args:
        return named
    first = args[0]
    if len(args) == 1 and not named and is_fields(first) and all(name in tool.inputs for name in first):
        return first
    is_any = getattr(tool, "skip_forward_signature_validation", False)
    names = tool.inputs if is_any else [name for name in signature(tool.forward).parameters if name != "self"]
    return dict(zip(names, args, strict=False)) | named


def _source(tool: object) -> str:
    kind = type(tool)
    if kind.__module__.startswith("mcpadapt."):
        return "mcp"
    is_move = kind.__name__ == "FinalAnswerTool" and kind.__module__.startswith("smolagents.")
    return "runtime" if is_move else "function"


def _opened_code(executor: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
    if is_inside(executor):
        return None
    return opened("tool_call", lambda: _code(executor, args, kwargs), emitter="smolagents", subject=executor)


def _code(executor: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Keywords:
    # Python that runs elsewhere has effects there.
    is_here = is_a(executor, "LocalPythonExecutor")
    return {
        "tool_name": "python_interpreter",
        "args": {"code": args[0] if args else kwargs.get("code_action")},
        "context": {"tool_source": "runtime" if is_here else "function"},
    }


def _as_output(tool: Any, answer: Any, kwargs: Mapping[str, Any]) -> Any:
    """Return the answer of a controller as smolagents gives back what a tool returned."""
    if not kwargs.get(_SANITIZE):
        return answer
    return import_module("smolagents.agent_types").handle_agent_output_types(answer, tool.output_type)


executed: Final = reported(_opened_code, lambda done: {"result": {"output": plain(done.output), "logs": done.logs}})
"""Reports each piece of Python that an executor runs as a call of smolagents' own tool."""
