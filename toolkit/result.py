"""The result of a tool call."""

from collections.abc import Sequence
from dataclasses import dataclass, field, is_dataclass
from inspect import isawaitable
from typing import Any, Self, cast

from toolkit.content import CONTENT_TYPES, CONTENT_WORDS, Content, TextContent, as_content, as_text, json_text
from toolkit.errors import Problem, ResultInvalid
from toolkit.plain import member, plain


# A type with arguments, as in `list[Content]`, takes five times as long to make one.
def _no_content() -> list[Content]:
    return []


def _no_metadata() -> dict[str, Any]:
    return {}


@dataclass(slots=True)
class ToolResult:
    """Success or failure of a tool call, with its output; hooks may change it.

    ``content`` is authoritative: what a hook removes from it is removed from ``structured`` too, see ``handed``.
    """

    content: list[Content] = field(default_factory=_no_content)
    is_error: bool = False
    structured: Any = None
    """The output as a JSON value, for programs, if the tool has one; ``content`` has it as text."""
    metadata: dict[str, Any] = field(default_factory=_no_metadata)
    """Further values for the application; models never see them."""
    exception: BaseException | None = field(default=None, repr=False, compare=False, metadata={"given_back": True})
    """The exception that this result stands for; hooks and the recorder see it."""

    def __post_init__(self) -> None:
        for each in self.content:
            if not isinstance(each, CONTENT_TYPES):  # pyright: ignore[reportUnnecessaryIsInstance] - the SDK's is not
                self.content = [as_content(part) for part in self.content]
                return

    @classmethod
    def of(cls, value: object) -> Self:
        """Return what a tool returned as a result.

        Results of ours and of the MCP SDK stay what they are, strings become text, a list of content becomes that
        content, a ``tool`` message of a chat or several of them become what they say, None is an empty answer, an
        exception is a failure, and anything else is structured output with its JSON beside it.

        Raises:
            ResultInvalid: There is no JSON for it, as for a generator, or no end to it.
        """
        if isinstance(value, cls):
            return value
        if value is None:
            return cls()
        if isinstance(value, str):
            return cls([TextContent(value)])
        if _is_plain(value):
            return cls._structured(value)
        parts = member(value, "content")
        if isinstance(parts, list) and (is_error := _flag(value)) is not None:
            structured = member(value, "structured_content", "structuredContent")
            content = [as_content(each) for each in cast("list[object]", parts)]
            return cls(content, is_error, plain(structured), dict(member(value, "meta") or {}))
        several: Sequence[object] = cast("Sequence[object]", value) if isinstance(value, list | tuple) else (value,)
        return cls._several(several) or cls._structured(cast("object", value))

    @classmethod
    def _structured(cls, value: object) -> Self:
        if isinstance(value, Exception):
            return cls.error(f"{type(value).__name__}: {value}", exception=value)
        try:
            structured = plain(value)
        except RecursionError as error:
            raise _no_json(value, "contains itself, or is nested too deeply") from error
        if isinstance(structured, str) and structured.startswith("<") and " at 0x" in structured:
            why = "await it" if isawaitable(value) else "return a list, a dictionary, a dataclass or text"
            raise _no_json(value, why)
        text = str(structured) if type(structured) is int else json_text(structured)
        return cls([TextContent(text)], structured=structured)

    @classmethod
    def _several(cls, values: Sequence[object]) -> Self | None:
        """Return a result of content or of messages; None if they are something else."""
        if values and all(map(_is_content, values)):
            return cls([as_content(each) for each in values])
        return cls._said(values) if values and all(map(_is_message, values)) else None

    @classmethod
    def _said(cls, messages: Sequence[object]) -> Self:
        """Return the result in ``tool`` messages: OpenAI's, as mapping or object, and LangChain's."""
        result = cls()
        for message in messages:
            content = member(message, "content")
            is_blocks = isinstance(content, list | tuple)
            part = cls([as_content(each) for each in cast("list[object]", content)]) if is_blocks else cls.of(content)
            result.content += part.content
            result.structured = part.structured if len(messages) == 1 else None
            result.is_error = result.is_error or member(message, "status") == "error"
            result.metadata |= member(message, "metadata") or {}
        return result

    @classmethod
    def error(cls, message: str, *, exception: BaseException | None = None, **metadata: Any) -> Self:
        """Return a failure; the model reads ``message``."""
        return cls([TextContent(message)], is_error=True, metadata=metadata, exception=exception)

    def snapshot(self) -> dict[str, Any]:
        """Return a copy as plain JSON values, to compare or to show."""
        shown = {"content": [plain(as_content(each)) for each in self.content], "is_error": self.is_error}
        if self.structured is not None:
            shown["structured"] = plain(self.structured)
        return shown | ({"metadata": plain(self.metadata)} if self.metadata else {})

    @property
    def isError(self) -> bool:  # noqa: N802 - the Model Context Protocol's name
        """The same as ``is_error``, for hooks written for the MCP SDK's results."""
        return self.is_error

    @isError.setter
    def isError(self, value: bool) -> None:  # noqa: N802 - as above
        self.is_error = value

    @property
    def structuredContent(self) -> Any:  # noqa: N802 - as above
        """The same as ``structured``."""
        return self.structured

    @structuredContent.setter
    def structuredContent(self, value: Any) -> None:  # noqa: N802 - as above
        self.structured = value

    @property
    def text(self) -> str:
        """All of the content, for a model that only reads text."""
        return "\n".join(as_text(as_content(each)) for each in self.content)

    def message(self, tool_call_id: str) -> dict[str, Any]:
        """Return the ``tool`` message that answers the call in a chat completion."""
        return {"role": "tool", "tool_call_id": tool_call_id, "content": self.text}


def _no_json(value: object, why: str) -> ResultInvalid:
    return ResultInvalid(f"the returned {type(value).__name__} cannot be written as JSON", (Problem("", why),))


def _is_plain(value: object) -> bool:
    """Return whether it is one of the most common answers, which need no further checks."""
    kind = cast("type", type(value))
    return "role" not in cast("dict[str, Any]", value) if kind is dict else kind in (int, float, bool)


def _flag(value: object) -> bool | None:
    for name in ("is_error", "isError"):
        flag = getattr(value, name, None)
        if isinstance(flag, bool):
            return flag
    return None


def _is_message(value: object) -> bool:
    # LangChain's messages have the role as their type.
    return member(value, "role") == "tool" or (
        hasattr(value, "tool_call_id") and getattr(value, "type", None) == "tool"
    )


def _is_content(value: object) -> bool:
    kind = getattr(value, "type", None)
    known = kind in CONTENT_WORDS
    return known and (is_dataclass(value) or hasattr(value, "model_dump"))
