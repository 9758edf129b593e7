"""How integrations report a call: hooks on the bus; no error in here reaches the program.

A wrapper opens a call before it calls the framework's own function and ends it afterwards:

    call = opened("tool_call", lambda: {"tool_name": tool.name, "args": arguments}, emitter="framework")
    try:
        result = original(tool, arguments)
    except BaseException as exc:
        call.failed(exc)
        raise
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
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from inspector.integrations.notices import warn_once
from inspector.integrations.tracebacks import without_ours
from instrument import HOOKS, _emit_sync, enabled
from instrument.keywords import Noun

if TYPE_CHECKING:
    from inspector.integrations.deciding import Decision
    from inspector.integrations.exchanges import Exchange

Keywords: TypeAlias = dict[str, Any]
Describe: TypeAlias = Callable[[], Keywords]
"""Reads a framework's objects; called once, and may raise."""

_Found = TypeVar("_Found")
_BEFORE: Final[dict[str, str]] = {hook.noun: hook.name for hook in HOOKS.values() if hook.phase == "before"}
_AFTER: Final[dict[str, str]] = {hook.noun: hook.name for hook in HOOKS.values() if hook.phase == "after"}
_ERROR: Final[dict[str, str]] = {hook.noun: hook.name for hook in HOOKS.values() if hook.phase == "error"}


@dataclass(frozen=True, slots=True)
class Model:
    """What the hooks of a model call carry as ``llm``."""

    provider: str | None
    """A well-known value of ``gen_ai.provider.name``, for example ``openai``, ``anthropic``, ``gcp.gemini``."""
    model: str | None
    """The one that was asked for."""
    operation: str = "chat"
    """A well-known value of ``gen_ai.operation.name``: ``chat``, ``text_completion``, ``embeddings``."""
    class_name: str | None = None
    """Of the framework's own object."""
    url: str | None = None
    """Where the request goes, where that is known; of its query no more than the version is recorded."""


@dataclass(frozen=True, slots=True)
class Named:
    """What the hooks of an agent or a workflow carry, where a framework's own object would be the wrong one to read."""

    name: str
    description: str | None = None
    workflow_type: str | None = None
    """The pattern, for example ``parallel``; for workflows alone."""
    class_name: str | None = None
    """Of the framework's own object."""


class Abandoned(GeneratorExit):
    """Nobody waits for the call any more, and nobody has closed it."""


class Interrupted(BaseException):
    """The call stopped to wait for somebody, such as one who approves of it; it is made anew when that has happened."""


