"""How integrations report calls as hooks on the bus; no error here reaches the program.

A wrapper opens a call before it calls the framework's own function and ends it afterwards:

    with opened("tool_call", lambda: {"tool_name": tool.name, "args": arguments}, emitter="framework") as call:
        result = original(tool, arguments)
    call.ended(lambda: {"result": result})
    return result

Hooks are emitted synchronously, also from coroutines: the program's event loop is never used or waited for.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextvars import Context, ContextVar, Token, copy_context
from dataclasses import dataclass
from functools import wraps
from os import urandom
from time import monotonic_ns
from typing import Any, Final, Self, TypeAlias, TypeVar

from inspector.integrations.decision import Decision
from inspector.integrations.endings import Abandoned, Closed, Interrupted
from inspector.integrations.exchanges import Exchange
from inspector.integrations.tracebacks import without_ours
from inspector.integrations.trying import tried
from inspector.record.calls.states import state_of
from instrument import HOOKS, _emit_sync, enabled
from instrument.keywords import Noun

Keywords: TypeAlias = dict[str, Any]
Describe: TypeAlias = Callable[[], Keywords]
"""Reads a framework's objects; called once, and may raise."""

_Found = TypeVar("_Found")
_HOOKS: Final = {(hook.noun, hook.phase): hook for hook in HOOKS.values()}


@dataclass(frozen=True, slots=True)
class Model:
    """The argument ``llm`` of the hooks of a model call."""

    provider: str | None
    """A well-known value of ``gen_ai.provider.name``, for example ``openai``, ``anthropic``, ``gcp.gemini``."""
    model: str | None
    """The requested model."""
    operation: str = "chat"
    """A well-known value of ``gen_ai.operation.name``: ``chat``, ``text_completion``, ``embeddings``."""
    class_name: str | None = None
    """The class of the framework's own object."""
    url: str | None = None
    """The URL of the request, if known; only the version is recorded of its query."""


@dataclass(frozen=True, slots=True)
class Named:
    """The subject of an agent's or workflow's hooks, if the framework's own object would be misread."""

    name: str
    description: str | None = None
    workflow_type: str | None = None
    """The pattern, for example ``parallel``; only for workflows."""
    class_name: str | None = None
    """The class of the framework's own object."""


