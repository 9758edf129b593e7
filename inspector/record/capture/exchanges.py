"""The HTTP exchanges of a model's client, as a hook reports them when the call ends."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, cast

from inspector.plain import Plain
from inspector.record.values.failures import error_text
from inspector.record.values.layouts import class_path
from inspector.record.values.short_text import short_text

_ENDS: Final = frozenset(("whole", "left", "failed"))


class Exchange(NamedTuple):
    """One attempt of a model call, as it was when the call ended."""

    status: int | None
    """None if there was no response."""
    headers: dict[str, Plain]
    pieces: tuple[bytes, ...] | None
    """The body; None if it was too long to be kept, or has an unknown encoding."""
    at_ns: tuple[int, ...]
    """When each piece arrived, since the request was sent; empty if the body was not streamed."""
    end: str
    error: dict[str, Plain] | None
    """The exception of the client, as its class and message."""

    @property
    def weight(self) -> int:
        """Return how many bytes of bodies it holds."""
        return sum(map(len, self.pieces or ()))


def exchanges_of(values: Mapping[str, Any]) -> tuple[Exchange, ...]:
    """Return the exchanges in the values of a hook; it shares the bodies, since nobody changes them."""
    exchanges = values.get("exchanges")
    if type(exchanges) is not list:
        return ()
    return tuple(_exchange(each) for each in cast("list[Any]", exchanges) if type(each) is dict)


def _exchange(keywords: Any) -> Exchange:
    status, pieces, at_ns, exc, message = (keywords.get(name) for name in ("status", "pieces", "at_ns", "exc", "said"))
    sent = keywords.get("headers")
    headers = cast("dict[Any, Any]", sent) if type(sent) is dict else {}
    are_bytes = type(pieces) is list and all(type(each) is bytes for each in cast("list[Any]", pieces))
    are_times = type(at_ns) is list and all(type(each) is int for each in cast("list[Any]", at_ns))
    return Exchange(
        status if type(status) is int else None,
        {name: short_text(value) for name, value in headers.items() if type(name) is str},
        tuple(cast("list[bytes]", pieces)) if are_bytes else None,
        tuple(cast("list[int]", at_ns)) if are_times else (),
        end if (end := keywords.get("end")) in _ENDS else "left",
        _error(exc, message) if isinstance(exc, BaseException) else None,
    )


def _error(exc: BaseException, message: Any) -> dict[str, Plain]:
    return {"class": class_path(type(exc)), "message": message if type(message) is str else error_text(exc)}
