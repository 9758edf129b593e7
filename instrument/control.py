"""Control over calls: the one controller of a process is asked before each call whose emitter supports it.

The bus observes and changes nothing. A controller lets a call proceed, changes its arguments, answers in its place, or
makes it fail: a breakpoint, an approval, a mock, a budget. ``install`` is for controllers; ``ask`` and
``ask_sync`` are for emitters.
"""

import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from types import TracebackType

from instrument._bus import is_awaitable

# For type checkers alone: importing typing would take longer than all of this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from instrument.keywords import Controlled, Verdict

__all__ = [
    "Answer",
    "Controller",
    "ControllerInstalled",
    "Denied",
    "HttpAnswer",
    "Installed",
    "Proceed",
    "Proposal",
    "Ruling",
    "ask",
    "ask_sync",
    "controller",
    "install",
]

_UNCHANGED = object()


class Proposal:
    """A call that is about to be made, as the controller sees it. Its values belong to the emitter: do not change them.

    Args:
        noun: The noun of its hooks: ``tool_call``, ``llm_generate``.
        name: The tool's name, the model's, a URI.
        args: The arguments; of a model call, its request as in the hooks (``prompt``).
        call_id: The id in the call's hooks.
        emitter: Who asks: an integration, ``toolkit``; None for the application.
        subject: The emitter's own object for the callee, such as a tool.
        read_only: Whether the call is declared to change nothing.
    """

    __slots__ = ("args", "call_id", "emitter", "name", "noun", "read_only", "subject")

    def __init__(
        self,
        noun: str,
        name: str,
        args: object,
        *,
        call_id: str | None = None,
        emitter: str | None = None,
        subject: object = None,
        read_only: bool = False,
    ) -> None:
        self.noun = noun
        self.name = name
        self.args = args
        self.call_id = call_id
        self.emitter = emitter
        self.subject = subject
        self.read_only = read_only

    def __repr__(self) -> str:
        return f"Proposal({self.noun!r}, {self.name!r}, {self.args!r})"


class Proceed:
    """A decision: let the call proceed.

    Args:
        args: Other arguments for it, of the same shape; by default its own.
        by: Who decided, if not the controller itself, such as a person.
    """

    __slots__ = ("_args", "by")

    def __init__(self, args: object = _UNCHANGED, *, by: str | None = None) -> None:
        self._args = args
        self.by = by

    @property
    def changes(self) -> bool:
        """Whether it has other arguments."""
        return self._args is not _UNCHANGED

    def args_for(self, proposal: Proposal) -> object:
        """Return the arguments for the call."""
        return proposal.args if self._args is _UNCHANGED else self._args


class Answer:
    """A decision: do not make the call, and return this instead.

    Args:
        value: What the call would have returned, in the form that the emitter's documentation names.
        by: Who decided, if not the controller itself.
    """

    __slots__ = ("by", "value")

    def __init__(self, value: object, *, by: str | None = None) -> None:
        self.value = value
        self.by = by


