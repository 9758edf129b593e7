"""Captures an exception: its text, its traceback, and the exceptions that caused it."""

# The values are of any type, and read through unbound methods of builtins, whose type arguments pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import builtins
import linecache
import os
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import CodeType, FunctionType, TracebackType, WrapperDescriptorType
from typing import Any, Final, NamedTuple

from inspector.plain import EDGE_CHARS, beginning, behind, written
from inspector.record.values.attributes import read
from inspector.record.values.invalid import VALIDATION_ERROR, validation_text
from inspector.record.values.layouts import dict_get, dict_items, instance_dict, layout_of, static, type_name
from instrument.signals import is_of_signal

_MAX_MESSAGE = 10_000
_MAX_NOTE = 1_000
_MAX_PART = 500
"""The most characters of a line of source, and of an exception in a group."""
_MAX_FRAMES = 100
_MAX_CHAIN = 50
_MAX_WALKED = 5_000
"""The most frames to read in all exceptions of a chain. Beyond that, the innermost frames and those of earlier
exceptions are left out, so that the agent does not wait for them."""

_CAUSE: Final = "The above exception was the direct cause of the following exception:"
_CONTEXT: Final = "During handling of the above exception, another exception occurred:"


class TracebackFrame(NamedTuple):
    """One line of a traceback, outermost first; it keeps none of the program's frames alive."""

    filename: str
    """Empty if the line is a text between two exceptions of a chain, not a place in a file."""
    line: int
    function: str
    """The name of the function, or the text."""


def error_text(exc: BaseException) -> str:
    """Return the message of an exception in at most 10,000 characters, without running code of the program.

    ``__str__`` is called only if it is in C, or in the standard library and uses plain values. Otherwise the message
    consists of the arguments or attributes of the exception.
    """
    try:
        text = _text(exc)
    except Exception as error:  # the boundary to the agent
        if is_of_signal(error):
            raise
        return f"[no message: {type_name(type(error))} was raised by {type_name(type(exc))}.__str__]"
    return beginning(text, _MAX_MESSAGE)


def _text(exc: BaseException) -> str:
    arguments: tuple[object, ...] = _args(exc)
    method = static(type(exc), "__str__")
    is_plain = type(method) is WrapperDescriptorType
    if is_plain and len(arguments) == 1 and type(arguments[0]) is str and not issubclass(type(exc), KeyError):
        # KeyError shows the repr of its key; all other classes of Python show a single text unchanged.
        return arguments[0]
    if is_plain and method.__objclass__ is BaseException:
        return _shown_arguments(arguments)
    if is_plain and method.__objclass__ is BaseExceptionGroup:
        return _group_text(exc)
    if is_plain and type_name(method.__objclass__) == VALIDATION_ERROR:
        return validation_text(exc, _is_tame)
    is_tame = _is_python_method(method) and _is_tame(arguments) and _has_tame_attributes(exc)
    if is_tame or _is_extension_method(method):
        return str.__str__(method(exc))
    return _own_text(exc) or _shown_arguments(arguments) or _shown_attributes(exc)


def _group_text(exc: BaseException) -> str:
    message: str = BaseExceptionGroup.__dict__["message"].__get__(exc)
    if str.__len__(message) > _MAX_MESSAGE:
        return str.__str__(message)
    count = len(BaseExceptionGroup.__dict__["exceptions"].__get__(exc))
    return f"{str.__str__(message)} ({count} sub-exception{'' if count == 1 else 's'})"


def _is_extension_method(method: Any) -> bool:
    """Tell whether a method is in the C code of an extension such as pydantic; its text is available nowhere else."""
    return type(method) is WrapperDescriptorType and type_name(method.__objclass__).partition(".")[0] not in _STDLIB


def _is_python_method(method: Any) -> bool:
    """Tell whether a method belongs to Python or its standard library."""
    if type(method) is WrapperDescriptorType:
        return type_name(method.__objclass__).partition(".")[0] in _STDLIB
    if type(method) is not FunctionType:
        return False
    name: Any = method.__globals__.get("__name__")
    if type(name) is not str or name.partition(".")[0] not in _STDLIB:
        return False
    module = sys.modules.get(name)
    return module is not None and vars(module) is method.__globals__


_STDLIB = sys.stdlib_module_names | set(dir(builtins))
"""The top-level names of Python's own modules and classes."""
_SHOWN_ITEMS = 50
_SHOWN_DEPTH = 3
_MAX_SHOWN = 2 * _MAX_MESSAGE
"""The most characters of a value whose ``repr`` is shown."""
_TEXTS = ("message", "msg", "detail", "_message", "_details", "reason")
"""Attributes in which exceptions with their own ``__str__`` usually store the message."""


