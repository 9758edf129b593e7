"""What the toolkit knows of one way to write tools, calls of them and their results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from toolkit.call import ToolCall
from toolkit.content import Content, ImageContent, as_content
from toolkit.definition import ToolDefinition
from toolkit.result import ToolResult

Message: TypeAlias = dict[str, Any]
Answered: TypeAlias = Sequence[tuple[ToolCall, ToolResult]]
"""The calls of one turn, each with its result."""


@dataclass(frozen=True, slots=True)
class Format:
    """One provider's way, or a protocol's."""

    name: str
    types: tuple[str, ...]
    """What a call has as its ``type``, where it has one."""
    opened: Callable[[object], object]
    """Returns what has the name and the arguments of a call, from a part of an answer; None for another format's."""
    answer: Callable[[ToolCall, ToolResult], Message]
    """Returns what answers one call."""
    offer: Callable[[ToolDefinition], Message]
    """Returns a tool as an entry of what a model is offered."""
    turn: Callable[[Answered], list[Message]] | None = None
    """Returns the messages that answer the calls of one turn; None where that is an answer each."""


def content_of(result: ToolResult) -> list[Content]:
    """Return a result's content, all of it in our types."""
    return [as_content(each) for each in result.content]


def images_of(result: ToolResult) -> list[ImageContent]:
    """Return the pictures of a result."""
    return [each for each in content_of(result) if isinstance(each, ImageContent)]


def image_url(image: ImageContent) -> str:
    """Return a picture as a ``data:`` URL, the way in which OpenAI and LangChain take it."""
    return f"data:{image.mime_type};base64,{image.data}"


def has_name(value: object) -> bool:
    """Return whether ``value`` may be what has a call's name and arguments, and is no text of that name."""
    return isinstance(value, dict) or hasattr(value, "name")
