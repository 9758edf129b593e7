"""Pairs the hooks of calls, and keeps the tree of open calls.

A *before* hook opens a span and makes it the innermost of its context. *After* or *error* closes the span with the same
``call_id``, or else the innermost open span with that noun and identity (the name of the callee): first along this
context, then anywhere in the process. A call without a ``call_id`` may never get its end hook; it is abandoned when the
call above it ends, or when the asyncio task that it began in is done. Nothing here takes a lock, because a finalizer of
the application may emit a hook at any instruction, even in the middle of these functions.
"""

import os
from collections import OrderedDict
from collections.abc import Callable

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context

from inspector import semconv as sc
from inspector.record.calls.current import (
    current_chain,
    current_span,
    enter,
    foreign_parent,
    identity_of_foreign,
    innermost,
    leave,
    without_ended,
)
from inspector.record.calls.sdk_spans import sdk_span_at
from inspector.record.calls.served_request import ServedRequest, current_request, is_within
from inspector.record.calls.spans import Clock, Failure, Ids, RecordedSpan, State
from inspector.record.calls.tasks import Tasks, strand
from inspector.record.process.started_below import started_below

_MAX_LATE = 4096
"""How many abandoned calls are remembered in case their end hook still comes."""


class Calls:
    """The calls of this process that have begun and not ended.

    Args:
        changed: Called with every span that began, ended or was abandoned.
        clock: The source of times.
        ids: The source of ids.
        place: Called with each root of a request before it is announced.
    """

    def __init__(
        self,
        changed: Callable[[RecordedSpan], None],
        clock: Clock,
        ids: Ids,
        place: Callable[[RecordedSpan], None] = lambda _: None,
    ) -> None:
        self._changed = changed
        self._place = place
        self._below = started_below(os.environ)
        self._clock = clock
        self._ids = ids
        self._open: dict[int, RecordedSpan] = {}
        self._by_call: dict[tuple[str, str], RecordedSpan] = {}
        self._by_identity: dict[tuple[str, object], dict[int, RecordedSpan]] = {}
        self._late: OrderedDict[int, RecordedSpan] = OrderedDict()
        self._nouns: set[str] = set()
        self._tasks = Tasks(self._left)

    def begin(
        self, noun: str, identity: object, call_id: str | None, *, remote: trace.SpanContext | None = None
    ) -> RecordedSpan:
        """Open a span below the innermost open one of this context, or below ``remote``; it is not current yet."""
        clock = self._clock
        parent = innermost()
        outer = otel_context.get_current()
        span = RecordedSpan(noun, span_id=self._ids.span_id(), start_ns=clock.now_ns(), start_tick=clock.tick_ns())
        request = current_request()
        if request is not None and (remote is not None or not is_within(request, parent)):
            request = None
        # An empty context has nothing to look at.
        if request is not None or (bool(outer) if parent is None else outer is not parent.inner):
            parent, outer, remote = self._surroundings(request, parent, outer, remote)
        if parent is None and remote is None:
            remote = self._below
        if remote is not None:
            span.trace_id, span.parent_id = remote.trace_id, remote.span_id
            if parent is not None and parent.trace_id != remote.trace_id and not parent.is_quiet:
                span.links = (parent.get_span_context(),)
            parent = self._open.get(remote.span_id)
        elif parent is not None:
            span.trace_id, span.parent_id = parent.trace_id, parent.span_id
        else:
            span.trace_id = self._ids.trace_id()
        if parent is not None and parent.is_quiet:
            self.announce(parent)
        span.parent = parent
        span.outer = outer
        span.strand = strand()
        span.identity = identity
        span.call_id = call_id
        return span

    def _surroundings(
        self,
        request: ServedRequest | None,
        parent: RecordedSpan | None,
        outer: Context,
        remote: trace.SpanContext | None,
    ) -> tuple[RecordedSpan | None, Context, trace.SpanContext | None]:
        """Return the parent of a call, if that is more than the innermost call of its context."""
        current = current_span(outer)
        if isinstance(current, RecordedSpan):
            outer = without_ended(outer)
        around = sdk_span_at(outer)
        if around is not None:
            return around, outer, remote
        if request is not None and not request.is_left_out:
            parent = self.root_of(request, identity_of_foreign(current))
        return parent, outer, foreign_parent(current, parent) if remote is None else remote

    def begin_root(self, noun: str, call_id: str) -> RecordedSpan:
        """Open the root of a separate trace, which is not announced until a call below it begins.

        It is not current yet. When it has ended, the surrounding calls are current again.
        """
        clock = self._clock
        span = RecordedSpan(noun, span_id=self._ids.span_id(), start_ns=clock.now_ns(), start_tick=clock.tick_ns())
        span.trace_id = self._ids.trace_id()
        span.parent = innermost()
        span.outer = otel_context.get_current()
        span.call_id = call_id
        span.is_quiet = True
        return span

    def root_of(self, request: ServedRequest, remote: trace.SpanContext | None = None) -> RecordedSpan:
        """Return the span of a request, which is created and announced the first time.

        Args:
            request: The request.
            remote: The span of another instrumentation that is current in it, if any.
        """
        known = request.root.get(None)
        if known is not None:
            return known
        span = RecordedSpan(
            "request", span_id=self._ids.span_id(), start_ns=request.start_ns, start_tick=request.start_tick
        )
        remote = remote or request.remote
        span.trace_id = self._ids.trace_id() if remote is None else remote.trace_id
        span.parent_id = None if remote is None else remote.span_id
        span.parent = request.outer
        span.call_id = request.run
        span.direction = "inbound"
        span.before = request.facts_now()
        span.note(sc.RUN_ID, request.run)
        root = request.root.setdefault(None, span)
        if root is span:
            self._place(span)
            self._register(span)
            self._changed(span)
        return root

    def announce(self, span: RecordedSpan) -> None:
        """Announce a root that was quiet until now."""
        if span.is_quiet:
            span.is_quiet = False
            self._changed(span)

    def announce_all(self) -> None:
        """Announce every open root; otherwise the calls of a child process below it would have no parent."""
        request = current_request()
        if request is not None and not request.is_left_out and sdk_span_at() is None:
            self.root_of(request)
        for span in tuple(self._open.values()):
            self.announce(span)

    def open(self, span: RecordedSpan) -> None:
        """Add a span, make it the innermost of this context, and announce it."""
        self._register(span)
        if span.call_id is None:
            self._tasks.follow(span)
        parent = span.parent
        if parent is not None:
            if parent.children is None:
                parent.children = set()
            parent.children.add(span)
        enter(span)
        if not span.is_quiet:
            self._changed(span)

    def pass_by(self, span: RecordedSpan) -> None:
        """Add a call without duration and children; its end hook may still come."""
        self._register(span)
        span.stop_ns = span.start_ns
        span.state = "ok"
        self._keep_late(span)
        self._changed(span)

    def merge(self, span: RecordedSpan, into: RecordedSpan) -> None:
        """Merge a call into the span that already represents it and will show its facts."""
        self._register(span)
        span.into = into
        if into.merged is None:
            into.merged = []
        into.merged.append(span)

    def _register(self, span: RecordedSpan) -> None:
        self._open[span.span_id] = span
        if span.call_id is not None:
            self._nouns.add(span.noun)
            self._by_call[span.noun, span.call_id] = span
        else:
            self._by_identity.setdefault((span.noun, span.identity), {})[span.span_id] = span

    def _forget(self, span: RecordedSpan) -> bool:
        # Popping is atomic: if two threads end the same span, one of them gets it.
        if self._open.pop(span.span_id, None) is None and self._late.pop(span.span_id, None) is None:
            return False
        if span.task is not None:
            span.task.open.pop(span.span_id, None)
        if span.call_id is not None:
            self._by_call.pop((span.noun, span.call_id), None)
        else:
            key = (span.noun, span.identity)
            alike = self._by_identity.get(key)
            if alike is not None:
                alike.pop(span.span_id, None)
                if not alike:
                    self._by_identity.pop(key, None)
        return True

    def with_id(self, noun: str, call_id: str) -> RecordedSpan | None:
        """Return the open call with this id, or None."""
        return self._by_call.get((noun, call_id))

    def find(
        self, noun: str, identity: object, *, subject: int | None = None, without_id: bool = False
    ) -> RecordedSpan | None:
        """Return the open call that a later hook refers to by identity, or None.

        Args:
            noun: The noun of the hook.
            identity: The name of the callee.
            subject: The ``id()`` of the callee, whose name may have changed meanwhile.
            without_id: Whether the hook has an id, so that it ends no call that began with another id.
        """
        renamed: RecordedSpan | None = None
        for span in current_chain():
            if span.noun != noun or (without_id and span.call_id is not None):
                continue
            if span.identity == identity and self._awaited(span):
                return span
            if renamed is None and subject is not None and span.subject == subject and self._awaited(span):
                renamed = span
        if renamed is not None:
            return renamed
        alike = tuple(self._by_identity.get((noun, identity), {}).values())
        for span in reversed(alike):
            if span.span_id in self._open:
                return span
        return alike[-1] if alike else None

    def _awaited(self, span: RecordedSpan) -> bool:
        return span.span_id in self._open or span.span_id in self._late

    def find_any(self, noun: str) -> RecordedSpan | None:
        """Return the innermost open call of ``noun`` in this context, whatever its identity."""
        for span in current_chain():
            if span.noun == noun and span.span_id in self._open:
                return span
        return None

    def by_span_id(self, span_id: int) -> RecordedSpan | None:
        """Return the open call with this span id; a span of the SDK is recorded below it."""
        span = self._open.get(span_id)
        if span is not None and span.is_quiet:
            self.announce(span)
        return span

    def by_call_id(self, call_id: str) -> RecordedSpan | None:
        """Return the open call with this id, whatever its noun; of several, the one that began first."""
        alike = [span for noun in tuple(self._nouns) if (span := self.with_id(noun, call_id)) is not None]
        return min(alike, key=lambda span: span.start_tick, default=None)

    def finish(self, span: RecordedSpan, state: State, failure: Failure | None = None, *, stop_tick: int) -> bool:
        """End a call for good, and return False if it had already ended; open calls below it become ``abandoned``.

        ``stop_tick`` is the clock's tick at the end hook, read before its values were copied.
        """
        if not self.claim(span):
            return False
        self.conclude(span, state, failure, stop_tick=stop_tick)
        return True

    def claim(self, span: RecordedSpan) -> bool:
        """Reserve the end of a call; False if another hook did. The call stays the innermost one until `conclude`."""
        if not self._forget(span):
            return False
        span.is_ending = True
        return True

    def conclude(self, span: RecordedSpan, state: State, failure: Failure | None = None, *, stop_tick: int) -> None:
        """End a claimed call, see `finish`."""
        stop_ns = span.start_ns + max(0, stop_tick - span.start_tick)
        span.failure = failure
        span.stop_ns = stop_ns
        span.is_ending = span.is_outliving = False
        if span.written == state == "abandoned":
            # Abandoned for good, with what is known of it now.
            span.written = "running"
        # Last, because to the writer's thread the state means that everything else is set.
        span.state = state
        if span.children:
            self._abandon_children(span, stop_ns)
        leave(span)
        # It refers to the span, and the cycle would have to wait for the garbage collector.
        span.inner = None
        self._unlink(span)
        for part in span.merged or ():
            self._forget(part)
        if span.into is None and not span.is_quiet:
            self._changed(span)

    def end_open(self, noun: str, call_id: str, state: State, *, stop_tick: int) -> None:
        """End a call of this context, whether or not its end is reserved."""
        for span in current_chain():
            if (span.noun, span.call_id) == (noun, call_id) and (span.is_ending or self._awaited(span)):
                self._forget(span)
                self.conclude(span, state, stop_tick=stop_tick)
                return

    def _unlink(self, span: RecordedSpan) -> None:
        """Remove a call from the tree, with those above it that were kept only for it."""
        parent = span.parent
        while parent is not None and parent.children is not None:
            parent.children.discard(span)
            if parent.children or parent.state == "running" or self._awaited(parent):
                return
            span, parent = parent, parent.parent

    def _evict(self, span: RecordedSpan) -> None:
        """Stop waiting for the end hook of an abandoned call."""
        span.is_outliving = False
        self._forget(span)
        for part in span.merged or ():
            self._forget(part)
        if not span.children:
            self._unlink(span)

    def _abandon_children(self, span: RecordedSpan, stop_ns: int) -> None:
        waiting = list(span.children or ())
        while waiting:
            child = waiting.pop()
            waiting.extend(child.children or ())
            self._abandon(child, stop_ns)
            # Its emitter will end it; until then, what begins there is below it.
            child.is_outliving = child.call_id is not None and child.strand != span.strand and self._awaited(child)

    def _left(self, span: RecordedSpan) -> None:
        self._abandon(span, span.start_ns + max(0, self._clock.tick_ns() - span.start_tick))

    def _abandon(self, span: RecordedSpan, stop_ns: int) -> None:
        if span.span_id in self._open and self._keep_late(span):
            span.stop_ns = max(stop_ns, span.start_ns)
            span.state = "abandoned"
            if not span.is_quiet:
                self._changed(span)

    def _keep_late(self, span: RecordedSpan) -> bool:
        """Keep an abandoned call, so that a late end hook finds it: a background task may outlive the call above it."""
        self._late[span.span_id] = span
        if self._open.pop(span.span_id, None) is None:
            self._late.pop(span.span_id, None)
            return False
        while len(self._late) > _MAX_LATE:
            self._evict(next(iter(self._late.values())))
        return True

    def clear(self) -> None:
        """Forget every open call, since in a forked child they belong to the parent process."""
        self._open.clear()
        self._by_call.clear()
        self._by_identity.clear()
        self._late.clear()
        self._tasks.clear()
