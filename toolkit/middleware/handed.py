"""What hooks and guardrails were handed of a call's result, so that what they take out of it is gone everywhere."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from toolkit.content import Content, TextContent, as_content, json_text
from toolkit.errors import DefinitionInvalid, SchemaMismatch, ToolkitError
from toolkit.plain import plain, read_json
from toolkit.result import ToolResult


@dataclass(frozen=True, slots=True)
class _Seen:
    """A result as it was when somebody was handed it; it may be changed in place since."""

    said: tuple[str, ...]
    """What each piece of its content says."""
    structured: str | None
    """The JSON of its structured output, None where it has none."""
    own: str | None
    """The text among ``said`` that is the JSON of ``structured``; None where there are other words for it."""
    exception: BaseException | None


class Handed:
    """The results of one call that were handed on, each as it was.

    A result has its output twice, as content for models and as structured output for programs, and often its
    exception besides. A hook that looks at one of them takes nothing away from the others, which is how secrets get
    out. So what comes back is held against what was handed on: whatever is gone from one is gone from all of them.
    """

    def __init__(self, *results: ToolResult) -> None:
        self._seen = [_seen(each) for each in results]

    def note(self, result: ToolResult) -> ToolResult:
        """Remember that ``result`` is handed on, and return it."""
        self._seen.append(_seen(result))
        return result

    def settled(self, result: ToolResult) -> ToolResult:
        """Make what came back consistent, in place, and return it.

        - Structured output that nobody touched, while something of the content beside it was taken away, is read
          again from the text where that is its JSON, and is gone otherwise.
        - Structured output that was changed replaces the text that was its JSON.
        - An exception whose words were taken away is another one with the words that are left.
        """
        words, structured = [_said(as_content(each)) for each in result.content], _encoded(result.structured)
        self._settle_structured(result, words, structured)
        for seen in self._seen:
            if seen.exception is not None and seen.exception is result.exception and not _keeps(words, seen.said):
                result.exception = reworded(seen.exception, result.text)
        return result

    def _settle_structured(self, result: ToolResult, words: list[str], structured: str | None) -> None:
        if structured is None:
            return
        untouched = [each for each in self._seen if each.structured == structured]
        if not untouched:
            stale = {each.own for each in self._seen if each.own is not None}
            result.content = [
                TextContent(structured) if text in stale else each
                for each, text in zip(result.content, words, strict=True)
            ]
        elif not any(_keeps(words, each.said) for each in untouched):
            is_json = any(each.own is not None for each in untouched)
            result.structured = _read_again(words, structured) if is_json else None


def _seen(result: ToolResult) -> _Seen:
    words, structured = tuple(_said(as_content(each)) for each in result.content), _encoded(result.structured)
    own = None if structured is None else next((text for text in words if _is_json_of(text, structured)), None)
    return _Seen(words, structured, own, result.exception)


def _said(content: Content) -> str:
    if not isinstance(content, TextContent):
        return repr(content)
    text = content.text
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
        raise DefinitionInvalid(f"the text of content was set to {type(text).__name__}; expected text")
    return text


def _encoded(structured: Any) -> str | None:
    return None if structured is None else json_text(plain(structured))


def _is_json_of(text: str, structured: str) -> bool:
    if text == structured:
        return True
    # Servers write it otherwise, indented for example; a much shorter text is no JSON of the same value.
    if len(text) * 2 < len(structured) or text.lstrip()[:1] != structured[:1]:
        return False
    with suppress(ValueError, RecursionError):
        return _encoded(read_json(text)) == structured
    return False


def _keeps(words: list[str], before: tuple[str, ...]) -> bool:
    """Tell whether everything is still there; words may have been added, after them or as another piece."""
    return len(words) >= len(before) and all(
        text in words or words[index].startswith(text) for index, text in enumerate(before)
    )


def _read_again(words: list[str], structured: str) -> Any:
    """Return the value that is left in the text of a value; None where it is no JSON, or of another kind."""
    with suppress(ValueError, RecursionError):
        for text in words:
            if text.lstrip()[:1] == structured[:1] or structured[:1] not in "{[":
                return read_json(text)
    return None


def reworded(exception: BaseException, words: str) -> BaseException:
    """Return an exception of the same kind, as far as it is ours, that says nothing but ``words``."""
    if not isinstance(exception, ToolkitError):
        return ToolkitError(words)
    other = type(exception).__new__(type(exception), words)
    if isinstance(other, SchemaMismatch):
        other.problems = ()
    return other
