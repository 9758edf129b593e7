"""The requested page of a sorted list."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from inspector.model import Order, RunSort, SessionSort, Sort, TraceSort

S = TypeVar("S", Sort, TraceSort, RunSort, SessionSort)


@dataclass(frozen=True, slots=True)
class Window(Generic[S]):
    """The requested page of a list."""

    sort: S
    order: Order
    cursor: str | None
    limit: int
