"""What each program here does with its work: under the inspector, after detaching, and with a function missing.

The last line printed is JSON:

- ``parts``: by the name of each part of the work, what the program counted, the tracebacks of the exceptions it got
  and those that were logged, the lines it and its children wrote to stderr, in order of the alphabet since several
  write at once, and which hooks integrations emitted, as it ran under the inspector. A call of the tool
  ``part <name>`` stands before what was recorded of a part. The part ``lacking`` ran with a function missing,
  and ``off`` with every integration switched off.
- ``alone``: the same parts, as they ran after detaching.
- ``wrapped``: where functions of the inspector stood for others, and ``again``, where they did when it was attached
  again; ``left`` and ``lost``: where they still did after detaching, and where something else was than had been there.
- ``notices``: what the inspector logged of the missing function.
"""

import json
import logging
import os
import re
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import FunctionType, ModuleType
from typing import Any, Self

import inspector
import instrument

_OURS = "/inspector/integrations/"
_failures: list[str] = []


def failed() -> None:
    """Note the traceback of the exception that is being handled, as the program would print it."""
    exc = sys.exception()
    if exc is not None:
        _failures.append(_plain("".join(traceback.format_exception(exc))))


def conform(
    parts: Mapping[str, Callable[[], Any]],
    *,
    lacking: tuple[Any, str],
    brief: Callable[[], Any],
    **more: Any,
) -> None:
    """Run every part, which returns its ledger, and print what came of it.

    Args:
        parts: Run under the inspector, then again after detaching.
        lacking: The owner and the name of a function that a version may not have.
        brief: Run under the inspector, attached while that function was not there.
        more: Goes into the JSON as it is; what is callable is called at the end.
    """
    heard = _Heard()
    recorded = {name: _run(name, work, heard) for name, work in parts.items()}
    wrapped = _wrapped()
    inspector.detach()
    left = _wrapped()
    alone = {name: _run(name, work, heard) for name, work in parts.items()}
    notices, recorded["lacking"] = _lacking(lacking, brief, heard)
    again = _wrapped()
    inspector.detach()
    inspector.attach(integrations=())
    recorded["off"] = _run("off", brief, heard)
    inspector.detach()
    print()
    print(
        json.dumps(
            {
                "parts": recorded,
                "alone": alone,
                "wrapped": sorted(wrapped),
                "again": sorted(again),
                "left": sorted(left),
                "lost": sorted(place for place, stands in wrapped.items() if not _is_put_back(*stands)),
                "notices": notices,
                **{name: value() if callable(value) else value for name, value in more.items()},
            }
        )
    )


def _lacking(place: tuple[Any, str], brief: Callable[[], Any], heard: "_Heard") -> tuple[list[str], dict[str, Any]]:
    owner, name = place
    kept = vars(owner)[name]
    delattr(owner, name)
    with _Logged("mcp.inspector") as logged:
        inspector.attach()
    setattr(owner, name, kept)
    return logged.lines, _run("lacking", brief, heard)


class _Heard:
    """The hooks that integrations emit; those that the program emits itself are not counted."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        for name in instrument.HOOKS:
            instrument.register(name, partial(self._hear, name))

    def _hear(self, name: str, envelope: Any = None, **_: Any) -> None:
        if name == "before_rpc_request" and isinstance(envelope, dict) and "id" not in envelope:
            # It has no end.
            name = "notification"
        frame = sys._getframe(1)
        while frame is not None:
            if _OURS in frame.f_code.co_filename:
                self.counts[name] += 1
                return
            frame = frame.f_back


class _Logged(logging.Handler):
    """What is logged meanwhile, with its tracebacks, instead of being printed."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.tracebacks: list[str] = []
        self.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
        self._logger = logging.getLogger(name)

    def emit(self, record: logging.LogRecord) -> None:
        line = _plain(self.format(record))
        self.lines.append(line)
        if record.exc_info:
            self.tracebacks.append(line)

    def __enter__(self) -> Self:
        self._kept = self._logger.handlers
        self._logger.handlers = [self]
        return self

    def __exit__(self, *_: object) -> None:
        self._logger.handlers = self._kept


_BY_CHANCE = "LoggingWorker: event loop changed"
"""Is in a warning of LiteLLM's, which goes by how far a task of its own has come."""


