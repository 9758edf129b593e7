"""What a type hint comes to: the schema of its JSON, and the way from that JSON to the Python value."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from toolkit.errors import Problem

T = TypeVar("T")

Read = Callable[[Any], Any]
"""Returns the Python value of a JSON value; raises ``Unfit``."""

TEXT_LIMIT = 60


class Unfit(ValueError):
    """A JSON value is not one of the hinted type."""

    def __init__(self, expected: str, *path: str | int) -> None:
        super().__init__(expected)
        self.expected = expected
        self.path = path

    def inside(self, step: str | int) -> "Unfit":
        """Return the same, seen from the container."""
        return Unfit(self.expected, step, *self.path)

    def problem(self) -> Problem:
        """Return it as what the model reads."""
        return Problem(path_text(self.path), self.expected)


@dataclass(frozen=True, slots=True)
class Shape:
    """One type hint, understood."""

    schema: dict[str, Any]
    read: Read
    same: bool = False
    """The JSON value of a valid one is the Python value, so that nobody needs to read it."""


def path_text(path: Iterable[str | int]) -> str:
    """Return a path as people write it: ``filters[0].city``."""
    told = ""
    for step in path:
        if isinstance(step, int):
            told += f"[{step}]"
        else:
            told += f".{step}" if told else step
    return told


def found(value: object) -> str:
    """Name a JSON value with its type, shortened: ``the string 'x'``."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the string {shortened(repr(value))}"
    if isinstance(value, int | float):
        return f"the number {shortened(_digits(value))}"
    if isinstance(value, list):
        return f"an array of {len(cast('list[Any]', value))}"
    if isinstance(value, dict):
        return f"an object with {_keys(cast('dict[Any, Any]', value))}"
    return f"a Python {type(value).__name__}"


def _digits(value: float) -> str:
    try:
        return str(value)
    except ValueError:  # more digits than Python writes
        return f"of {cast('int', value).bit_length()} bits"


def _keys(value: dict[Any, Any]) -> str:
    if not value:
        return "nothing in it"
    return shortened(", ".join(shortened(repr(key)) for key, _ in zip(value, range(8), strict=False)))


def shortened(text: str) -> str:
    """Return ``text`` cut to what a message can carry."""
    return text if len(text) <= TEXT_LIMIT else f"{text[:TEXT_LIMIT]}…"


def one_of(kinds: type[T] | tuple[type[T], ...], expected: str, *, but: type | None = None) -> Read:
    """Return a reader that takes instances of ``kinds`` as they are."""

    def read(value: Any) -> Any:
        if isinstance(value, kinds) and not (but is not None and isinstance(value, but)):
            return value
        raise Unfit(f"expected {expected}, found {found(value)}")

    return read