class Call:
    """One call reported by an integration; it ends once, and later ends are ignored.

    Until it ends, it encloses other calls of its context (see `enclosing`). As a context manager it is the innermost
    one here too, and fails with what is raised inside; after a success, call `ended`.
    """

    __slots__ = (
        "_context",
        "_keywords",
        "_leave",
        "_outside",
        "_started_ns",
        "call_id",
        "decision",
        "emitter",
        "exchanges",
        "is_decided",
        "is_open",
        "noun",
        "on_end",
        "parent",
        "subject",
        "was_closed",
    )

    def __init__(
        self, noun: Noun, keywords: Keywords, emitter: str, parent: "Call | None", context: Context | None
    ) -> None:
        self.noun = noun
        self.emitter = emitter
        self.parent = parent
        self.call_id = urandom(8).hex()
        self.is_open = True
        self.subject: object = None
        """The framework's own object, for integrations that identify calls by it; released at the end."""
        self.on_end: tuple[Callable[[], None], ...] = ()
        """Called before its after or error hook is emitted."""
        self.was_closed = False
        """Whether it has ended as a stream that its consumer closed."""
        self.decision: Decision | None = None
        """What the controller decided about a model call, once it was asked."""
        self.is_decided = False
        """Whether no controller is to be asked about a tool call, or its body is running."""
        self.exchanges: list[Exchange] = []
        """The responses that the HTTP client below it received, one per attempt; released at the end."""
        self._keywords = keywords
        self._context = context
        self._outside = None if context is None else context.copy()
        self._started_ns = monotonic_ns()

    def begin(self) -> None:
        """Start its clock: emitting the hook does not count."""
        self._started_ns = monotonic_ns()

    @property
    def seconds(self) -> float:
        """How long ago the call was opened."""
        return (monotonic_ns() - self._started_ns) / 1e9

    def inside(self) -> Context:
        """Return a copy of the context in which the call is innermost, else of the current context."""
        context = self._context
        return copy_context() if context is None else context.copy()

    def variables(self) -> dict[ContextVar[Any], Any]:
        """Return the variables that subscribers set in the call's own context when it opened."""
        inside, outside = self._context, self._outside
        if inside is None or outside is None:
            return {}
        return {each: value for each, value in inside.items() if outside.get(each, _UNSET) is not value}

    def enter(self) -> Callable[[], None]:
        """Make a call that was opened in its own context the innermost one here too.

        Returns:
            A function that restores the previous variables, except those set since.
        """
        entered = [(variable, value, variable.set(value)) for variable, value in self.variables().items()]

        def leave() -> None:
            for variable, value, token in entered:
                if variable.get(None) is value:
                    put_back(variable, token)

        return leave

    def __enter__(self) -> Self:
        self._leave = self.enter()
        return self

    def __exit__(self, kind: object, exc: BaseException | None, traceback: object) -> None:
        if exc is not None:
            self.failed(exc)
        self._leave()

    def keyword(self, name: str) -> Any:
        """Return an argument of the before hook; None if it was not given."""
        return self._keywords.get(name)

    def add(self, **keywords: Any) -> None:
        """Add keywords for the later hooks; later values win."""
        self._keywords |= keywords

    def ended(self, describe: Describe | None = None) -> None:
        """Emit the after hook, with the keywords that ``describe`` reads from the result."""
        if not self.is_open:
            return
        # Before the result is read: code that runs meanwhile, such as a stream's finalizer, must not end it again.
        self.is_open = False
        results: Keywords = {}
        try:
            if describe is not None:
                results = _described(describe)
        finally:
            # Also if a signal handler of the program leaves what is read.
            hook = _HOOKS[self.noun, "after"]
            keywords = dict.fromkeys(hook.keywords) | self._keywords | results
            if "duration_ms" in hook.keywords and keywords["duration_ms"] is None:
                keywords["duration_ms"] = (monotonic_ns() - self._started_ns) / 1e6
            self._emit(hook.name, keywords)

    def failed(self, exc: BaseException) -> None:
        """Emit the error hook; its class distinguishes a cancellation or a closed generator from an error."""
        if self.is_open:
            without_ours(exc)
            self.was_closed = isinstance(exc, GeneratorExit) and state_of(exc) == "ok"
            hook = _HOOKS[self.noun, "error"]
            self._emit(hook.name, dict.fromkeys(hook.keywords) | self._keywords | {"exc": exc})

    def closed(self) -> None:
        """Emit the error hook for a stream that the program closed early, which is not a failure."""
        self.failed(GeneratorExit())

    def abandoned(self) -> None:
        """Emit the error hook for abandoned work."""
        self.failed(Abandoned())

    def dropped(self) -> None:
        """Emit the error hook for a dropped stream: abandoned, unless the program closed that of the call above.

        A framework drops the stream that it reads from when the program closes the framework's own.
        """
        outer = self.parent
        if outer is None or outer.noun != self.noun:
            self.abandoned()
        elif outer.is_open:
            # Python drops the iterator of a loop before the framework can report why it left the loop.
            outer.on_end += (self.dropped,)
        elif outer.was_closed:
            self.failed(Closed())
        else:
            self.abandoned()

    def interrupted(self) -> None:
        """Emit the error hook for work that stops to wait, and starts again when it is resumed."""
        self.failed(Interrupted())

    def _emit(self, hook: str, keywords: Keywords) -> None:
        self.is_open = False
        for report in self.on_end:
            report()
        if self.exchanges:
            keywords["exchanges"] = [exchange.as_keywords() for exchange in self.exchanges]
        _emit_in(self._context, hook, keywords | {"call_id": self.call_id, "emitter": self.emitter})
        self._keywords = {}
        self.exchanges = []
        self._context = self._outside = self.subject = None


_UNSET: Final = object()


def put_back(variable: ContextVar[Any], token: Token[Any]) -> None:
    """Restore a variable, also in another context than the one in which it was set."""
    try:
        variable.reset(token)
    except (ValueError, RuntimeError):
        # Set in another context, as a generator continues in that of its consumer, or already restored in another one.
        if token.old_value is not Token.MISSING:
            variable.set(token.old_value)


_innermost: ContextVar[Call | None] = ContextVar("inspector_innermost_integrated_call", default=None)


