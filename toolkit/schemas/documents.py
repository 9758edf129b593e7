"""Reads YAML, alone or in front of Markdown, and remembers each part's line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from toolkit.errors import CardInvalid, CardProblem
from toolkit.extras import need
from toolkit.schemas.reading import Key, type_name

MOST_BYTES = 1 << 20
"""A declaration is written by hand; what is larger is something else."""

MOST_YAML = 1 << 17
"""Characters of YAML, which takes seconds to read where it is written to take long."""

_DEEPEST = 8
_FENCE = "---"


@dataclass(frozen=True, slots=True)
class Document:
    """A mapping as it was written, with the lines of its parts."""

    source: str
    """The file or address, for messages."""
    values: Mapping[str, Any]
    lines: Mapping[tuple[Key, ...], int]
    """Line of each part, by the keys that lead to it."""
    body: str | None = None
    """What follows the front matter of Markdown; None for plain YAML."""
    first_line: int = 1

    def line(self, *path: Key) -> int:
        """Return the line of a part, or of the nearest that is around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, self.first_line)

    def problem(self, message: str, *path: Key) -> CardProblem:
        """Return ``message`` as a problem of the part that ``path`` leads to."""
        return CardProblem(self.source, self.line(*path), message)


def decoded(data: bytes, source: str) -> str:
    """Return the text of a declaration."""
    if len(data) > MOST_BYTES:
        raise CardInvalid((CardProblem(source, 1, f"larger than {MOST_BYTES:,} bytes"),))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CardInvalid((CardProblem(source, line, "not valid UTF-8"),)) from error


def has_front_matter(text: str) -> bool:
    """Return whether Markdown begins with the line ``---``, which is what makes a card of it."""
    return text.lstrip().partition("\n")[0].rstrip() == _FENCE


def read_markdown(text: str, source: str) -> Document:
    """Read Markdown whose front matter is YAML."""
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if not lines or lines[start].rstrip() != _FENCE:
        raise CardInvalid((CardProblem(source, start + 1, "no front matter; a card begins with a line '---'"),))
    ends = (number for number in range(start + 1, len(lines)) if lines[number].rstrip() in (_FENCE, "..."))
    end = next(ends, None)
    if end is None:
        message = "the front matter does not end; close it with a line '---'"
        raise CardInvalid((CardProblem(source, start + 1, message),))
    front = "\n".join(lines[start + 1 : end])
    return _read(front, source, first_line=start + 2, body="\n".join(lines[end + 1 :]).strip())


def read_yaml(text: str, source: str) -> Document:
    """Read one YAML document."""
    return _read(text, source, first_line=1, body=None)


def parse(text: str, source: str, *, first_line: int = 1) -> tuple[Any, Any]:
    """Return the nodes of a YAML document, which know their lines, and its value; None for each of an empty one."""
    if len(text) > MOST_YAML:
        raise CardInvalid((CardProblem(source, first_line, f"more than {MOST_YAML} characters of YAML"),))
    yaml: Any = need("yaml", extra="toolkit", purpose=f"reading {source}")
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        return node, None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark is not None else 0)
        raise CardInvalid((CardProblem(source, line, f"not valid YAML: {error.problem or error.context}"),)) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = "too deep" if isinstance(error, RecursionError) else str(error).partition("\n")[0]
        raise CardInvalid((CardProblem(source, first_line, f"not valid YAML: {reason}"),)) from error


def _read(text: str, source: str, *, first_line: int, body: str | None) -> Document:
    node, value = parse(text, source, first_line=first_line)
    if value is None:
        return Document(source, {}, {}, body, first_line)
    if not isinstance(value, dict):
        message = f"expected 'key: value' lines, found {type_name(value)}"
        raise CardInvalid((CardProblem(source, first_line, message),))
    lines: dict[tuple[Key, ...], int] = {}
    if problems := list(_Lines(source, first_line, lines).of(node)):
        raise CardInvalid(tuple(problems))
    return Document(source, cast("dict[str, Any]", value), lines, body, first_line)


@dataclass(slots=True)
class _Lines:
    """Fills in the line of every part, and finds the keys that a reader would lose without a word."""

    source: str
    first_line: int
    lines: dict[tuple[Key, ...], int]
    _seen: set[int] = field(default_factory=set[int])

    def of(self, node: Any, path: tuple[Key, ...] = ()) -> Iterator[CardProblem]:
        # What aliases repeat is looked at once: repeated often enough it would never end.
        if len(path) > _DEEPEST or id(node) in self._seen:
            return
        self._seen.add(id(node))
        if node.id == "mapping":
            for key, value in node.value:
                yield from self._entry(key, value, path)
        elif node.id == "sequence":
            for index, value in enumerate(node.value):
                self.lines[(*path, index)] = self.first_line + value.start_mark.line
                yield from self.of(value, (*path, index))

    def _entry(self, key: Any, value: Any, path: tuple[Key, ...]) -> Iterator[CardProblem]:
        line = self.first_line + key.start_mark.line
        if key.id != "scalar" or key.tag.rpartition(":")[2] != "str":
            named = repr(key.value) if key.id == "scalar" else "in brackets"
            yield CardProblem(self.source, line, f"the key {named} is not text; put it into quotes")
            return
        here = (*path, str(key.value))
        if here in self.lines:
            message = f"the key {key.value!r} is given twice; it was first given in line {self.lines[here]}"
            yield CardProblem(self.source, line, message)
            return
        self.lines[here] = line
        yield from self.of(value, here)