class Call:
    """One call that an integration told of; ends once, whatever is said of it later.

    The call is what encloses other calls of its context until it ends, as `enclosing` tells.
    """

    __slots__ = (
        "_context",
        "_keywords",
        "_outside",
        "_started_ns",
        "call_id",
        "decision",
        "emitter",
        "exchanges",
        "is_decided",
        "is_open",
        "noun",
        "parent",
        "subject",
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
        """The framework's own object, for integrations that tell calls apart by it; let go of at the end."""
        self.decision: Decision | None = None
        """What the controller decided about a model call, once it was asked."""
        self.is_decided = False
        """Whether the controller was asked about a tool call, or its body has begun."""
        self.exchanges: list[Exchange] = []
        """What the HTTP client below it got, one an attempt; let go of at the end."""
        self._keywords = keywords
        self._context = context
        self._outside = None if context is None else context.copy()
        self._started_ns = monotonic_ns()

    def begin(self) -> None:
        """Count time from now on: telling of the call is no part of it."""
        self._started_ns = monotonic_ns()

    @property
    def seconds(self) -> float:
        """How long ago the call was opened."""
        return (monotonic_ns() - self._started_ns) / 1e9

    def inside(self) -> Context:
        """Return a copy of the context the call was opened in, where it is the innermost one; else of the current."""
        context = self._context
        return copy_context() if context is None else context.copy()

    def variables(self) -> dict[ContextVar[Any], Any]:
        """Return what was set in the call's own context as it was opened, by whoever listens to hooks."""
        inside, outside = self._context, self._outside
        if inside is None or outside is None:
            return {}
        return {each: value for each, value in inside.items() if outside.get(each, _UNSET) is not value}

    def enter(self) -> Callable[[], None]:
        """Make an open call that was opened in a context of its own the innermost one here as well.

        Returns:
            Puts back what was here before, but for what has been set anew since.
        """
        entered = [(variable, value, variable.set(value)) for variable, value in self.variables().items()]

        def leave() -> None:
            for variable, value, token in entered:
                if variable.get(None) is value:
                    _put_back(variable, token)

        return leave

    def keyword(self, name: str) -> Any:
        """Return what the before hook was given; None when it was not."""
        return self._keywords.get(name)

    def add(self, **keywords: Any) -> None:
        """Supply keywords of the later hooks before the end is known; later ones win."""
        self._keywords |= keywords

    def ended(self, describe: Describe | None = None) -> None:
        """Emit the after hook, with what ``describe`` reads of the result."""
        if not self.is_open:
            return
        # Before the result is read: what runs meanwhile, such as a finalizer of a stream, must not end it again.
        self.is_open = False
        results = {} if describe is None else _described(describe)
        hook = HOOKS[_AFTER[self.noun]]
        keywords = dict.fromkeys(hook.keywords) | self._keywords | results
        if "duration_ms" in hook.keywords and keywords["duration_ms"] is None:
            keywords["duration_ms"] = (monotonic_ns() - self._started_ns) / 1e6
        self._emit(hook.name, keywords)

    def failed(self, exc: BaseException) -> None:
        """Emit the error hook; a cancellation or a generator that was closed is told from an error by its class."""
        if self.is_open:
            without_ours(exc)
            hook = HOOKS[_ERROR[self.noun]]
            self._emit(hook.name, dict.fromkeys(hook.keywords) | self._keywords | {"exc": exc})

    def closed(self) -> None:
        """Emit the error hook for a stream that the program closed before its end, which is a good end."""
        self.failed(GeneratorExit())

    def abandoned(self) -> None:
        """Emit the error hook for work that nobody waits for any more, such as a stream that was dropped."""
        self.failed(Abandoned())

    def interrupted(self) -> None:
        """Emit the error hook for work that stops to wait for somebody, and begins anew when it is resumed."""
        self.failed(Interrupted())

    def _emit(self, hook: str, keywords: Keywords) -> None:
        self.is_open = False
        if self.exchanges:
            keywords["exchanges"] = [exchange.told() for exchange in self.exchanges]
        _emit_in(self._context, hook, keywords | {"call_id": self.call_id, "emitter": self.emitter})
        self._keywords = {}
        self.exchanges = []
        self._context = self._outside = self.subject = None


class Entrance:
    """Makes a call that was opened in a context of its own the innermost one for as long as its code runs here.

    For a stream, which runs a part whenever its consumer asks, in the consumer's context: what the parts set in the
    variables that the call has set is kept from the consumer in between, and given back to the next part.
    """

    def __init__(self, call: Call) -> None:
        self._inside = call.variables()
        self._tokens: list[tuple[ContextVar[Any], Token[Any]]] = []
        self._depth = 0

    def __enter__(self) -> None:
        self._depth += 1
        if self._depth == 1:
            self._tokens = [(variable, variable.set(value)) for variable, value in self._inside.items()]

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            for variable, token in self._tokens:
                self._inside[variable] = variable.get(None)
                _put_back(variable, token)
            self._tokens = []


_UNSET: Final = object()


def _put_back(variable: ContextVar[Any], token: Token[Any]) -> None:
    try:
        variable.reset(token)
    except ValueError:
        # Set in another context: a generator goes on in whichever its consumer is.
        if token.old_value is not Token.MISSING:
            variable.set(token.old_value)


_innermost: ContextVar[Call | None] = ContextVar("inspector_innermost_integrated_call", default=None)


def opened(noun: Noun, describe: Describe, *, emitter: str, context: Context | None = None) -> Call:
    """Emit the before hook of a call, and return the call to be ended.

    Args:
        noun: What is called.
        describe: Returns the hook's keywords. When it raises, the call is told of without them.
        emitter: The integration, as `registry` names it: two of one may not be the same call, those of two may.
        context: Where the call is to be the innermost one, instead of in the current context: a private copy for a
            stream, whose consumer goes on outside of it, or for a framework that tells of a call from elsewhere.
    """
    keywords = _described(describe)
    parent = _innermost.get() if context is None else context.get(_innermost)
    while parent is not None and not parent.is_open:
        # Else each call of a long-lived context would hold on to the one before it.
        parent = parent.parent
    call = Call(noun, keywords, emitter, parent, context)
    if context is None:
        _innermost.set(call)
    else:
        context.run(_innermost.set, call)
    hook = HOOKS[_BEFORE[noun]]
    late = _late_keywords(noun)
    given = {key: value for key, value in keywords.items() if key not in late}
    identity = {"call_id": call.call_id, "emitter": emitter}
    _emit_in(context, hook.name, dict.fromkeys(hook.keywords) | given | identity)
    call.begin()
    return call


async def awaited(call: Call, work: Awaitable[Any], describe: Callable[[Any], Keywords | BaseException]) -> Any:
    """Await the work of a call, and end the call with what came of it.

    Args:
        call: The call.
        work: What the framework's own function returned.
        describe: Reads the result: returns keywords of the after hook, or the failure that the result tells of.
    """
    try:
        result = await work
    except BaseException as exc:
        call.failed(exc)
        raise
    conclude(call, describe, result)
    return result


def conclude(call: Call, describe: Callable[[Any], Keywords | BaseException], result: Any) -> None:
    """End a call whose result was returned: well, or with the failure that ``describe`` finds in the result."""
    outcome: list[BaseException] = []

    def read() -> Keywords:
        found = describe(result)
        if isinstance(found, BaseException):
            outcome.append(found)
            return {}
        return found

    read.__qualname__ = getattr(describe, "__qualname__", read.__qualname__)
    results = _described(read)
    if outcome:
        call.failed(outcome[0])
    else:
        call.ended(lambda: results)


def told(hook: str, describe: Describe) -> None:
    """Emit a hook that is no call: progress, cancellation, the stations of a session."""
    if enabled(hook):
        _emit_in(None, hook, dict.fromkeys(HOOKS[hook].keywords) | _described(describe))


def enclosing(noun: Noun) -> Iterator[Call]:
    """Yield the open calls of this kind around here, the innermost first.

    For an integration below another one, to see that the call it is about to tell of has been told of.
    """
    for call in around_here():
        if call.noun == noun:
            yield call


def is_told(noun: Noun, subject: object) -> bool:
    """Tell whether the innermost call of this kind is one of ``subject``: a method's part in its own subclass's."""
    call = next(enclosing(noun), None)
    return call is not None and call.subject is subject


def around_here() -> Iterator[Call]:
    """Yield every open call around here, the innermost first."""
    call = _innermost.get()
    while call is not None:
        if call.is_open:
            yield call
        call = call.parent


def _late_keywords(noun: Noun) -> frozenset[str]:
    before, after, error = (HOOKS[names[noun]].keywords for names in (_BEFORE, _AFTER, _ERROR))
    return frozenset(after + error).difference(before)


def _described(describe: Describe) -> Keywords:
    try:
        return dict(describe())
    # The border to a framework, whose objects may be of a version that nobody has seen.
    except Exception:  # noqa: BLE001
        warn_once(f"{_place(describe)} could not read a call; it is recorded without")
        return {}


def safely(read: Callable[[], _Found], otherwise: _Found) -> _Found:
    """Return what is read of a framework's or a program's object; ``otherwise`` where that raises, which is logged."""
    try:
        return read()
    # As above.
    except Exception:  # noqa: BLE001
        warn_once(f"{_place(read)} could not read what a call is about")
        return otherwise


def guarded(callback: Callable[..., None]) -> Callable[..., None]:
    """Keep what goes wrong in a callback from the framework that calls it; each callback's first failure is logged."""

    @wraps(callback)
    def told_safely(*args: Any, **kwargs: Any) -> None:
        try:
            callback(*args, **kwargs)
        # As above.
        except Exception:  # noqa: BLE001
            warn_once(f"{_place(callback)} could not tell of a call")

    return told_safely


def _place(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", "an integration")


def _emit_in(context: Context | None, hook: str, keywords: Keywords) -> None:
    if context is None:
        _emit_sync(hook, **keywords)
        return
    try:
        context.run(_emit_sync, hook, **keywords)
    except RuntimeError:
        # The context is being run in, by another thread or further up: its variables are set where we are.
        _emit_sync(hook, **keywords)
