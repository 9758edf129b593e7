"""What a docstring says about a function and about each of its arguments: Google, NumPy or Sphinx style."""

import re
from dataclasses import dataclass, field
from textwrap import dedent

_SECTIONS = (
    "args|arguments|parameters|params|other parameters|keyword args|keyword arguments|returns?|raises|yields?|"
    "examples?|notes?|attributes|see also|references|warnings?|warns|todo|receives|methods"
)
_GOOGLE = re.compile(rf"^(?P<title>{_SECTIONS}):\s*$", re.IGNORECASE)
_NUMPY = re.compile(rf"^(?P<title>{_SECTIONS})\s*$", re.IGNORECASE)
_SPHINX = re.compile(r"^:(?P<kind>\w+)(?:\s+(?P<what>[^:]*))?:\s*(?P<text>.*)$")
_ARGUMENTS = ("args", "arguments", "parameters", "params", "other parameters", "keyword args", "keyword arguments")
_GOOGLE_ENTRY = re.compile(r"^\*{0,2}(?P<name>\w+)\s*(?:\((?P<type>.*?)\))?\s*:(?:\s+(?P<text>.*)|$)")
_NUMPY_ENTRY = re.compile(r"^(?P<names>\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")
_SPHINX_ARGUMENTS = ("param", "parameter", "arg", "argument", "key", "keyword")


@dataclass(frozen=True, slots=True)
class Documentation:
    """A docstring, read."""

    description: str = ""
    """Everything before the first section."""
    arguments: dict[str, str] = field(default_factory=dict[str, str])


def documentation(docstring: str | None) -> Documentation:
    """Read a docstring; what follows none of the three styles is description."""
    lines = _cleaned(docstring or "")
    start = next((index for index, _ in enumerate(lines) if _begins(lines, index)), len(lines))
    description = "\n".join(lines[:start]).strip()
    return Documentation(description, _arguments(lines[start:]))


def _cleaned(docstring: str) -> list[str]:
    first, _, rest = docstring.expandtabs().strip("\n").partition("\n")
    return [line.rstrip() for line in f"{first.strip()}\n{dedent(rest)}".splitlines()]


def _begins(lines: list[str], index: int) -> bool:
    line = lines[index]
    if _GOOGLE.match(line) and next(filter(None, lines[index + 1 :]), "").startswith(" "):
        return True
    if _is_numpy(lines, index):
        return True
    match = _SPHINX.match(line)
    return match is not None and match["kind"] in (*_SPHINX_ARGUMENTS, "return", "returns", "type", "rtype", "raises")


def _is_numpy(lines: list[str], index: int) -> bool:
    below = lines[index + 1] if index + 1 < len(lines) else ""
    return bool(_NUMPY.match(lines[index])) and len(below) >= 3 and not below.strip("-=")


def _arguments(lines: list[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    index = 0
    while index < len(lines):
        if match := _GOOGLE.match(lines[index]):
            end = _end(lines, index + 1)
            if match["title"].lower() in _ARGUMENTS:
                texts |= _google(lines[index + 1 : end])
        elif _is_numpy(lines, index):
            end = _end(lines, index + 2)
            if lines[index].strip().lower() in _ARGUMENTS:
                texts |= _numpy(lines[index + 2 : end])
        else:
            end = index + 1
            if (match := _SPHINX.match(lines[index])) and match["kind"] in _SPHINX_ARGUMENTS and match["what"]:
                while end < len(lines) and lines[end].startswith(" "):
                    end += 1
                texts[match["what"].split()[-1].lstrip("*")] = _joined([match["text"], *lines[index + 1 : end]])
        index = end
    return texts


def _end(lines: list[str], start: int) -> int:
    return next((index for index in range(start, len(lines)) if _begins(lines, index)), len(lines))


def _google(lines: list[str]) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    current: list[str] = []
    for line in dedent("\n".join(lines)).splitlines():
        match = _GOOGLE_ENTRY.match(line)
        if match:
            current = texts[match["name"]] = [match["text"] or ""]
        elif line and not line.startswith(" "):
            current = []
        else:
            current.append(line)
    return {name: _joined(text) for name, text in texts.items()}


def _numpy(lines: list[str]) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        if line.startswith(" "):
            current.append(line)
        elif match := _NUMPY_ENTRY.match(line):
            current = []
            texts |= dict.fromkeys((name.strip().lstrip("*") for name in match["names"].split(",")), current)
    return {name: _joined(text) for name, text in texts.items()}


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
