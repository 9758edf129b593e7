"""Finds the program that a command line starts."""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspector.launch.errors import ProgramNotExecutable, ProgramNotFound

_PYTHON = re.compile(r"python(3(\.\d+)?)?")
_OPTIONS_OF_PYTHON = ("-m", "-c")
"""Options that make Python itself run something: https://docs.python.org/3/using/cmdline.html#interface-options."""
_NO_MAIN = "it is a directory without a __main__.py"
_ISOLATING = re.compile(r"-[a-zA-Z]*[IES][a-zA-Z]*")
_OF_JAVASCRIPT = {"node": (".js", ".mjs", ".cjs"), "npx tsx": (".ts", ".mts", ".cts", ".tsx")}
_OF_PYTHON = (".py", ".pyz", ".zip")
_RUNNERS = ("npx", "pnpx", "bunx")
"""Programs that run the program of a package of npm."""
_PACKAGES = {
    "@anthropic-ai/claude-code": "claude",
    "@github/copilot": "copilot",
    "@google/gemini-cli": "gemini",
    "@openai/codex": "codex",
    "opencode-ai": "opencode",
}
"""Packages of coding agents, and what their programs are called."""
_VERSION = re.compile(r"(?<=.)@.*")
_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")
_OF_TOOLS = ("uv-receipt.toml", "pipx_metadata.json")
"""Files in the environment of a command that uv or pipx installed apart from all programs."""
_CACHED = "archive-v"
"""The beginning of the name of the directory with the environments that ``uvx`` makes."""


@dataclass(frozen=True, slots=True)
class Program:
    """A file to execute, and its arguments."""

    path: str
    arguments: tuple[str, ...]
    """The first is the program's own name (``argv[0]``)."""

    @property
    def name(self) -> str:
        """What it is called; what ``npx`` runs, if that is a coding agent."""
        name = Path(self.path).name
        if name not in _RUNNERS:
            return name
        package = _VERSION.sub("", next((word for word in self.arguments[1:] if not word.startswith("-")), ""))
        return _PACKAGES.get(package, package if package in _PACKAGES.values() else name)

    @property
    def isolation(self) -> str | None:
        """The option by which this Python leaves ``PYTHONPATH`` or ``site`` out, and the recorder with them."""
        if not _PYTHON.fullmatch(Path(self.arguments[0]).name):
            return None
        options = iter(self.arguments[1:])
        for option in options:
            if option in _WITH_VALUE:
                next(options, None)
            elif not option.startswith("-") or option in ("-", "--", *_OPTIONS_OF_PYTHON):
                return None
            elif _ISOLATING.fullmatch(option.partition("W")[0].partition("X")[0]):
                return option
        return None


def program_of(words: Sequence[str], environ: Mapping[str, str]) -> Program:
    """Find a Python file, ``-m module``, ``-c code``, or a program on the path or in this environment.

    Raises:
        ProgramNotFound: There is no such program.
        ProgramNotExecutable: It may not be executed.
    """
    first = words[0]
    if first[:2] in _OPTIONS_OF_PYTHON or (_is_for_python(first) and not _is_named_as_command(first, environ)):
        interpreter = interpreter_of(environ, Path(sys.prefix)) or sys.executable
        return Program(interpreter, (interpreter, *words))
    if first.endswith(".py") and not os.path.lexists(first):
        where = "" if Path(first).is_absolute() else f" in {Path.cwd()}"
        raise ProgramNotFound(f"cannot run {first}: there is no such file{where}")
    path, called = _find(first, environ)
    return Program(path, (called, *words[1:]))


def interpreter_of(environ: Mapping[str, str], prefix: Path) -> str | None:
    """Return the Python on the path if the inspector is installed in ``prefix`` apart from all programs, else None."""
    if not prefix.parent.name.startswith(_CACHED) and not any((prefix / each).exists() for each in _OF_TOOLS):
        return None
    # uvx puts its own environment in front.
    places = environ.get("PATH", os.defpath).split(os.pathsep)
    others = os.pathsep.join(each for each in places if Path(each).resolve() != (prefix / "bin").resolve())
    return shutil.which("python", path=others) or shutil.which("python3", path=others)


def _is_for_python(place: str) -> bool:
    path = Path(place)
    return (path / "__main__.py").is_file() if path.is_dir() else path.suffix in _OF_PYTHON and path.is_file()


def _is_named_as_command(place: str, environ: Mapping[str, str]) -> bool:
    """Tell whether a directory has the name of a command, such as a package in its checkout."""
    return os.sep not in place and Path(place).is_dir() and _command(place, environ) is not None


def _find(name: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the path of a program, and its name."""
    if not name:
        raise ProgramNotFound("cannot run '': give a program")
    if os.sep in name:
        return _executable(name), name
    command = _command(name, environ)
    if command is not None:
        return command
    if Path(name).is_dir():
        raise ProgramNotExecutable(f"cannot run {name}: {_NO_MAIN}")
    if Path(name).is_file():
        how = _way_of_javascript(name) or f"./{name}"
        raise ProgramNotFound(f"cannot run {name}: it is not on PATH; for the file here: inspector run {how}")
    raise ProgramNotFound(f"cannot run {name}: there is no such program on PATH")


def _command(name: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    path = shutil.which(name, path=environ.get("PATH", os.defpath))
    if path is not None:
        return path, name
    # Programs installed next to the inspector are found too if their environment is not on the path.
    beside = shutil.which(name, path=str(Path(sys.executable).parent))
    return None if beside is None else (beside, beside)


def _executable(place: str) -> str:
    if not os.path.lexists(place):
        raise ProgramNotFound(f"cannot run {place}: there is no such file")
    if Path(place).is_dir():
        raise ProgramNotExecutable(f"cannot run {place}: {_NO_MAIN}")
    if not os.access(place, os.X_OK):
        way = _way_of_javascript(place)
        how = f"to run it: inspector run {way}" if way else f"a Python file: inspector run python {place}"
        raise ProgramNotExecutable(f"cannot run {place}: it is not executable; {how}")
    return place


def _way_of_javascript(place: str) -> str | None:
    """Return the words that run a file of JavaScript or TypeScript; None for another file."""
    return next((f"{way} {place}" for way, ends in _OF_JAVASCRIPT.items() if place.endswith(ends)), None)
