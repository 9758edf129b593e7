"""The seam for what may change a call: one controller a process, asked before each call that it can do something about.

The bus observes and changes nothing. A controller lets a call go on, has it made with other arguments, answers in its
place, or fails it: a breakpoint, an approval, a mock, a budget. ``install`` is for controllers; ``ask`` and
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
    """A call that is about to be made, as its controller sees it. What is in it is the emitter's own: do not change it.

    Args:
        noun: What is called, as the hooks name it: ``tool_call``, ``llm_generate``.
        name: The tool's name, the model's, a URI.
        args: The arguments; of a model call its request, as the hooks have it (``prompt``).
        call_id: The one of the call's hooks.
        emitter: Who asks: an integration, ``toolkit``; None for the application.
        subject: The emitter's own object of what is called, such as a tool.
        read_only: Whether the call is declared to change nothing; False where nobody says so.
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
    """A decision: let the call go on.

    Args:
        args: Other arguments for it, of the same shape; those that it has where none are given.
        by: Who decided, where that was not the controller itself, such as a person.
    """

    __slots__ = ("_args", "by")

    def __init__(self, args: object = _UNCHANGED, *, by: str | None = None) -> None:
        self._args = args
        self.by = by

    @property
    def changes(self) -> bool:
        """Whether it has arguments."""
        return self._args is not _UNCHANGED

    def args_for(self, proposal: Proposal) -> object:
        """Return the arguments that the call is to be made with."""
        return proposal.args if self._args is _UNCHANGED else self._args


class Answer:
    """A decision: do not make the call, and give this to whoever made it.

    Args:
        value: What the call would have returned, in the shape that the emitter's documentation names.
        by: Who decided, where that was not the controller itself.
    """

    __slots__ = ("by", "value")

    def __init__(self, value: object, *, by: str | None = None) -> None:
        self.value = value
        self.by = by


class HttpAnswer:
    """What an HTTP endpoint of a model is made to answer: its client parses it as if it had come.

    Args:
        body: All of it, or a stream in its pieces.
        status: Of HTTP.
        headers: Those that parsing needs; by default ``content-type``, JSON or of several pieces events of a stream.
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
    """Raised by a controller to refuse a call; whoever made the call gets it.

    Args:
        reason: Why, for whoever made the call: a model may read it.
        by: Who decided, where that was not the controller itself.
    """

    def __init__(self, reason: str, *, by: str | None = None) -> None:
        super().__init__(reason)
        self.by = by


class ControllerInstalled(RuntimeError):
    """There is a controller already; a process has one."""


Controller = Callable[[Proposal], object]
"""Decides about calls, synchronously or not: returns ``Proceed``, ``Answer``, or None to let the call go on.

What it raises, the call raises: ``Denied`` to refuse it, anything else to have it fail by that.
"""


class Installed:
    """A controller in its place; leaving it as a context manager removes it.

    Args:
        decide: The controller.
        name: What the record of a call names it by.
    """

    __slots__ = ("decide", "name")

    def __init__(self, decide: Controller, name: str) -> None:
        self.decide = decide
        self.name = name

    def remove(self) -> None:
        """Take the controller away; calls that it is deciding about are still decided by it."""
        global controller  # noqa: PLW0603 - one a process
        with _lock:
            if controller is self:
                controller = None

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


controller: Installed | None = None
"""Who decides; None where nobody does. The guard for emitters: ``if control.controller is not None``."""

_lock = threading.Lock()
_is_deciding: ContextVar[bool] = ContextVar("instrument_is_deciding", default=False)


def install(decide: Controller, *, name: str | None = None) -> Installed:
    """Have every call that can be controlled decided by a controller, until it is removed.

    Args:
        decide: The controller. It is asked in the context of the call, from any thread, about several calls at once.
            One that waits should be a coroutine function: it may take minutes. Nobody is asked about calls that it
            makes itself.
        name: What it is called in the record of a call; by default the function's own name.

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
    """What was decided about a call that goes on or is answered.

    Args:
        args: The arguments to make the call with.
        answer: What to give back instead of making it.
    """

    __slots__ = ("answer", "args")

    def __init__(self, args: object, answer: Answer | None = None) -> None:
        self.args = args
        self.answer = answer


Report = Callable[..., object]
"""Takes the keyword ``controlled`` of the hooks that end the call."""


async def ask(proposal: Proposal, report: Report) -> Ruling:
    """Have a call decided on.

    Args:
        proposal: The call.
        report: Called with what was done as ``controlled``, before this returns or raises: ``Call.set`` of ``around``.

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
    """Do the same in a plain function or a thread, which waits; a coroutine is run by a thread of its own.

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
            TypeError: It is no decision.
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
