"""LangChain's tools as ours."""

import dataclasses
from collections.abc import Mapping, Sequence
from inspect import isclass
from typing import Any, cast, get_args, get_origin, get_type_hints

from toolkit.call import ToolCall
from toolkit.content import Content, ImageContent, ResourceContent, as_content
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import ArgumentsInvalid, Problem
from toolkit.extras import need
from toolkit.plain import member
from toolkit.result import ToolResult
from toolkit.tool_class import Tool

_EXTRA = "langchain"


def from_langchain(tool: Any) -> Tool:
    """Return a LangChain tool as one of ours.

    Its name, description and schema are what LangChain tells models. It is invoked with LangChain's own ``ainvoke``,
    so its callbacks, its ``handle_tool_error`` and the configuration of the run around it stay in force. An artifact
    is found in ``metadata["artifact"]`` of the result, a graph's ``Command`` in ``metadata["command"]``.

    Arguments that LangChain keeps from models come from the context: ``InjectedToolCallId`` is the call's id,
    ``InjectedState`` the state or a field of it, ``InjectedStore`` the dependency ``store``, ``ToolRuntime`` all of
    these, and any other ``InjectedToolArg`` the dependency of its name. What a model sends for them is dropped.

    Raises:
        ExtraMissing: langchain-core is not installed.
        DefinitionInvalid: Its name is not one that models take.
    """
    return _FromLangChain(tool)


class _FromLangChain(Tool):
    def __init__(self, tool: Any) -> None:
        calling = need("langchain_core.utils.function_calling", extra=_EXTRA, purpose="a LangChain tool")
        told = calling.convert_to_openai_function(tool)
        schema: dict[str, Any] = told.get("parameters") or {"type": "object", "properties": {}}
        # LangChain checks arguments itself where it has a model for them, and is less strict than their schema.
        is_checked = isclass(tool.args_schema)
        super().__init__(
            ToolDefinition(name=tool.name, description=told.get("description", ""), input_schema=schema),
            validate=not is_checked and tool.args_schema is not None,
        )
        self._tool = tool
        self._injected = _injected(tool)
        fields = _fields(tool.args_schema).items()
        self._optional = {name for name, each in fields if not getattr(each, "is_required", bool)()}

    async def run(self, call: ToolCall, context: ToolContext) -> object:
        arguments = {name: value for name, value in (call.arguments or {}).items() if name not in self._injected}
        for name, hint in self._injected.items():
            found = _injection(name, hint, call, context)
            if found is _MISSING and name not in self._optional:
                context.dependency(name)
            if found is not _MISSING:
                arguments[name] = found
        try:
            answer = await self._tool.ainvoke(
                {"type": "tool_call", "name": self._tool.name, "args": arguments, "id": call.id}
            )
        except Exception as error:
            if (problems := _problems(error, self._tool)) is not None:
                raise ArgumentsInvalid(f"invalid arguments for {self.name}", problems) from error
            raise
        return _result(answer)


_MISSING = object()
"""Nothing is there for an argument; LangChain or a default may have something."""


def _injected(tool: Any) -> dict[str, Any]:
    """Return the arguments that models do not see, with their type hints."""
    marker = need("langchain_core.tools", extra=_EXTRA, purpose="a LangChain tool").InjectedToolArg
    hints: dict[str, Any] = {}
    for function in (getattr(tool, name, None) for name in ("func", "coroutine", "_run", "_arun")):
        try:
            hints |= get_type_hints(function, include_extras=True)
        except (NameError, TypeError):
            # Not a function, or its hints name what is not there at run time; then LangChain does not know them either.
            continue
    if isclass(tool.args_schema):
        for each in reversed(tool.args_schema.__mro__):
            hints |= {name: hint for name, hint in _own_hints(each).items() if name in _fields(tool.args_schema)}
    return {name: hint for name, hint in hints.items() if _is_injected(hint, marker)}


def _own_hints(model: Any) -> dict[str, Any]:
    try:
        return get_type_hints(model, include_extras=True)
    except (NameError, TypeError):
        return {}


def _fields(model: Any) -> Mapping[str, Any]:
    found = getattr(model, "model_fields", None)
    # What is missing on a schema of JSON, and what Pydantic 1 calls it.
    return cast("Mapping[str, Any]", getattr(model, "__fields__", {}) if found is None else found)


