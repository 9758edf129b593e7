"""Exceptions of JavaScript, as exceptions of Python."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from inspector.record.calls.spans import Failure, failure_of
from inspector.record.values.failures import TracebackFrame
from inspector.transcripts.lines import Json

_FRAME: Final = re.compile(r"\s+at (?:(?P<function>.*?) \()?(?:file://)?(?P<file>[^()]+?):(?P<line>\d+):\d+\)?")
_MOST_FRAMES: Final = 100


class Thrown(Exception):
    """An exception that JavaScript threw; each of its classes is a class of its own."""

    code: str | None = None


def thrown(note: Json) -> Thrown:
    """Return the exception that a note tells."""
    code = note.get("code")
    error = _class(str(note.get("error") or "Error"))(str(note.get("message") or ""))
    error.code = code if isinstance(code, str) else None
    return error


def failure_in(note: Json) -> Failure:
    """Return what is recorded of the exception that a note tells, with its stack, outermost first."""
    stack = note.get("stack")
    frames = tuple(reversed([*_frames(stack)])) if isinstance(stack, str) else ()
    return replace(failure_of(thrown(note)), frames=frames)


def _frames(stack: str) -> Iterator[TracebackFrame]:
    for line in stack.splitlines()[:_MOST_FRAMES]:
        if match := _FRAME.fullmatch(line):
            yield TracebackFrame(match["file"], int(match["line"]), match["function"] or "")


@lru_cache(maxsize=200)
def _class(name: str) -> type[Thrown]:
    return type(name, (Thrown,), {"__module__": "builtins"})
