"""Types of the functions that copy one family of values as plain data."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias

from inspector.plain import Plain


class Walk(Protocol):
    """The copy in progress, as these functions see it."""

    left: int
    """How many items may still be copied."""

    def copy(self, value: Any, depth: int) -> Plain:
        """Copy a part of the value."""
        ...

    def entries(self, value: dict[object, object], size: int, depth: int) -> dict[str, Plain]:
        """Copy the entries of a dictionary."""
        ...

    def some(self, items: Iterator[Any], size: int, depth: int) -> list[Plain]:
        """Copy the first of ``size`` items, with a marker for the rest."""
        ...

    def text(self, value: str) -> str:
        """Copy a text within the limits, as an exact ``str``."""
        ...


Family: TypeAlias = Callable[[Any, Walk, int], Plain]
"""Takes a value, the copy in progress, and the depth of the value."""
