"""What shows the values of one family as plain data, and what it needs of the copy in progress."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias

from inspector.plain import Plain


class Walk(Protocol):
    """The copy in progress, as far as a family needs it."""

    left: int
    """How many items may still be taken."""

    def copy(self, value: Any, depth: int) -> Plain:
        """A plain copy of a part."""
        ...

    def entries(self, value: dict[object, object], size: int, depth: int) -> dict[str, Plain]:
        """A plain copy of a dictionary's entries."""
        ...

    def some(self, items: Iterator[Any], size: int, depth: int) -> list[Plain]:
        """Plain copies of the first of ``size`` items, and a marker in place of the others."""
        ...

    def text(self, value: str) -> str:
        """The text within the limits, as an exact ``str``."""
        ...


Family: TypeAlias = Callable[[Any, Walk, int], Plain]
"""Takes a value, the copy in progress and how deep the value lies in it."""