class _Written:
    """What this process and its children write to stderr meanwhile; it gets there afterwards."""

    lines: list[str]

    def __enter__(self) -> Self:
        self._file = tempfile.TemporaryFile()
        self._kept = os.dup(2)
        sys.stderr.flush()
        os.dup2(self._file.fileno(), 2)
        return self

    def __exit__(self, *_: object) -> None:
        sys.stderr.flush()
        os.dup2(self._kept, 2)
        os.close(self._kept)
        with self._file:
            # Where the file stands is what a child goes on from.
            written = os.pread(self._file.fileno(), os.fstat(self._file.fileno()).st_size, 0)
        sys.stderr.buffer.write(written)
        sys.stderr.flush()
        self.lines = sorted(line for line in _plain(written.decode()).splitlines() if _BY_CHANCE not in line)


def _run(name: str, work: Callable[[], Any], heard: _Heard) -> dict[str, Any]:
    _failures.clear()
    before = heard.counts.copy()
    with instrument.around("tool_call", tool_name=f"part {name}", args={}, context=None):
        pass
    with _Written() as written, _Logged() as logged:
        ledger = work()
    # As it is now: the next run goes on with the same objects.
    return json.loads(
        json.dumps(
            {
                "ledger": ledger,
                "failures": sorted(_failures),
                "logged": sorted(logged.tracebacks),
                "stderr": written.lines,
                "emitted": dict(heard.counts - before),
            }
        )
    )


def _plain(text: str) -> str:
    """Leave out what differs from run to run: addresses, ports, ids, times and how often something was done before."""
    # Where there is a span around, whoever made it, Anthropic's SDK names it to the provider, by another line of code.
    text = re.sub(r'(anthropic/_base_client\.py", line )\d+(, in request\n).*\n.*\n', r"\1…\2", text)
    # As it comes, a thread that is waited for is done already.
    text = re.sub(r'(concurrent/futures/_base\.py", line )\d+', r"\1…", text)
    # Rich leaves out a time that is that of the line before.
    text = re.sub(r"\[[\d/]+ \d\d:\d\d:\d\d\]", lambda found: " " * len(found[0]), text)
    text = re.sub(r"\d\d:\d\d:\d\d", "…", text)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x…", text)
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:…", text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "…", text)
    text = re.sub(r"\breq_\d+", "req_…", text)
    return re.sub(r"Task-\d+", "Task-…", text)


Place = tuple[Any, str, FunctionType]


def _wrapped() -> dict[str, Place]:
    """Return each place where a function of an integration stands for another's, by its name."""
    found: dict[str, Place] = {}
    for owner, place in _owners():
        for name, value in tuple(vars(owner).items()):
            # By its own type: asked for its class, a proxy imports what it stands for, in OpenAI's SDK for seconds.
            function = value.__func__ if type(value) in (staticmethod, classmethod) else value
            if type(function) is FunctionType and _is_ours(function) and not _is_copy(owner, function):
                found[f"{place}.{name}"] = owner, name, function
    return found


def _is_ours(function: FunctionType) -> bool:
    return _OURS in function.__code__.co_filename or "inspector_kept" in vars(function)


def _is_copy(owner: Any, function: FunctionType) -> bool:
    """Tell whether another package has imported the function by name, which nobody can take back from it."""
    return isinstance(owner, ModuleType) and owner.__name__.partition(".")[0] != function.__module__.partition(".")[0]


def _owners() -> Iterator[tuple[Any, str]]:
    seen: set[int] = set()
    for name, module in tuple(sys.modules.items()):
        ours = name.partition(".")[0] in ("inspector", "instrument", "conformance")
        if ours or not issubclass(type(module), ModuleType):
            continue
        yield module, name
        for value in tuple(vars(module).values()):
            if issubclass(type(value), type) and id(value) not in seen:
                seen.add(id(value))
                yield value, f"{value.__module__}.{value.__qualname__}"


def _is_put_back(owner: Any, name: str, replacement: FunctionType) -> bool:
    is_own, kept = getattr(replacement, "inspector_kept", (False, None))
    return vars(owner).get(name) is kept if is_own else name not in vars(owner)
