"""What is recorded of an exception: its text, where it came from, and the exceptions behind it."""

import linecache
from collections.abc import Iterator
from types import CodeType, TracebackType, WrapperDescriptorType
from typing import Any, Final, NamedTuple

from inspector.record.layouts import instance_dict, layout_of, static, type_name
from inspector.record.plain import well_formed

_MAX_MESSAGE = 10_000
_MAX_FRAMES = 100
_MAX_CHAIN = 50
_MAX_WALKED = 5_000
"""Frames looked at: a traceback far beyond any recursion limit loses its innermost ones rather than the agent time."""

_CAUSE: Final = "The above exception was the direct cause of the following exception:"
_CONTEXT: Final = "During handling of the above exception, another exception occurred:"


class Frame(NamedTuple):
    """One line of a traceback, outermost first; nothing in it keeps the program's frames alive."""

    filename: str
    """Empty where the line is no place but a text between two exceptions of a chain."""
    line: int
    function: str
    """Name of the function, or the text."""


def error_text(exc: BaseException) -> str:
    """What the exception says of itself, in at most 10,000 characters; never raises, whatever its ``__str__`` does."""
    try:
        text = _said(exc)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 -- the border to the agent: `__str__` may raise anything
        return f"[no message: {type_name(type(error))} was raised by {type_name(type(exc))}.__str__]"
    if len(text) > _MAX_MESSAGE:
        text = f"{text[:_MAX_MESSAGE]}… [{len(text) - _MAX_MESSAGE:,} more characters]"
    return well_formed(text)


def _said(exc: BaseException) -> str:
    arguments: tuple[object, ...] = _args(exc)
    if (
        len(arguments) == 1
        and type(arguments[0]) is str
        and type(static(type(exc), "__str__")) is WrapperDescriptorType
    ):
        only: str = arguments[0]
        # KeyError shows the repr of its key; every other class written in C shows a single text as it is.
        return only[: _MAX_MESSAGE * 2] if not issubclass(type(exc), KeyError) else repr(only[: _MAX_MESSAGE * 2])
    said: object = str(exc)
    return str.__str__(said)


def _args(exc: BaseException) -> Any:
    return BaseException.__dict__["args"].__get__(exc)


def _part(exc: BaseException, name: str) -> Any:
    return BaseException.__dict__[name].__get__(exc)


def frames(exc: BaseException) -> tuple[Frame, ...]:
    """Where an exception came from and those before it in its chain, earliest first, in at most a few hundred lines.

    No source file is read; ``format_traceback`` does that later, in another thread. Never raises.
    """
    try:
        return tuple(_chain(exc))
    except Exception:  # noqa: BLE001 -- the border to the agent
        return ()


def _chain(exc: BaseException) -> Iterator[Frame]:
    links: list[tuple[BaseException, str]] = [(exc, "")]
    seen = {id(exc)}
    while len(links) < _MAX_CHAIN:
        last = links[-1][0]
        before, joint = _part(last, "__cause__"), _CAUSE
        if before is None and not _part(last, "__suppress_context__"):
            before, joint = _part(last, "__context__"), _CONTEXT
        if before is None or id(before) in seen:
            break
        seen.add(id(before))
        links.append((before, joint))
    for link, joint in reversed(links):
        yield from _places(_part(link, "__traceback__"))
        if joint:
            yield Frame("", 0, f"{type_name(type(link))}: {error_text(link)}")
            yield Frame("", 0, joint)
    yield from _notes(exc)
    yield from _group(exc)


def _places(traceback: TracebackType | None) -> Iterator[Frame]:
    count = 0
    last: list[Frame] = []
    while traceback is not None and count < _MAX_WALKED:
        count += 1
        code: CodeType = traceback.tb_frame.f_code
        frame = Frame(code.co_filename, traceback.tb_lineno or 0, code.co_qualname)
        if count <= _MAX_FRAMES // 2:
            yield frame
        else:
            last.append(frame)
            if len(last) > _MAX_FRAMES:
                del last[: _MAX_FRAMES // 2]
        traceback = traceback.tb_next
    kept = last[-(_MAX_FRAMES // 2) :]
    if count > _MAX_FRAMES:
        yield Frame("", 0, f"  … [{count - _MAX_FRAMES // 2 - len(kept):,} more frames]")
    yield from kept


def _notes(exc: BaseException) -> Iterator[Frame]:
    notes: Any = (instance_dict(exc, layout_of(type(exc))) or {}).get("__notes__")
    for text in notes[:20] if issubclass(type(notes), list) else ():
        if type(text) is str:
            yield Frame("", 0, f"note: {well_formed(text[:1000])}")


def _group(exc: BaseException) -> Iterator[Frame]:
    """The exceptions inside a group, one line each: whose parts fail is what a reader of a TaskGroup looks for."""
    waiting: list[tuple[BaseException, int]] = [(exc, 0)]
    told = 0
    while waiting and told < _MAX_CHAIN:
        current, depth = waiting.pop()
        if depth:
            told += 1
            yield Frame("", 0, f"{'  ' * min(depth, 10)}+ {type_name(type(current))}: {error_text(current)[:500]}")
        if isinstance(current, BaseExceptionGroup):
            parts: tuple[BaseException, ...] = BaseExceptionGroup.__dict__["exceptions"].__get__(current)
            waiting.extend((part, depth + 1) for part in reversed(parts[:_MAX_CHAIN]))


def format_traceback(error_type: str, message: str, places: tuple[Frame, ...]) -> str:
    """A traceback as Python prints it, with source lines; reads files, so it belongs into the writer's thread."""
    lines = ["Traceback (most recent call last):"]
    after: list[str] = []
    for place in places:
        if not place.filename:
            (after if place.function.startswith(("note: ", "  +")) else lines).append(place.function)
            if place.function in (_CAUSE, _CONTEXT):
                lines[-1:] = ["", place.function, "", "Traceback (most recent call last):"]
            continue
        lines.append(f'  File "{place.filename}", line {place.line}, in {place.function}')
        if source := linecache.getline(place.filename, place.line).strip():
            lines.append(f"    {source[:500]}")
    lines.append(f"{error_type}: {message}" if message else error_type)
    return "\n".join((*lines, *after)) + "\n"