def _is_tame(value: object, depth: int = 0, room: list[int] | None = None) -> bool:
    """Tell whether ``repr`` of a value runs only Python's own code, and only briefly.

    Types are compared by identity, because ``==`` of a class may run its own code. ``room`` is the budget of
    characters.
    """
    room = [_MAX_SHOWN] if room is None else room
    kind = type(value)
    is_text = kind is str or kind is bytes
    room[0] -= len(value) if is_text else 8  # pyright: ignore[reportArgumentType] - of one of these
    if is_text or room[0] < 0:
        return room[0] >= 0
    if kind is int:
        return -_LARGE < value < _LARGE  # pyright: ignore[reportOperatorIssue] - as above
    if kind is list or kind is tuple or kind is dict:
        items: Any = value
        if depth >= _SHOWN_DEPTH or len(items) > _SHOWN_ITEMS:
            return False
        parts = [*items.keys(), *items.values()] if kind is dict else list(items)
        return all(_is_tame(part, depth + 1, room) for part in parts)
    return value is None or kind is bool or kind is float


_LARGE = 1 << 1024


def _has_tame_attributes(exc: BaseException) -> bool:
    """Tell whether the attributes of one of Python's own exceptions are plain values, or of Python's own classes."""
    attributes = instance_dict(exc, layout_of(type(exc))) or {}
    members = [OSError.__dict__[name].__get__(exc) for name in _MEMBERS] if issubclass(type(exc), OSError) else []
    if len(attributes) > _SHOWN_ITEMS:
        return False
    return all(_is_tame(value) or _is_of_python(type(value)) for value in (*attributes.values(), *members))


_MEMBERS = ("errno", "strerror", "filename", "filename2")


def _is_of_python(cls: type) -> bool:
    return type_name(cls).partition(".")[0] in sys.stdlib_module_names


def _own_text(exc: BaseException) -> str:
    attributes = instance_dict(exc, layout_of(type(exc))) or {}
    texts = [dict_get(attributes, name) for name in _TEXTS]
    # Exceptions for errors received from a server contain the received error, as in the MCP SDK.
    texts.append(read(dict_get(attributes, "error"), "message"))
    return next((text for text in texts if type(text) is str and text), "")


def _shown_arguments(arguments: tuple[object, ...]) -> str:
    if len(arguments) == 1:
        only = arguments[0]
        return str.__str__(only) if issubclass(type(only), str) else _shown(only)  # pyright: ignore[reportArgumentType]
    return f"({', '.join(_listed((value, '') for value in arguments))})" if arguments else ""


def _listed(values: Iterable[tuple[object, str]]) -> Iterator[str]:
    """Yield the ``repr`` of each value after its name, until the message has its maximum length."""
    room = _MAX_MESSAGE
    for value, name in islice(values, _SHOWN_ITEMS):
        shown = f"{name}{_shown(value)}"
        room -= len(shown)
        yield shown
        if room < 0:
            return


def _shown(value: object) -> str:
    if issubclass(type(value), str):
        return repr(str.__getitem__(value, slice(_MAX_MESSAGE + EDGE_CHARS)))  # pyright: ignore[reportArgumentType] - it is one
    return repr(value) if _is_tame(value) else f"<{type_name(type(value))}>"


def _shown_attributes(exc: BaseException) -> str:
    items = list(islice(dict_items(instance_dict(exc, layout_of(type(exc))) or {}), _SHOWN_ITEMS))
    return ", ".join(_listed((value, f"{name}=") for name, value in items if type(name) is str and name[:1] != "_"))


def _args(exc: BaseException) -> Any:
    return BaseException.__dict__["args"].__get__(exc)


def _part(exc: BaseException, name: str) -> Any:
    return BaseException.__dict__[name].__get__(exc)


def frames(exc: BaseException) -> tuple[TracebackFrame, ...]:
    """Return the frames of an exception and of those before it in its chain, earliest first; at most a few hundred.

    A traceback begins at the frame that caught the exception. If a library caught it, such as a wrapper around a method
    of an SDK, no frame of the program is in it; then the callers of that frame are added above. No source file is read;
    ``format_traceback`` does that later, in another thread. Never raises.
    """
    try:
        return tuple(_chain(exc))
    except Exception as error:  # the boundary to the agent
        if is_of_signal(error):
            raise
        return ()


