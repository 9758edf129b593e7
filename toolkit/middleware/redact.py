"""Takes out of results what nobody should read."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from traceback import format_exception, format_exception_only
from typing import Any, cast

from toolkit.content import Content, ResourceContent, TextContent, as_content
from toolkit.errors import DefinitionInvalid
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.handed import reworded
from toolkit.middleware.selection import ToolMiddleware, Tools
from toolkit.plain import texts_of
from toolkit.result import ToolResult


async def _outcome(call_next: ToolCallFn, args: ToolCallArgs) -> ToolResult | Exception:
    """Return what is raised too: another exception, raised later, does not have it as its context."""
    try:
        return await call_next(args)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is looked at
        return error


class Redact(ToolMiddleware):
    """Replaces what matches in texts, numbers, JSON and metadata of a result; pictures and other binary parts stay.

    A trace shows that it changed something, and not what. Middleware further in still sees everything, and so does a
    trace of what that changed: let this be the last of the list.

    Args:
        patterns: Regular expressions of what is taken out of every text.
        keys: Patterns of field names, upper and lower case alike, whose values are taken out whole, for example
            ``"*password*"``; also in text that is JSON.
        replacement: What stands there instead.
        tools: Whose calls it stands around.
    """

    def __init__(
        self,
        patterns: str | Iterable[str] = (),
        *,
        keys: str | Iterable[str] = (),
        replacement: str = "[redacted]",
        tools: Tools = "*",
    ) -> None:
        super().__init__(tools)
        try:
            self._expressions = [re.compile(each) for each in texts_of(patterns, "Redact(patterns)")]
        except re.error as error:
            raise DefinitionInvalid(f"Redact: {error.pattern!r} is not a valid regular expression: {error}") from None
        self._keys = [each.lower() for each in texts_of(keys, "Redact(keys=…)")]
        if not (self._expressions or self._keys):
            raise DefinitionInvalid("Redact: nothing would be taken out; give it patterns or keys")
        self._replacement = replacement

    async def around(self, _ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Call the tool, and redact what comes back, or what is raised."""
        result = await _outcome(call_next, args)
        if isinstance(result, Exception):
            raise self._exception(result)
        return replace(
            result,
            content=[self._content(as_content(each)) for each in result.content],
            structured=self._value(result.structured),
            metadata=cast("dict[str, Any]", self._value(result.metadata)),
            exception=None if result.exception is None else self._exception(result.exception),
        )

    def _exception(self, error: BaseException) -> BaseException:
        """Return another exception where this one, its notes or its cause would tell: it goes to the hooks."""
        written = "".join(format_exception(error))
        if self._text(written) == written:
            return error
        return reworded(error, self._text("".join(format_exception_only(error)).strip()))

    def _content(self, content: Content) -> Content:
        match content:
            case TextContent(text=text):
                return TextContent(self._text(text))
            case ResourceContent(text=str(text)):
                return replace(content, text=self._text(text))
            case _:
                return content

    def _text(self, text: str) -> str:
        if self._keys and text.lstrip()[:1] in ("{", "["):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                pass
            else:
                clean = self._value(value)
                return text if clean == value else json.dumps(clean, ensure_ascii=False)
        for pattern in self._expressions:
            text = pattern.sub(lambda _: self._replacement, text)
        return text

    def _value(self, value: object) -> object:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            fields = cast("dict[Any, Any]", value)
            return {
                self._value(key): self._replacement if self._hides(key) else self._value(each)
                for key, each in fields.items()
            }
        if isinstance(value, list | tuple):
            return [self._value(each) for each in cast("list[Any]", value)]
        if isinstance(value, int | float) and not isinstance(value, bool):
            clean = self._text(str(value))
            return value if clean == str(value) else clean
        return value

    def _hides(self, key: object) -> bool:
        name = str(key).lower()
        return any(fnmatchcase(name, each) for each in self._keys)
