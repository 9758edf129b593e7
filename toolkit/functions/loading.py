"""Functions that are named as ``module.py:function``: tools and middleware of cards and of decorators.

Loading a file runs it, with all that the process may do. A path may be absolute and may leave ``base_path``, since
whoever wrote the specification could do the same in the file itself: load only what you would run.
"""

import logging
import sys
import threading
from collections.abc import Callable
from itertools import count
from os import PathLike
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any, cast

from toolkit.errors import SpecInvalid, did_you_mean

_log = logging.getLogger("mcp.toolkit")
_lock = threading.RLock()
_numbers = count(1)
_loaded: dict[Path, tuple[bytes, ModuleType]] = {}


def load_callable(spec: str | Callable[..., Any], base_path: str | PathLike[str] | None = None) -> Callable[..., Any]:
    """Return the function that ``spec`` names, see ``load``; a callable is returned as it is.

    Raises:
        SpecInvalid: It is not written so, names nothing that can be called, or its file failed, in the line it says.
    """
    if isinstance(spec, str):
        function = load(spec, base_path)
        if not callable(function):
            raise SpecInvalid(f"{spec!r} is a {type(function).__name__}, which cannot be called")
        return function
    if not callable(cast("object", spec)):
        raise SpecInvalid(f"expected a function or 'module.py:function', not {type(cast('object', spec)).__name__}")
    return spec


def load(spec: str, base_path: str | PathLike[str] | None = None) -> Any:
    """Return what ``spec``, a ``module.py:name``, names, running its file unless that was done before.

    A file is run once for as long as it does not change, so that all of its functions share one module; its folder
    is not added to ``sys.path``. Nothing is written beside it. What it raises while it runs is logged at INFO, by the
    logger ``mcp.toolkit``, with the traceback. A relative path begins at ``base_path``, by default the current folder.
    """
    path, name = _path_and_name(spec, base_path)
    module = _module(path, spec)
    value = getattr(module, name, None)
    if value is None:
        public = [key for key in vars(module) if not key.startswith("_")]
        raise SpecInvalid(f"{spec!r}: {path} has no {name!r}{did_you_mean(name, public)}")
    return value


def _path_and_name(spec: str, base_path: str | PathLike[str] | None) -> tuple[Path, str]:
    written, _, name = spec.rpartition(":")
    if not written.endswith(".py") or not name.isidentifier():
        raise SpecInvalid(f"{spec!r} does not name a function; write it as 'module.py:function'")
    return Path(base_path or ".").expanduser() / Path(written), name


def _module(path: Path, spec: str) -> ModuleType:
    try:
        path = path.resolve(strict=True)
    except (OSError, ValueError):
        raise SpecInvalid(f"{spec!r}: there is no file {path.absolute()}") from None
    if not path.is_file():
        raise SpecInvalid(f"{spec!r}: {path} is not a file")
    source = path.read_bytes()
    with _lock:
        loaded = _loaded.get(path)
        if loaded is None or loaded[0] != source:
            _loaded[path] = loaded = (source, _run(path, source, spec))
        return loaded[1]


def _run(path: Path, source: bytes, spec: str) -> ModuleType:
    module = ModuleType(f"_toolkit_{path.stem}_{next(_numbers)}")
    module.__file__ = str(path)
    # Registered before it runs: dataclasses, pickle and typing look a class's module up by its name.
    sys.modules[module.__name__] = module
    try:
        # Not by a loader of Python's, which takes what it compiled before for as long as the second is the same.
        exec(compile(source, path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - what a card names is run
    except BaseException as error:
        del sys.modules[module.__name__]
        if not isinstance(error, Exception | SystemExit):
            raise
        why = f"{spec!r}: {path}:{_line(error, path)} failed while it was loaded: {type(error).__name__}: {error}"
        _log.info("cannot load %s", why, exc_info=error)
        raise SpecInvalid(why) from error
    return module


def _line(error: BaseException, path: Path) -> int:
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 1
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    return lines[-1] if lines else 1
