"""The session id that spans are recorded under.

A session groups the traces of one conversation or job. Set it once where the conversation begins; calls made from
there, in tasks and in threads started with a copied context too, carry it.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_session_id: ContextVar[str | None] = ContextVar("inspector_session_id", default=None)


def get() -> str | None:
    """Return the session id of this context, or None when none was set."""
    return _session_id.get()


def set(session_id: str | None) -> None:  # noqa: A001 - the contract's name, used as inspector.context.set
    """Record what follows in this context under ``session_id``; None ends the session here."""
    _session_id.set(session_id)


@contextmanager
def bind(session_id: str) -> Generator[str]:
    """Record what happens inside the ``with`` block under ``session_id``, then return to the session before it."""
    outer = _session_id.get()
    _session_id.set(session_id)
    try:
        yield session_id
    finally:
        # Not reset by token: a generator that holds this block may be closed in another context.
        _session_id.set(outer)
