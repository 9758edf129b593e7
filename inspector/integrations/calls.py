"""How integrations tell of a call: hooks on the bus, and nothing that goes wrong here reaches the program.

A wrapper opens a call before it calls the framework's own function and ends it afterwards:

    call = opened("tool_call", lambda: {"tool_name": tool.name, "args": arguments})
    try:
        result = original(tool, arguments)
    except BaseException as exc:
        call.failed(exc)
        raise
    call.ended(lambda: {"result": result})
    return result

Hooks are emitted synchronously, also from coroutines: the program's event loop is never used or waited for.
"""

import logging
from collections.abc import Callable, Iterator
from contextvars import Context, ContextVar
from dataclasses import dataclass
from os import urandom
from time import monotonic_ns
from typing import Any, Final, TypeAlias

from instrument import HOOKS, _emit_sync, enabled
from instrument.keywords import Noun

Keywords: TypeAlias = dict[str, Any]
Describe: TypeAlias = Callable[[], Keywords]
"""Reads a framework's objects; called once, and may raise."""

_log = logging.getLogger("mcp.inspector")
_told: set[str] = set()

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


@dataclass(frozen=True, slots=True)
class Named:
    """What the hooks of an agent or a workflow carry, where a framework's own object would be the wrong one to read."""

    name: str
    description: str | None = None
    workflow_type: str | None = None
    """The pattern, for example ``parallel``; for workflows alone."""


class Call:
    """One call that an integration told of; ends once, whatever is said of it later.

    The call is what encloses other calls of its context until it ends, as `enclosing` tells.
    """

    __slots__ = ("_context", "_keywords", "_started_ns", "call_id", "is_open", "noun", "parent")

    def __init__(self, noun: Noun, keywords: Keywords, parent: "Call | None", context: Context | None) -> None:
        self.noun = noun
        self.parent = parent
        self.call_id = urandom(8).hex()
        self.is_open = True
        self._keywords = keywords
        self._context = context
        self._started_ns = monotonic_ns()

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
        results = {} if describe is None else _described(describe)
        hook = HOOKS[_AFTER[self.noun]]
        keywords = dict.fromkeys(hook.keywords) | self._keywords | results
        if "duration_ms" in hook.keywords and keywords["duration_ms"] is None:
            keywords["duration_ms"] = (monotonic_ns() - self._started_ns) / 1e6
        self._emit(hook.name, keywords)

    def failed(self, exc: BaseException) -> None:
        """Emit the error hook; a cancellation or a generator that was closed is told from an error by its class."""
        if self.is_open:
            hook = HOOKS[_ERROR[self.noun]]
            self._emit(hook.name, dict.fromkeys(hook.keywords) | self._keywords | {"exc": exc})

    def abandoned(self) -> None:
        """Emit the error hook for work that nobody waits for any more, such as a stream that was left early."""
        self.failed(GeneratorExit())

    def _emit(self, hook: str, keywords: Keywords) -> None:
        self.is_open = False
        _emit_in(self._context, hook, keywords | {"call_id": self.call_id})
        self._keywords = {}


_innermost: ContextVar[Call | None] = ContextVar("inspector_innermost_integrated_call", default=None)


def opened(noun: Noun, describe: Describe, *, context: Context | None = None) -> Call:
    """Emit the before hook of a call, and return the call to be ended.

    Args:
        noun: What is called.
        describe: Returns the hook's keywords. When it raises, the call is told of without them.
        context: Where the call is to be the innermost one, instead of in the current context: a private copy for a
            stream, whose consumer goes on outside of it, or for a framework that tells of a call from elsewhere.
    """
    keywords = _described(describe)
    parent = _innermost.get() if context is None else context.get(_innermost)
    call = Call(noun, keywords, parent, context)
    if context is None:
        _innermost.set(call)
    else:
        context.run(_innermost.set, call)
    hook = HOOKS[_BEFORE[noun]]
    late = _late_keywords(noun)
    given = {key: value for key, value in keywords.items() if key not in late}
    _emit_in(context, hook.name, dict.fromkeys(hook.keywords) | given | {"call_id": call.call_id})
    return call


def told(hook: str, describe: Describe) -> None:
    """Emit a hook that is no call: progress, cancellation, the stations of a session."""
    if enabled(hook):
        _emit_in(None, hook, dict.fromkeys(HOOKS[hook].keywords) | _described(describe))


def enclosing(noun: Noun) -> Iterator[Call]:
    """Yield the open calls of this kind around here, the innermost first.

    For an integration below another one, to see that the call it is about to tell of has been told of.
    """
    call = _innermost.get()
    while call is not None:
        if call.is_open and call.noun == noun:
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
        where = getattr(describe, "__qualname__", "an integration")
        if where not in _told:
            _told.add(where)
            _log.warning("%s could not read a call; it is recorded without", where, exc_info=True)
        return {}


def _emit_in(context: Context | None, hook: str, keywords: Keywords) -> None:
    if context is None:
        _emit_sync(hook, **keywords)
        return
    try:
        context.run(_emit_sync, hook, **keywords)
    except RuntimeError:
        # The context is being run in, by another thread or further up: its variables are set where we are.
        _emit_sync(hook, **keywords)
