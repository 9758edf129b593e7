"""Which part of a sorted list is wanted."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from inspector.model import Order, RunSort, SessionSort, Sort, TraceSort

S = TypeVar("S", Sort, TraceSort, RunSort, SessionSort)


@dataclass(frozen=True, slots=True)
class Window(Generic[S]):
    """Which part of a list is wanted."""

    sort: S
    order: Order
    cursor: str | None
    limit: int