def _with_callers(exc: BaseException, places: list[TracebackFrame]) -> list[TracebackFrame]:
    if not places or not all(map(_is_of_library, places)):
        return places
    callers: list[TracebackFrame] = []
    # Frames of the traceback that are still running are on the stack too, for example those of a `with` block.
    ended_at = _part(exc, "__traceback__").tb_frame
    # The public functions build a list of the whole stack.
    caller = sys._getframe()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    while caller is not None and len(callers) < _MAX_FRAMES // 2:
        if caller is ended_at:
            callers = []
        elif not _is_ours(dict_get(caller.f_globals, "__name__")):
            callers.append(TracebackFrame(caller.f_code.co_filename, caller.f_lineno or 0, caller.f_code.co_qualname))
        caller = caller.f_back
    return [*reversed(callers), *places] if not all(map(_is_of_library, callers)) else places


def _is_ours(module: object) -> bool:
    return type(module) is str and module.startswith(_OURS)


def _is_of_library(place: TracebackFrame) -> bool:
    path = place.filename
    return not path or path.startswith(_PYTHON) or any(part in path for part in _INSTALLED)


_OURS: Final = ("inspector.record.", "inspector.integrations.", "instrument.")
_PYTHON: Final = ("<frozen ", *{sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
"""How the paths of Python's own files begin."""
_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def _chain(exc: BaseException) -> Iterator[TracebackFrame]:
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
    room = [_MAX_WALKED]
    # The exception itself first, then those before it, as long as the budget allows.
    places = [list(_places(_part(link, "__traceback__"), room)) for link, _ in links]
    places[0] = _with_callers(exc, places[0])
    for (link, joint), of_link in zip(reversed(links), reversed(places), strict=True):
        yield from of_link
        if joint:
            yield TracebackFrame("", 0, behind(f"{type_name(type(link))}: ", error_text(link)))
            yield TracebackFrame("", 0, joint)
    yield from _notes(exc)
    yield from _group(exc)


def _places(traceback: TracebackType | None, room: list[int]) -> Iterator[TracebackFrame]:
    count = 0
    last: list[TracebackFrame] = []
    while traceback is not None and room[0] > 0:
        room[0] -= 1
        count += 1
        code: CodeType = traceback.tb_frame.f_code
        frame = TracebackFrame(code.co_filename, traceback.tb_lineno or 0, code.co_qualname)
        if count <= _MAX_FRAMES // 2:
            yield frame
        else:
            last.append(frame)
            if len(last) > _MAX_FRAMES:
                del last[: _MAX_FRAMES // 2]
        traceback = traceback.tb_next
    kept = last[-(_MAX_FRAMES // 2) :]
    if count > _MAX_FRAMES:
        yield TracebackFrame("", 0, f"  … [{count - _MAX_FRAMES // 2 - len(kept):,} more frames]")
    yield from kept


def _notes(exc: BaseException) -> Iterator[TracebackFrame]:
    notes: Any = (instance_dict(exc, layout_of(type(exc))) or {}).get("__notes__")
    for text in notes[:20] if issubclass(type(notes), list) else ():
        if type(text) is str:
            yield TracebackFrame("", 0, behind("note: ", beginning(text, _MAX_NOTE)))


def _group(exc: BaseException) -> Iterator[TracebackFrame]:
    """Yield a line for each exception in a group: readers of a TaskGroup's failure look for the failed tasks."""
    waiting: list[tuple[BaseException, int]] = [(exc, 0)]
    shown = 0
    while waiting and shown < _MAX_CHAIN:
        current, depth = waiting.pop()
        if depth:
            shown += 1
            lead = f"{'  ' * min(depth, 10)}+ {type_name(type(current))}: "
            yield TracebackFrame("", 0, behind(lead, beginning(error_text(current), _MAX_PART)))
        if issubclass(type(current), BaseExceptionGroup):
            parts: tuple[BaseException, ...] = BaseExceptionGroup.__dict__["exceptions"].__get__(current)
            waiting.extend((part, depth + 1) for part in reversed(parts[:_MAX_CHAIN]))


def format_traceback(
    error_type: str, message: str, places: tuple[TracebackFrame, ...], trim: Callable[[str], str] = written
) -> str:
    """Return a traceback as Python prints it, with source lines; it reads files, so call it in the writer's thread."""
    message = trim(message)
    lines = ["Traceback (most recent call last):"]
    after: list[str] = []
    for place in places:
        if not place.filename:
            (after if place.function.startswith(("note: ", "  +")) else lines).append(trim(place.function))
            if place.function in (_CAUSE, _CONTEXT):
                lines[-1:] = ["", place.function, "", "Traceback (most recent call last):"]
            continue
        lines.append(f'  File "{place.filename}", line {place.line}, in {place.function}')
        if source := linecache.getline(place.filename, place.line).strip():
            lines.append(f"    {trim(beginning(source, _MAX_PART))}")
    lines.append(f"{error_type}: {message}" if message else error_type)
    return "\n".join((*lines, *after)) + "\n"
