"""The session id that spans are recorded under.

A session groups the traces of one conversation or job. Set it once where the conversation begins; calls made from
there, in tasks and in threads started with a copied context too, carry it.
"""

import sys
from contextlib import ContextDecorator
from contextvars import ContextVar
from copy import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uuid import UUID

_session_id: ContextVar[str | None] = ContextVar("inspector_session_id", default=None)


def text(session_id: object) -> str | None:
    """Return a session id as the text under which it is recorded; None for none.

    Raises:
        TypeError: It is neither text nor a whole number nor a ``uuid.UUID``.
    """
    uuid = sys.modules.get("uuid")
    if session_id is None or isinstance(session_id, str):
        return session_id
    if type(session_id) is int or (uuid is not None and isinstance(session_id, uuid.UUID)):
        return str(session_id)
    raise TypeError(f"a session id is text, not {type(session_id).__name__}: pass str(...) of what names the session")


def get() -> str | None:
    """Return the session id of this context, or None if there is none."""
    return _session_id.get()


def set(session_id: "str | int | UUID | None") -> None:  # noqa: A001 - the contract's name, used as inspector.context.set
    """Record what follows in this context under ``session_id``; None ends the session here.

    Whole numbers and UUIDs are converted to text.

    Raises:
        TypeError: It is anything else.
    """
    _session_id.set(text(session_id))


class bind(ContextDecorator):  # noqa: N801 - used as a function
    """Record what happens inside the ``with`` block under ``session_id``, then return to the previous session.

    No context manager of ``contextlib``, which sets the traceback of what it lets through: a frozen dataclass refuses.

    Raises:
        TypeError: See ``set``.
    """

    def __init__(self, session_id: "str | int | UUID") -> None:
        self._name = text(session_id)
        self._outer: str | None = None

    def _recreate_cm(self) -> "bind":
        # For each call of a decorated function.
        return copy(self)

    def __enter__(self) -> str:
        self._outer = _session_id.get()
        _session_id.set(self._name)
        return self._name or ""

    def __exit__(self, *_: object) -> None:
        # Not reset by token: a generator that holds this block may be closed in another context.
        _session_id.set(self._outer)
