"""What a docstring in Google's style says about a function and about each of its arguments."""

import re
from dataclasses import dataclass, field
from inspect import cleandoc
from itertools import pairwise
from textwrap import dedent

_ARGUMENTS = ("args", "arguments", "parameters", "params", "other parameters", "keyword args", "keyword arguments")
_OTHERS = (
    "returns?|raises|yields?|examples?|notes?|attributes|see also|references|warnings?|warns|todo|receives|methods"
)
_SECTION = re.compile(rf"^(?:{'|'.join(_ARGUMENTS)}|{_OTHERS}):\s*$", re.IGNORECASE)
_ENTRY = re.compile(r"^\*{0,2}(?P<name>\w+)\s*(?:\(.*?\))?\s*:(?:\s+(?P<text>.*)|$)")


@dataclass(frozen=True, slots=True)
class Documentation:
    """A docstring, read."""

    description: str = ""
    """Everything before the first section."""
    arguments: dict[str, str] = field(default_factory=dict[str, str])


def documentation(docstring: str | None) -> Documentation:
    """Read a docstring; what follows another style is description."""
    lines = [line.rstrip() for line in cleandoc(docstring or "").splitlines()]
    starts = [index for index in range(len(lines)) if _begins_section(lines, index)]
    arguments: dict[str, str] = {}
    for start, end in pairwise([*starts, len(lines)]):
        if lines[start].strip().rstrip(":").lower() in _ARGUMENTS:
            arguments |= _entries(lines[start + 1 : end])
    return Documentation("\n".join(lines[: (starts or [len(lines)])[0]]).strip(), arguments)


def _begins_section(lines: list[str], index: int) -> bool:
    return bool(_SECTION.match(lines[index])) and next(filter(None, lines[index + 1 :]), "").startswith(" ")


def _entries(lines: list[str]) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    current: list[str] = []
    for line in dedent("\n".join(lines)).splitlines():
        match = _ENTRY.match(line)
        if match:
            current = texts[match["name"]] = [match["text"] or ""]
        elif line and not line.startswith(" "):
            current = []
        else:
            current.append(line)
    return {name: " ".join(" ".join(text).split()) for name, text in texts.items()}
