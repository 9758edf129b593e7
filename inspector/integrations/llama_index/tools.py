"""Tools and retrievers, about whose calls a controller decides."""

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, conclude, is_inside, opened
from inspector.integrations.llama_index.runs import requested
from inspector.integrations.methods import Method, reported, reported_by
from inspector.integrations.tool_bodies import Applied, Arguments, by_name, decided, decided_async, leave_to_others
from instrument import control

_OVER_MCP: Final = "llama_index.tools.mcp"
_HANDOFF: Final = "llama_index.core.agent.workflow.multi_agent_workflow"
_PLAIN: Final = (str, int, float, bool, list, dict, type(None))


class ToolFailed(Exception):
    """A tool's result has the error flag, and no exception."""


def called(original: Method) -> Method:
    """Report each call of a tool."""
    return reported_by(_opened_tool, _given)(_decided(original, by_name))


def retrieved(original: Method) -> Method:
    """Report what a retriever finds as a tool call that the program makes, not the model."""
    return reported(_opened_retriever, _found)(_decided(original, _asking))


def _decided(original: Method, applied: Applied) -> Method:
    is_async = original.__name__ in ("acall", "_aretrieve")
    return (decided_async if is_async else decided)("llama_index", applied)(original)


def _opened_tool(tool: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    if is_inside(tool):
        return None
    call = opened("tool_call", lambda: _tool(tool, args, kwargs), emitter="llama_index", subject=tool)
    # Tools that it calls itself were not asked for by the model.
    requested.set(None)
    leave_to_others(call)
    return call


def _tool(tool: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Keywords:
    names = tool.metadata.get_parameters_dict()["properties"] if args else ()
    hidden = getattr(tool, "ctx_param_name", None)
    named = {name: value for name, value in kwargs.items() if name != hidden}
    function = getattr(tool, "_real_fn", None)
    return {
        "tool_name": tool.metadata.get_name(),
        "args": dict(zip(names, args, strict=False)) | named,
        "context": {"tool_source": _source(function), "tool_use_id": requested.get()},
        "function": function,
    }


def _source(function: Any) -> str:
    module = str(getattr(function, "__module__", ""))
    if module.startswith(_OVER_MCP):
        return "mcp"
    return "agent" if module == _HANDOFF else "function"


def _given(call: Call, output: Any) -> Any:
    if control.controller is not None and not hasattr(output, "raw_output"):
        # A controller's answer in its place.
        make: Any = import_module("llama_index.core.tools.types").ToolOutput
        output = make(tool_name=call.keyword("tool_name"), content=str(output), raw_output=output, raw_input={})
    conclude(call, _outcome, output)
    return output


def _outcome(output: Any) -> Keywords | BaseException:
    if not hasattr(output, "raw_output"):
        return {"result": output}
    if output.is_error:
        return output.exception or ToolFailed(output.content)
    raw: Any = output.raw_output
    return {"result": raw if isinstance(raw, _PLAIN) else output.content}


def _opened_retriever(retriever: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    if is_inside(retriever):
        return None

    def describe() -> Keywords:
        query = args[0] if args else next(iter(kwargs.values()))
        given = {"query": query.query_str}
        return {"tool_name": type(retriever).__name__, "args": given, "context": {"tool_source": "runtime"}}

    return opened("tool_call", describe, emitter="llama_index", subject=retriever)


def _asking(_: Call, args: tuple[Any, ...], kwargs: dict[str, Any], changed: Arguments) -> Any:
    (query,) = (*args, *kwargs.values())
    return (replace(query, query_str=changed["query"], embedding=None),), {}


def _found(nodes: Any) -> Keywords:
    found = [{"text": each.node.get_content(), "score": each.score, "metadata": each.node.metadata} for each in nodes]
    return {"result": found}