def opened(
    noun: Noun, describe: Describe, *, emitter: str, context: Context | None = None, subject: object = None
) -> Call:
    """Emit the before hook of a call, and return the call, which the caller has to end.

    Args:
        noun: The noun of the hooks.
        describe: Returns the hook's keywords. If it raises, the hook is emitted without them.
        emitter: The integration, as `registry` names it. Only calls of different emitters can be duplicates.
        context: The context in which the call is the innermost, instead of the current one: a private copy for a
            stream, whose consumer continues outside of it, or for a framework that reports a call from elsewhere.
        subject: The framework's own object, for `is_reported` and `is_inside`.
    """
    keywords = _described(describe)
    parent = _innermost.get() if context is None else context.get(_innermost)
    while parent is not None and not parent.is_open:
        # Otherwise each call of a long-lived context would keep the previous one alive.
        parent = parent.parent
    call = Call(noun, keywords, emitter, parent, context)
    call.subject = subject
    if context is None:
        _innermost.set(call)
    else:
        context.run(_innermost.set, call)
    hook = _HOOKS[noun, "before"]
    late = _late_keywords(noun)
    early = {key: value for key, value in keywords.items() if key not in late}
    begun = dict.fromkeys(hook.keywords) | early | {"call_id": call.call_id, "emitter": emitter}
    try:
        _emit_in(context, hook.name, begun)
    except BaseException as exc:
        # Of a signal handler of the program: the caller does not get the call, to end it.
        call.failed(exc)
        raise
    call.begin()
    return call


async def awaited(call: Call, work: Awaitable[Any], describe: Callable[[Any], Keywords | BaseException]) -> Any:
    """Await the work of a call, and end the call with its outcome.

    Args:
        call: The call.
        work: The awaitable that the framework's own function returned.
        describe: Reads the result: returns keywords of the after hook, or the failure that it reports.
    """
    try:
        result = await work
    except BaseException as exc:
        call.failed(exc)
        raise
    conclude(call, describe, result)
    return result


def conclude(call: Call, describe: Callable[[Any], Keywords | BaseException], result: Any) -> None:
    """End a call whose function returned: well, or with the failure that ``describe`` finds in the result."""
    outcome: list[BaseException] = []

    def read() -> Keywords:
        described = describe(result)
        if isinstance(described, BaseException):
            outcome.append(described)
            return {}
        return described

    read.__qualname__ = getattr(describe, "__qualname__", read.__qualname__)
    try:
        results = _described(read)
    except BaseException as exc:
        call.failed(exc)
        raise
    if outcome:
        call.failed(outcome[0])
    else:
        call.ended(lambda: results)


def announce(hook: str, describe: Describe, context: Context | None = None) -> None:
    """Emit a hook outside calls: progress, cancellation, session events, notifications."""
    if enabled(hook):
        _emit_in(context, hook, dict.fromkeys(HOOKS[hook].keywords) | _described(describe))


def enclosing(noun: Noun) -> Iterator[Call]:
    """Yield the enclosing open calls of this kind, innermost first.

    An integration checks here whether another one has already reported its call.
    """
    for call in around_here():
        if call.noun == noun:
            yield call


def is_reported(noun: Noun, subject: object) -> bool:
    """Tell whether the innermost call of this kind has this subject: a method may call its superclass's."""
    return getattr(next(enclosing(noun), None), "subject", _UNSET) is subject


def is_inside(subject: object) -> bool:
    """Tell whether the innermost call of all has this subject, so that nothing else has come in between."""
    return getattr(next(around_here(), None), "subject", _UNSET) is subject


def around_here() -> Iterator[Call]:
    """Yield all enclosing open calls, innermost first."""
    call = _innermost.get()
    while call is not None:
        if call.is_open:
            yield call
        call = call.parent


def _late_keywords(noun: Noun) -> frozenset[str]:
    before, after, error = (_HOOKS[noun, phase].keywords for phase in ("before", "after", "error"))
    return frozenset(after + error).difference(before)


def _described(describe: Describe) -> Keywords:
    return tried(lambda: dict(describe()), describe, {}, "could not read a call; it is recorded without")


def safely(read: Callable[[], _Found], otherwise: _Found) -> _Found:
    """Return what ``read`` returns; if it raises, log that and return ``otherwise``."""
    return tried(read, read, otherwise, "could not read what a call is about")


def guarded(callback: Callable[..., None]) -> Callable[..., None]:
    """Keep exceptions of a callback from the framework; the first failure of each callback is logged."""

    @wraps(callback)
    def call_safely(*args: Any, **kwargs: Any) -> None:
        tried(lambda: callback(*args, **kwargs), callback, None, "could not record a call")

    return call_safely


def _emit_in(context: Context | None, hook: str, keywords: Keywords) -> None:
    if context is None:
        _emit_sync(hook, **keywords)
        return
    try:
        context.run(_emit_sync, hook, **keywords)
    except RuntimeError:
        # The context is in use, by another thread or further up: set its variables here instead.
        _emit_sync(hook, **keywords)
