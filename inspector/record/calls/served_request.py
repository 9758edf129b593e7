"""The requests that this process answers: each becomes a run of its own when a call is recorded in it.

A request puts nothing into OpenTelemetry's context, so server spans of other instrumentations are the same as without
us, and a request without recorded calls costs only a context variable.
"""

from collections.abc import Callable
from contextvars import ContextVar, Token

from opentelemetry import trace

from inspector.plain import Plain
from inspector.record.calls.spans import RecordedSpan

Facts = dict[str, Plain]

_current: "ContextVar[ServedRequest | None]" = ContextVar("inspector_current_request", default=None)


class ServedRequest:
    """One request, from its arrival to the end of its response.

    Args:
        run: The id of its run.
        facts: What is known when it arrives: ``method`` and ``path``.
        start_ns: When it arrived, since the epoch.
        start_tick: The same by the monotonic clock.
        outer: The call that was open when it arrived, for example if the server was started in a call.
        remote: The caller's span, if the request names one.
    """

    __slots__ = (
        "exc",
        "facts",
        "is_left_out",
        "is_over",
        "outer",
        "remote",
        "root",
        "route",
        "run",
        "start_ns",
        "start_tick",
    )

    def __init__(
        self,
        run: str,
        facts: Facts,
        *,
        start_ns: int,
        start_tick: int,
        outer: RecordedSpan | None = None,
        remote: trace.SpanContext | None = None,
    ) -> None:
        self.run = run
        self.facts = facts
        self.start_ns = start_ns
        self.start_tick = start_tick
        self.outer = outer
        self.remote = remote
        self.route: Callable[[], str | None] | None = None
        """Returns the pattern of its route, once that is known."""
        self.root: dict[None, RecordedSpan] = {}
        """Its span, once there is one; set atomically, since several threads may work for a request."""
        self.exc: BaseException | None = None
        """The exception that it failed with, if a framework turned that into a response."""
        self.is_left_out = False
        """Whether it gets no span of ours, because it has another one, or because it is the inspector's own request."""
        self.is_over = False

    def facts_now(self) -> Facts:
        """Return what is known about it by now."""
        route = None if self.route is None else self.route()
        return self.facts if route is None else {**self.facts, "route": route}


def enter_request(request: ServedRequest | None) -> "Token[ServedRequest | None]":
    """Make later calls in this context belong to a request, until `leave_request`."""
    return _current.set(request)


def leave_request(token: "Token[ServedRequest | None]") -> None:
    """Undo `enter_request`, in the same context."""
    _current.reset(token)


def current_request() -> ServedRequest | None:
    """Return the request that is being answered here."""
    request = _current.get()
    return None if request is None or request.is_over else request


def is_within(request: ServedRequest, parent: RecordedSpan | None) -> bool:
    """Tell whether no open call was begun in the request, so that a new call is directly below it."""
    return parent is None or parent is request.outer or parent.start_tick < request.start_tick


def leave_out() -> None:
    """Leave the current request out of the recording."""
    request = _current.get()
    if request is not None:
        request.is_left_out = True
