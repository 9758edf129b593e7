"""What the controller decided about a model call over HTTP: one decision for all attempts of its client."""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from inspector.integrations.tracebacks import raised_elsewhere
from instrument.control import HttpAnswer

Attempt: TypeAlias = HttpAnswer | Exception
"""The outcome of one attempt: a response, or an exception of its client."""

_SENT: Final = object()
"""Stands for the body that the program sends."""


class Decision:
    """The decision about a call.

    Args:
        attempts: The outcomes of its attempts, in order; None to make the attempts.
        body: A body to send instead, as plain data.
        error: The refusal, which every attempt raises, including retries.
    """

    def __init__(
        self, attempts: Iterator[Attempt] | None = None, *, body: Any = _SENT, error: Exception | None = None
    ) -> None:
        self._attempts = attempts
        self._body = body
        self._error = error

    @property
    def changes(self) -> bool:
        """Whether to send another body."""
        return self._body is not _SENT

    @property
    def body(self) -> Any:
        """The body to send instead."""
        return self._body

    def keep(self) -> None:
        """Let the attempts send the program's request, which contains the other body by now."""
        self._body = _SENT

    def attempt(self) -> HttpAnswer | None:
        """Return the outcome of the next attempt; None to make it.

        Raises:
            Exception: The call was refused, or this is the outcome of the attempt.
            RuntimeError: The controller has too few outcomes.
        """
        if self._error is not None:
            raised_elsewhere(self._error)
            raise self._error
        if self._attempts is None:
            return None
        recorded = next(self._attempts, None)
        if recorded is None:
            raise RuntimeError("the controller's answer has fewer attempts than the client makes")
        if isinstance(recorded, Exception):
            raised_elsewhere(recorded)
            raise recorded
        return recorded
