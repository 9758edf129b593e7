"""What somebody wants done by a tool."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from toolkit.errors import DefinitionInvalid
from toolkit.plain import member, read_json

Arguments = dict[str, Any]

Shape = Literal["chat", "responses", "anthropic", "gemini", "langchain", "mcp"]
"""Whose way of writing tool calls: OpenAI's chat completions and responses, Anthropic's messages, Gemini's contents,
LangChain's messages, or the Model Context Protocol's requests."""

_SHAPES: dict[str, Shape] = {
    "function": "chat",
    "function_call": "responses",
    "tool_use": "anthropic",
    "tool_call": "langchain",
    "invalid_tool_call": "langchain",
}
# What has the name and the arguments, where they are not in the call itself.
_INSIDE: dict[Shape, tuple[str, ...]] = {
    "chat": ("function",),
    "mcp": ("params",),
    "gemini": ("function_call", "functionCall"),
}
_OF_OTHERS = ("text", "thought", "inline_data", "inlineData", "method")
# They are written like calls, but whoever serves the model has carried them out.
_DONE_ALREADY = ("server_tool_use", "mcp_tool_use", "mcp_call", "mcp_approval_request")


def _new_id() -> str:
    return f"call_{os.urandom(8).hex()}"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool's name with the arguments for it."""

    name: str
    arguments: Arguments | None = None
    """By name; None where they could not be read, and ``problem`` says why."""
    id: str = field(default_factory=_new_id)
    """The model's id of the call, which its answer has to carry; made up if there was none."""
    problem: str | None = None
    shape: Shape = "chat"
    """How it was written, so how it is to be answered."""
    has_own_id: bool = True
    """Whether the model gave the id."""

    @classmethod
    def parse(cls, shape: object) -> "ToolCall":
        """Read one tool call, as any of ``Shape`` write it, as mapping or object.

        Arguments that are not a JSON object are kept as a ``problem``: the model is told, nothing is raised.

        Raises:
            DefinitionInvalid: There is no tool's name in it.
        """
        if isinstance(shape, ToolCall):
            return shape
        written, inner = _opened(shape)
        name = member(inner, "name")
        if not isinstance(name, str) or not name:
            raise DefinitionInvalid(
                f"no tool's name in a tool call of type {type(shape).__name__}; expected 'name' or 'function.name'"
            )
        arguments, problem = _arguments(member(inner, "arguments", "input", "args"))
        given = _id(shape, inner)
        return cls(name, arguments, given or _new_id(), problem, written, given is not None)


def calls_of(answer: object) -> list[ToolCall]:
    """Read all tool calls of a model's answer, in their order.

    Takes a list of calls, or of an answer's parts; a chat completion or its message; a response of OpenAI's; a message
    of Anthropic's; a ``GenerateContentResponse`` of Gemini's; an ``AIMessage`` of LangChain's; a JSON-RPC request of
    the Model Context Protocol's; or one call. Parts of an answer that are no calls, and calls that the model's own
    server has carried out, are left out. A call without a tool's name has the name ``""`` and a ``problem``.
    """
    return [_parsed(each) for each in _written(answer)]


def _parsed(shape: object) -> ToolCall:
    try:
        return ToolCall.parse(shape)
    except DefinitionInvalid as error:
        written, inner = _opened(shape)
        return ToolCall("", None, _id(shape, inner) or _new_id(), str(error), written)


def _written(answer: object) -> Iterator[object]:
    """Find the calls in whatever they are wrapped in."""
    if answer is None or isinstance(answer, str):
        return
    if isinstance(answer, list | tuple):
        for each in cast("list[object]", answer):
            yield from _written(each)
    elif isinstance(answer, ToolCall) or _says_so(answer):
        yield answer
    elif (wrapped := _wrapped(answer)) is not None:
        yield from _written(wrapped)
        yield from _written(member(answer, "invalid_tool_calls"))
    elif _may_be_call(answer):
        yield answer


def _says_so(part: object) -> bool:
    """Tell whether something is a call by its type, or by what is inside of it."""
    return _typed(part) is not None or _opened(part)[1] is not part


def _typed(part: object) -> Shape | None:
    kind = member(part, "type")
    return _SHAPES.get(kind) if isinstance(kind, str) else None


def _wrapped(answer: object) -> object:
    """Return what an answer has its calls in; None for what has none, or is a call itself."""
    choices = member(answer, "choices", "candidates")
    if isinstance(choices, list | tuple):
        return cast("list[object]", choices)[:1]
    for key in ("message", "tool_calls", "content", "output", "parts"):
        inside = member(answer, key)
        if isinstance(inside, list | tuple) or (key in ("message", "content") and _has_parts(inside)):
            return cast("object", inside)
    return None


def _has_parts(inside: object) -> bool:
    return any(member(inside, key) is not None for key in ("tool_calls", "content", "parts"))


def _may_be_call(part: object) -> bool:
    """Tell whether a part of an answer that does not say so is meant to be a call."""
    kind = member(part, "type")
    if kind in _DONE_ALREADY or member(part, "role") is not None:
        return False
    if member(part, "name") is not None:
        return True
    # Anything else that says what it is, a part of Gemini's and other requests of the protocol are something else.
    return kind is None and all(member(part, key) is None for key in _OF_OTHERS)


def _opened(call: object) -> tuple[Shape, object]:
    """Return how a call is written, and what has its name and arguments."""
    typed = _typed(call)
    if typed is None or typed == "chat":
        for shape, keys in _INSIDE.items():
            # The protocol has other requests with a name and arguments, as for a prompt.
            if shape == "mcp" and member(call, "method") not in (None, "tools/call"):
                continue
            inner = member(call, *keys)
            # OpenAI's oldest answers had a text of one of these names.
            if isinstance(inner, Mapping) or hasattr(inner, "name"):
                return shape, cast("object", inner)
    return typed or ("chat" if member(call, "args") is None else "langchain"), call


def _id(call: object, inner: object) -> str | None:
    found = member(call, "call_id", "id")
    if found in (None, ""):
        found = member(inner, "id")
    return None if found in (None, "") else str(found)


def _arguments(written: object) -> tuple[Arguments | None, str | None]:
    if written is None or written == "":
        return {}, None
    if isinstance(written, str | bytes | bytearray):
        try:
            written = read_json(written)
        except (ValueError, RecursionError) as error:
            return None, f"the arguments are not valid JSON: {error}"
    if isinstance(written, Mapping):
        return {str(key): value for key, value in cast("Mapping[Any, Any]", written).items()}, None
    return None, f"the arguments must be a JSON object, not {_json_type(written)}"


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "a boolean"
    names = {type(None): "null", int: "a number", float: "a number", str: "a string", list: "an array"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), type(cast("object", value)).__name__)