class HttpAnswer:
    """A response in place of a model's HTTP endpoint, which its client parses as if it had arrived.

    Args:
        body: The whole body, or the pieces of a stream.
        status: The HTTP status.
        headers: The headers that parsing needs; by default a ``content-type``: JSON, or events if there are pieces.
    """

    __slots__ = ("headers", "pieces", "status")

    def __init__(
        self, body: bytes | Iterable[bytes], *, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        pieces = (body,) if isinstance(body, bytes) else tuple(body)
        self.pieces: Iterable[bytes] = pieces
        self.status = status
        kind = "text/event-stream" if len(pieces) > 1 else "application/json"
        self.headers = {"content-type": kind} if headers is None else dict(headers)


class Denied(Exception):
    """Raised by a controller to refuse a call, and passed on to the caller.

    Args:
        reason: Why; a model may read it.
        by: Who decided, if not the controller itself.
    """

    def __init__(self, reason: str, *, by: str | None = None) -> None:
        super().__init__(reason)
        self.by = by


class ControllerInstalled(RuntimeError):
    """There is a controller already; a process has one."""


Controller = Callable[[Proposal], object]
"""Decides about calls, synchronously or not: returns ``Proceed``, ``Answer``, or None to let the call proceed.

The call raises what it raises: ``Denied`` to refuse the call, anything else to make it fail.
"""


class Installed:
    """An installed controller; as a context manager, it removes itself at the end.

    Args:
        decide: The controller.
        name: Its name in the record of a call.
    """

    __slots__ = ("decide", "name")

    def __init__(self, decide: Controller, name: str) -> None:
        self.decide = decide
        self.name = name

    def remove(self) -> None:
        """Remove the controller; it still decides about the calls that it was asked about before."""
        global controller  # noqa: PLW0603 - one a process
        with _lock:
            if controller is self:
                controller = None

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


controller: Installed | None = None
"""The controller; None if there is none. The guard for emitters: ``if control.controller is not None``."""

_lock = threading.Lock()
_is_deciding: ContextVar[bool] = ContextVar("instrument_is_deciding", default=False)


def install(decide: Controller, *, name: str | None = None) -> Installed:
    """Install a controller, which decides about every call that can be controlled until it is removed.

    Args:
        decide: The controller. It is asked in the context of the call, from any thread, about several calls at once.
            One that waits should be a coroutine function: it may take minutes. It is not asked about its own calls.
        name: Its name in the record of a call; by default the function's own name.

    Raises:
        ControllerInstalled: There is one already.
        TypeError: It cannot be called.
    """
    global controller  # noqa: PLW0603 - one a process
    if not callable(decide):
        raise TypeError(f"cannot install {decide!r} as controller: pass a function or another callable")
    with _lock:
        if controller is not None:
            raise ControllerInstalled(f"the controller {controller.name!r} is installed; remove it first")
        controller = Installed(decide, name or getattr(decide, "__qualname__", type(decide).__qualname__))
        return controller


class Ruling:
    """The decision about a call that proceeds or is answered.

    Args:
        args: The arguments to make the call with.
        answer: What to return instead of making it.
    """

    __slots__ = ("answer", "args")

    def __init__(self, args: object, answer: Answer | None = None) -> None:
        self.args = args
        self.answer = answer


Report = Callable[..., object]
"""Takes the keyword ``controlled`` of the hooks that end the call."""


async def ask(proposal: Proposal, report: Report) -> Ruling:
    """Ask the controller about a call.

    Args:
        proposal: The call.
        report: Called with the outcome as ``controlled``, before this returns or raises: ``Call.set`` of ``around``.

    Raises:
        Denied: The call is refused.
        BaseException: The controller raised it for the call to raise.
    """
    installed = controller
    if installed is None or _is_deciding.get():
        return Ruling(proposal.args)
    with _Decision(installed, proposal, report) as decision:
        decided = installed.decide(proposal)
        return decision.taken(await decided if is_awaitable(decided) else decided)  # pyright: ignore[reportGeneralTypeIssues, reportUnknownArgumentType] - just found out


def ask_sync(proposal: Proposal, report: Report) -> Ruling:
    """Like `ask`, in a plain function or a thread, which waits; a coroutine runs in a thread of its own.

    Raises:
        Denied: The call is refused.
        BaseException: The controller raised it for the call to raise.
    """
    installed = controller
    if installed is None or _is_deciding.get():
        return Ruling(proposal.args)
    with _Decision(installed, proposal, report) as decision:
        decided = installed.decide(proposal)
        if is_awaitable(decided):
            decided = _result_of(decided)  # pyright: ignore[reportArgumentType] - just found out
        return decision.taken(decided)


def _result_of(awaitable: Awaitable[object]) -> object:
    # Imported at the first coroutine, since it imports asyncio.
    from instrument._aside import result_of

    return result_of(awaitable)


class _Decision:
    """One question to a controller, from asking it to reporting what it did."""

    __slots__ = ("_by", "_changed_to", "_did", "_installed", "_proposal", "_report", "_started_ns", "_token")

    def __init__(self, installed: Installed, proposal: Proposal, report: Report) -> None:
        self._installed = installed
        self._proposal = proposal
        self._report = report
        self._did: Verdict = "raised"
        self._by: str | None = None
        self._changed_to = _UNCHANGED

    def taken(self, decided: object) -> Ruling:
        """Return what a controller's return value means.

        Raises:
            TypeError: It is not a decision.
        """
        if decided is None:
            self._did = "passed"
            return Ruling(self._proposal.args)
        if isinstance(decided, Answer):
            self._did, self._by = "answered", decided.by
            return Ruling(self._proposal.args, decided)
        if isinstance(decided, Proceed):
            self._did, self._by = "passed", decided.by
            if decided.changes:
                self._did, self._changed_to = "changed", decided.args_for(self._proposal)
            return Ruling(decided.args_for(self._proposal))
        name, kind = self._installed.name, type(decided).__name__
        raise TypeError(f"the controller {name!r} returned {kind}; return Proceed, Answer or None, or raise Denied")

    def __enter__(self) -> "Self":
        self._token = _is_deciding.set(True)
        self._started_ns = time.monotonic_ns()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        waited_ms = (time.monotonic_ns() - self._started_ns) / 1e6
        try:  # noqa: SIM105 - contextlib is not imported, as it would take longer than all of this package
            _is_deciding.reset(self._token)
        except ValueError:  # the coroutine is closed in another context than it ran in
            pass
        if isinstance(error, Denied):
            self._did, self._by = "denied", error.by
        controlled: Controlled = {
            "controller": self._installed.name,
            "did": self._did,
            "waited_ms": round(waited_ms, 3),
        }
        if self._by is not None:
            controlled["by"] = self._by
        if isinstance(error, Denied):
            controlled["reason"] = str(error)
        if self._changed_to is not _UNCHANGED:
            controlled["args"] = {"before": self._proposal.args, "after": self._changed_to}
        self._report(controlled=controlled)
