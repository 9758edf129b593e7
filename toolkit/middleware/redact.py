"""Takes out of results, and if asked of arguments, what nobody should read."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, cast

from toolkit.content import Content, JsonContent, ResourceContent, TextContent, as_content
from toolkit.errors import DefinitionInvalid
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools
from toolkit.result import ToolResult


class Redact(ToolMiddleware):
    """Replaces what matches in texts, JSON and metadata of a result; pictures and other binary parts stay.

    A trace shows that it changed something, and not what. Middleware further in still sees everything, and so does a
    trace of what that changed: let this be the last of the list.

    Args:
        patterns: Regular expressions of what is taken out of every text.
        keys: Patterns of field names, upper and lower case alike, whose values are taken out whole, for example
            ``"*password*"``; also in text that is JSON.
        arguments: Whether the tool itself is not to get it either.
        replacement: What stands there instead.
        tools: Whose calls it stands around.

    Raises:
        DefinitionInvalid: A pattern is no regular expression.
    """

    hides_values = True
    """Tells the chain to keep what was there before out of the hooks."""

    def __init__(
        self,
        patterns: Iterable[str] = (),
        *,
        keys: Iterable[str] = (),
        arguments: bool = False,
        replacement: str = "[redacted]",
        tools: Tools = "*",
    ) -> None:
        super().__init__(tools)
        try:
            self._expressions = [re.compile(each) for each in patterns]
        except re.error as error:
            raise DefinitionInvalid(f"Redact: {error.pattern!r} is no regular expression: {error}") from None
        self._keys = [each.lower() for each in keys]
        self._arguments = arguments
        self._replacement = replacement

    async def around(self, _ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Call the tool, and redact what comes back."""
        result = await call_next(cast("ToolCallArgs", self._value(args)) if self._arguments else args)
        return replace(
            result,
            content=[self._content(as_content(each)) for each in result.content],
            structured=self._value(result.structured),
            metadata=cast("dict[str, Any]", self._value(result.metadata)),
        )

    def _content(self, content: Content) -> Content:
        match content:
            case TextContent(text=text):
                return TextContent(self._text(text))
            case JsonContent(value=value):
                return JsonContent(self._value(value))
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
            return {key: self._replacement if self._hides(key) else self._value(each) for key, each in fields.items()}
        if isinstance(value, list | tuple):
            return [self._value(each) for each in cast("list[Any]", value)]
        return value

    def _hides(self, key: object) -> bool:
        name = str(key).lower()
        return any(fnmatchcase(name, each) for each in self._keys)
