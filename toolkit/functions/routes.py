"""Under which path a server offers a tool."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from toolkit.definition import require_route
from toolkit.plain import texts_of

T = TypeVar("T", bound=Callable[..., Any])

_MARK = "__toolkit_route__"


@dataclass(frozen=True, slots=True)
class Route:
    """A path with what a caller needs to use it."""

    path: str
    permissions: tuple[str, ...] = ()


def mcp_route(path: str, *, permissions: Iterable[str] = ()) -> Callable[[T], T]:
    """Offer a tool under ``path`` on servers; goes above or below ``@tool``.

    Args:
        path: As in ``/search``.
        permissions: What a caller has to have, all of them, beside what the tool itself asks for.
    """
    require_route(path)
    route = Route(path, texts_of(permissions, f"{path}, permissions"))

    def mark(function: T) -> T:
        routed = getattr(function, "routed", None)
        if routed is not None:
            routed(route)
        else:
            setattr(function, _MARK, route)
        return function

    return mark


def route_of(function: object) -> Route | None:
    """Return the route that ``mcp_route`` gave a plain function."""
    return getattr(function, _MARK, None)
