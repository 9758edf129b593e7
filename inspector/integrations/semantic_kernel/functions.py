"""Functions of a kernel: tools, prompts, and steps of processes. A kernel tells a model of a failure as a text."""

from collections.abc import Mapping
from copy import copy
from functools import partial
from importlib import import_module
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, guarded, opened, safely
from inspector.integrations.classes import is_a
from inspector.integrations.generators import Following, in_steps, opened_apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_fields, is_items, streamed_arguments
from inspector.integrations.semantic_kernel.runs import said
from inspector.integrations.tool_bodies import Arguments, leave_to_others, run_body_async, starting

_OF_KERNEL: Final = "semantic_kernel."
_HANDOFFS: Final = f"{_OF_KERNEL}agents.orchestration.handoffs"
_AGENTS: Final = f"{_OF_KERNEL}agents."
_STEP, _SERVER = "KernelProcessStep", "MCPPluginBase"
_REFUSED: Final = (
    "The tool call with name `",
    "Missing required argument(s): ",
    "Received unexpected argument(s): ",
    "The tool call arguments are malformed.",
    "There are `",
)
"""How the texts begin by which a kernel refuses the call of a model."""
_MOST_NAMELESS: Final = 1_000
_nameless: Final[set[str]] = set()
"""The latest names that a kernel made up, for prompts without one."""


class CallRefused(Exception):
    """There is no such function, or the arguments are not those it takes."""


def _opened(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    metadata = args[2] if len(args) > 2 else kwargs.get("metadata")
    request = metadata.get("id") if is_fields(metadata) else None
    method = getattr(function, "method", None)
    if request is None and safely(lambda: function.is_prompt or _is_step(method), False):
        return opened_apart("workflow_run", partial(_part, function, args, kwargs), emitter="semantic_kernel")
    call = opened_apart("tool_call", partial(_tool, function, method, request, args, kwargs), emitter="semantic_kernel")
    leave_to_others(call)
    return call


def _part(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Keywords:
    """Describe a prompt, or a step of a process."""
    kind = "prompt" if function.is_prompt else "step"
    name = function.fully_qualified_name
    if kind == "step":
        name = f"{function.plugin_name}.{function.name}"
    if function.name in _nameless:
        name = kind
    named = Named(name, function.description, workflow_type=kind, class_name=type(function).__name__)
    return {"workflow": named, "input": _arguments(function, args, kwargs)}


def _tool(
    function: Any, method: Any, request: str | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Keywords:
    source = _source(function, method)
    return {
        "tool_name": function.fully_qualified_name,
        "args": _arguments(function, args, kwargs),
        "context": {"tool_source": source, "tool_use_id": request},
        "function": getattr(method, "__func__", method) if source == "function" else None,
    }


def _arguments(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Keywords:
    """Return the arguments that a function is for, without what its kernel adds."""
    given = args[1] if len(args) > 1 else kwargs.get("arguments")
    every: Mapping[str, Any] = kwargs if given is None else given
    if function.is_prompt:
        return {name: _plain(value) for name, value in every.items() if name not in ("arguments", "metadata", "kernel")}
    own = [each.name for each in function.parameters]
    return {name: _plain(every[name]) for name in own if name in every and not _is_context(every[name])}


def _is_context(value: Any) -> bool:
    return is_a(value, "Kernel", "KernelProcessStepContext", of=_OF_KERNEL)


def _is_step(method: Any) -> bool:
    return is_a(getattr(method, "__self__", None), _STEP, of=_OF_KERNEL)


def _source(function: Any, method: Any) -> str:
    if function.is_prompt:
        return "agent"
    inner = getattr(method, "func", method)
    if is_a(getattr(inner, "__self__", None), _SERVER, of=_OF_KERNEL):
        return "mcp"
    module = str(getattr(inner, "__module__", ""))
    if module == _HANDOFFS:
        return "runtime"
    return "agent" if module.startswith(_AGENTS) else "function"


def _plain(value: Any) -> Any:
    return str(value) if is_a(value, "KernelContent", of=_OF_KERNEL) else value


def _outcome(result: Any) -> Keywords:
    value = getattr(result, "value", None)
    if is_items(value) and value and all(is_a(each, "KernelContent", of=_OF_KERNEL) for each in value):
        return {"result": said(value)}
    return {"result": _plain(value)}


@wrapping
def called_in_steps(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each call of a function that gives its result in parts."""
    return in_steps(original(self, *args, **kwargs), lambda: _following(_opened(self, args, kwargs)))


def _following(call: Call) -> Following:
    parts: list[Any] = []
    # Its generator is run after the function.
    call.is_decided = True
    return Following(call, parts.append, lambda: call.ended(lambda: {"result": _together(parts)}))


def _together(parts: list[Any]) -> Any:
    values = [getattr(part, "value", part) for part in parts]
    if len(values) == 1 and not is_items(values[0]):
        return _plain(values[0])
    texts = [str(each) for value in values for each in (value if is_items(value) else [value])]
    return "".join(texts)


@wrapping
async def decided(original: Any, /, self: Any, context: Any, *args: Any, **kwargs: Any) -> None:
    """Have what a function does decided about."""
    call = starting("semantic_kernel")
    if call is None:
        await original(self, context, *args, **kwargs)
        return

    async def body(changed: Arguments | None) -> Any:
        if changed is not None:
            # Those given are the program's, for its next call too.
            context.arguments = copy(context.arguments)
            reported: Mapping[str, Any] = call.keyword("args") or {}
            for name in reported:
                context.arguments.pop(name, None)
            context.arguments.update(changed)
        await original(self, context, *args, **kwargs)
        value = getattr(context.result, "value", None)
        own.append(value)
        return value

    own: list[Any] = []
    value = await run_body_async(call, body)
    if not own:
        result = import_module("semantic_kernel.functions.function_result").FunctionResult
        context.result = result(function=self.metadata, value=value)


@wrapping
def made_up(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Note each name that a kernel makes up, which is another each time."""
    name = original(*args, **kwargs)
    if len(_nameless) >= _MOST_NAMELESS:
        _nameless.clear()
    _nameless.add(name)
    return name


@wrapping
async def refused(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report the calls of a model that no function gets: of unknown ones, and with other arguments."""
    outcome = await original(self, *args, **kwargs)
    if outcome is None:
        named = dict(zip(("function_call", "chat_history"), args, strict=False)) | kwargs
        _report_refused(named.get("function_call"), named.get("chat_history"))
    return outcome


@guarded
def _report_refused(request: Any, history: Any) -> None:
    items = (item for message in reversed(history.messages) for item in message.items)
    told = next((each for each in items if is_a(each, "FunctionResultContent") and each.id == request.id), None)
    if told is None or not str(told.result).startswith(_REFUSED):
        return

    def describe() -> Keywords:
        arguments = request.arguments
        given = streamed_arguments(arguments) if isinstance(arguments, str) else arguments
        return {"tool_name": request.name, "args": given, "context": {"tool_use_id": request.id}}

    opened("tool_call", describe, emitter="semantic_kernel").failed(CallRefused(str(told.result)))


called: Final = reported(_opened, _outcome)
"""Reports each call of a function."""
__all__ = ["called", "called_in_steps", "decided", "made_up", "refused"]
