"""Requests to a server in the program; each is a run of its own if something is recorded in it.

A server and its framework both see a request, and so do nested applications: the first one opens it, and the others do
nothing.
"""

from collections.abc import Mapping
from typing import Any, Final

from inspector.integrations.propagation import caller_in
from inspector.logger import warn_of_error_once
from inspector.record.attach import attached
from inspector.record.calls.current import innermost
from inspector.record.calls.served_request import ServedRequest, current_request
from inspector.record.calls.spans import State
from inspector.record.calls.states import state_of
from inspector.record.recorder import Recorder
from instrument.signals import is_of_signal

_FAILED: Final = 500


class Served:
    """One request, from its arrival to the end of its response."""

    def __init__(self, recorder: Recorder, recorded: ServedRequest) -> None:
        self._recorder = recorder
        self.recorded = recorded
        self.status: int | None = None
        """The status of the response, once it began."""
        self.is_left = False
        """Whether the client disconnected before the end of the response."""

    def ended(self, exc: BaseException | None = None) -> None:
        """End the request, normally or with an exception; never raises."""
        try:
            exc = exc or self.recorded.exc
            facts = self.recorded.facts
            self.recorded.facts = facts if self.status is None else {**facts, "status": self.status}
            self._recorder.end_request(self.recorded, exc, state=self._state(exc))
            # Its traceback keeps the program's frames alive.
            self.recorded.exc = None
        except Exception as error:  # the boundary to the program
            if is_of_signal(error):
                raise
            warn_of_error_once("the end of a request could not be recorded")

    def _state(self, exc: BaseException | None) -> State:
        if self.is_left:
            return "cancelled"
        if exc is not None:
            return state_of(exc)
        return "error" if self.status is not None and self.status >= _FAILED else "ok"


def arrived(method: str, path: str, headers: Mapping[str, Any], *, at_server: bool = False) -> Served | None:
    """Begin a request; None if it has begun already, is part of a call, or nothing is recorded.

    Args:
        method: The HTTP method, or ``WEBSOCKET``.
        path: Without the query.
        headers: Only those of the trace context are read.
        at_server: Whether a listening server calls this: an open call then encloses the server. Otherwise the request
            may come from this process, as part of the open call.
    """
    try:
        attachment = attached()
        if attachment is None or current_request() is not None or (not at_server and innermost() is not None):
            return None
        recorder = attachment.recorder
        remote = caller_in(headers) if headers else None
        return Served(recorder, recorder.begin_request({"method": method, "path": path}, remote))
    except Exception as error:  # the boundary to the program
        if is_of_signal(error):
            raise
        warn_of_error_once("a request could not be recorded")
        return None


def failed(exc: BaseException) -> None:
    """Note the exception of the current request: frameworks turn it into a page, so the server does not see it."""
    request = current_request()
    if request is not None:
        request.exc = exc