def _is_injected(hint: Any, marker: type) -> bool:
    marks: tuple[Any, ...] = (get_origin(hint) or hint, *get_args(hint)[1:])
    return any(
        isinstance(mark, marker)
        or (isclass(mark) and (issubclass(mark, marker) or _is_named(mark, "_DirectlyInjectedToolArg")))
        for mark in marks
    )


def _is_named(kind: type, name: str) -> bool:
    return any(each.__name__ == name for each in kind.__mro__)


def _injection(name: str, hint: Any, call: ToolCall, context: ToolContext) -> object:
    for mark in get_args(hint)[1:]:
        kind = cast("type", mark if isclass(mark) else type(mark))
        if _is_named(kind, "InjectedToolCallId"):
            return call.id
        if _is_named(kind, "InjectedState"):
            field = getattr(mark, "field", None)
            return context.state if field is None else member(context.state, field)
        if _is_named(kind, "InjectedStore"):
            return context.dependency("store")
    kind: Any = get_origin(hint) or hint
    if dataclasses.is_dataclass(kind) and isclass(kind) and _is_named(kind, "_DirectlyInjectedToolArg"):
        return _runtime(kind, call, context)
    return next((context.dependencies[key] for key in (name, kind) if key in context.dependencies), _MISSING)


def _runtime(kind: type, call: ToolCall, context: ToolContext) -> object:
    """Return LangGraph's ``ToolRuntime``, of whichever version, with what we have for it."""
    known: dict[str, Any] = {
        "state": context.state,
        "context": context.dependencies.get("context"),
        "store": context.dependencies.get("store"),
        "tool_call_id": call.id,
        "config": {},
        "stream_writer": _nowhere,
        "tools": [],
    }
    needed = (
        each.name
        for each in dataclasses.fields(cast("Any", kind))
        if each.init
        and (each.name in known or (each.default, each.default_factory) == (dataclasses.MISSING, dataclasses.MISSING))
    )
    return kind(**{name: known.get(name) for name in needed})


def _nowhere(_: object) -> None:
    """Take what a tool streams where nobody reads it."""


def _problems(error: Exception, tool: Any) -> tuple[Problem, ...] | None:
    """Return what Pydantic found wrong with the arguments; None for any other error."""
    found = getattr(error, "errors", None)
    title = getattr(error, "title", None)
    if not callable(found) or title != getattr(tool.args_schema, "__name__", None):
        return None
    return tuple(
        Problem(_path(each["loc"]), f"{each['msg']}, found {each.get('input')!r}"[:200])
        for each in cast("list[dict[str, Any]]", found())
    )


def _path(where: Sequence[str | int]) -> str:
    return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in where).removeprefix(".")


def _result(answer: Any) -> ToolResult:
    """Return what LangChain returned as a result: a message, a graph's command, or either in a list."""
    if isinstance(answer, list):
        several = [_result(each) for each in cast("list[Any]", answer)]
        metadata: dict[str, Any] = {}
        for each in several:
            metadata |= each.metadata
        content = [part for each in several for part in each.content]
        return ToolResult(content, any(each.is_error for each in several), metadata=metadata)
    if member(answer, "type") == "tool":
        artifact = member(answer, "artifact")
        metadata = {} if artifact is None else {"artifact": artifact}
        return ToolResult(_content(answer.content), answer.status == "error", metadata=metadata)
    if type(answer).__name__ == "Command":
        messages: list[Any] = member(member(answer, "update"), "messages") or []
        said = _result([each for each in messages if member(each, "type") == "tool"])
        return dataclasses.replace(said, metadata={**said.metadata, "command": answer})
    return ToolResult.of(answer)


def _content(content: Any) -> list[Content]:
    blocks = cast("list[Any]", content) if isinstance(content, list) else [content]
    return [_block(each) for each in blocks]


def _block(block: Any) -> Content:
    """Return a part of a message, whichever provider's way it is written in."""
    mime_type = member(block, "mime_type") or "application/octet-stream"
    if member(block, "type") in ("image", "image_url"):
        source: Any = member(block, "source")
        data = member(block, "base64") or member(source, "data")
        if isinstance(data, str):
            return ImageContent(data, member(source, "media_type") or mime_type)
        url = member(block, "url") or member(member(block, "image_url"), "url") or member(block, "image_url")
        if isinstance(url, str):
            head, _, body = url.partition(";base64,")
            return ImageContent(body, head.removeprefix("data:")) if body else ResourceContent(url)
    return as_content(block)
