"""Describes this process, for every line that it writes, and names its program.

Where a server runs it, that is the application, since all programs of ``python -m uvicorn`` would have one name.
"""

import os
import re
import socket
import sys
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from inspector import semconv as sc
from inspector.plain import well_formed
from inspector.this_run import replayed_run, this_run

Process: TypeAlias = dict[str, str | int]
"""Resource attributes, with OpenTelemetry's names."""
_BY_TARGET: Final = frozenset(("uvicorn", "gunicorn", "hypercorn", "granian"))
"""Servers whose application is an argument such as ``shop.main:app``."""
_BY_OPTION: Final = frozenset(("flask", "celery"))
"""Programs whose application follows ``--app`` or ``-A``."""
_BY_FILE: Final = frozenset(("streamlit", "chainlit", "fastapi", "fastmcp", "mcp"))
"""Servers whose application is a file, which ``:`` and the name of an object may follow."""
_BY_MODULE: Final = frozenset(("dramatiq",))
"""Workers whose application is the module that is named first."""
_TARGET: Final = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):[^\W\d][\w.]*(?:\(.*\))?")
_FILE: Final = re.compile(r".+\.py(?::\w+)?")
_OF_OPTIONS: Final = frozenset(("python", "file", "unix", "fd"))
"""What may come before the colon in the value of an option, such as ``--config python:settings``."""


def describe_process(process: str, *, service: str | None, version: str) -> Process:
    """Return the description of this process."""
    replayed = replayed_run()
    return {
        sc.SERVICE_NAME: well_formed(service or program_name()),
        sc.PROCESS_PID: os.getpid(),
        sc.HOST_NAME: socket.gethostname(),
        sc.SDK_NAME: sc.SCOPE_NAME,
        sc.SDK_LANGUAGE: "python",
        sc.SDK_VERSION: version,
        sc.PROCESS: process,
        sc.RUN_ID: this_run(),
        **({} if replayed is None else {sc.REPLAYED_RUN: replayed}),
    }


def program_name() -> str:
    """Return the name of this program: OpenTelemetry's setting, the application of a server, its script or module."""
    if name := os.environ.get("OTEL_SERVICE_NAME"):
        return name
    launcher = _started()
    return served_program(launcher, sys.argv[1:], os.environ.get("FLASK_APP")) or launcher


def _started() -> str:
    """Return the script or module that Python was started with."""
    script = sys.argv[0] if sys.argv else ""
    if script == "-m":
        return _module() or "python"
    stem = os.path.splitext(os.path.basename(script))[0]  # noqa: PTH119, PTH122 - argv may not be a path
    if stem == "__main__":
        stem = os.path.basename(os.path.dirname(script))  # noqa: PTH119, PTH120 - see above
    if stem and stem not in ("-c", "-"):
        return stem
    # pytest-xdist starts its workers by `python -c`.
    return "pytest" if "PYTEST_XDIST_WORKER" in os.environ and "_pytest" in sys.modules else "python"


def _module() -> str:
    """Return the module that ``python -m`` is about to run: Python only adds its file to ``argv`` later."""
    before = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    option = before[-1] if before else ""
    module = option.partition("m")[2] if option.startswith("-") else option
    return module.removesuffix(".__main__").rpartition(".")[2]


def served_program(launcher: str, words: Sequence[str], flask_app: str | None = None) -> str | None:
    """Return the module of the application that a server runs; None if it is no known server or names none."""
    if launcher in _BY_TARGET:
        found = (match[1] for word in words if (match := _TARGET.fullmatch(word)))
        return next((module for module in found if module not in _OF_OPTIONS), None)
    if launcher in _BY_OPTION:
        target = next(_apps(words), flask_app if launcher == "flask" else None)
        return _module_of(target) if target else None
    if launcher in _BY_MODULE and words and not words[0].startswith("-"):
        return _module_of(words[0])
    if launcher in _BY_FILE:
        return next((_module_of(word) for word in words if _FILE.fullmatch(word)), None)
    return None


def _apps(words: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        option, has_value, value = word.partition("=")
        if option in ("--app", "-A"):
            yield from (value,) if has_value else words[at + 1 : at + 2]


def _module_of(target: str) -> str | None:
    """Return the module of ``./shop.py``, ``shop:app`` or ``shop.main``."""
    name = os.path.basename(target)  # noqa: PTH119 - it may not be a path
    return name.partition(":")[0].removesuffix(".py") or None
