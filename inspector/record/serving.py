"""The requests that this process answers: each is a run of its own as soon as a call is recorded in it.

Nothing is put into OpenTelemetry's context for a request, so that a server span of another instrumentation is made as
it is without us, and a request in which nothing is recorded costs no more than a context variable.
"""

from collections.abc import Callable
from contextvars import ContextVar, Token

from opentelemetry import trace

from inspector.plain import Plain
from inspector.record.spans import RecordedSpan

Facts = dict[str, Plain]

_answered: "ContextVar[Serving | None]" = ContextVar("inspector_answered_request", default=None)


class Serving:
    """One request, from its arrival to the end of its answer.

    Args:
        run: The id of the run that it is.
        facts: What is known of it as it arrives: ``method`` and ``path``.
        start_ns: When it arrived, since the epoch.
        start_tick: The same by the monotonic clock.
        outer: The call that was open around it, as around a server that was started in one.
        remote: The caller's span, where the request carries one.
    """

    __slots__ = (
        "exc",
        "facts",
        "is_over",
        "is_told",
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
        """Returns the pattern of the route that it took, once that is known."""
        self.root: dict[None, RecordedSpan] = {}
        """Its span, once there is one: set in one step, since several threads may work for a request."""
        self.exc: BaseException | None = None
        """What it failed by, where a framework made an answer of that."""
        self.is_told = False
        """Whether no span of ours is to be made of it: another one stands for it, or it is the inspector's own."""
        self.is_over = False

    def known(self) -> Facts:
        """Return what is known of it by now."""
        route = None if self.route is None else self.route()
        return self.facts if route is None else {**self.facts, "route": route}


def answer(request: Serving | None) -> None:
    """Have what is recorded from now on in this context belong to a request."""
    _answered.set(request)


def enter(request: Serving | None) -> "Token[Serving | None]":
    """Have a thread work for a request, until it leaves that."""
    return _answered.set(request)


def leave(token: "Token[Serving | None]") -> None:
    """Work for what this thread worked for before, in the context that `enter` was called in."""
    _answered.reset(token)


def answered() -> Serving | None:
    """Return the request that is being answered here."""
    request = _answered.get()
    return None if request is None or request.is_over else request


def is_within(request: Serving, parent: RecordedSpan | None) -> bool:
    """Tell whether nothing that is open was begun in the request, so that a call here is directly below it."""
    return parent is None or parent is request.outer or parent.start_tick < request.start_tick


def leave_out() -> None:
    """Make no run of the request that is being answered here."""
    request = _answered.get()
    if request is not None:
        request.is_told = True
