"""The recorder: synchronous subscribers for every hook of the contract, which keep a span for each call."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from opentelemetry import trace

import instrument
from inspector import context
from inspector import semconv as sc
from inspector.reading.call_record import State
from inspector.record.calls import notices
from inspector.record.calls.cancelled import Cancelled
from inspector.record.calls.current import current_chain, innermost
from inspector.record.calls.ending import Closing
from inspector.record.calls.pairing import Calls
from inspector.record.calls.sdk_spans import SdkSpans
from inspector.record.calls.served_request import ServedRequest, enter_request
from inspector.record.calls.spans import Clock, Failure, Ids, RecordedSpan, failure_of
from inspector.record.calls.states import is_denied, is_refusal, state_of
from inspector.record.calls.tasks import lane
from inspector.record.capture.exchanges import exchanges_of
from inspector.record.capture.flagged import flagged_failure
from inspector.record.capture.hooks import CAPTURES, Capture, Facts, covers, ending, remote_parent
from inspector.record.capture.jsonrpc import is_notification, is_same_message
from inspector.record.capture.results import error_of, own_outcome_of, result_of
from inspector.record.mirror import Mirror
from inspector.record.moments import Moments
from inspector.record.spool.writer import SpoolWriter
from inspector.record.values.short_text import short_text
from inspector.record.values.snapshot import snapshot


class Recorder:
    """Keeps a span for each call that hooks announce."""

    def __init__(
        self,
        spool: SpoolWriter,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        mirror: Mirror | None = None,
        keeps_raw: bool = False,
        keeps_requests: bool = False,
    ) -> None:
        self._mirror = mirror
        self._keeps_raw = keeps_raw
        self._keeps_requests = keeps_requests
        self._ids = ids or Ids()
        self.spool = spool
        clock = clock or Clock()
        self._tick = clock.tick_ns
        self._clock = clock
        self._calls = Calls(self._changed, clock, self._ids, self._place)
        self.sdk_spans = SdkSpans(self._changed, self._calls.by_span_id, innermost)
        """Records the spans of a span processor of the OpenTelemetry SDK."""
        self.moments = Moments(self._put, clock, self._ids)
        """Records labels, and what ended the program."""
        self._ended_as_cancelled = Cancelled(self._calls)
        self._subscribers: list[tuple[str, Callable[..., object]]] = []
        for capture in CAPTURES:
            self._subscribers += (
                (capture.before_hook, self._on_before(capture)),
                (capture.after_hook, self._on_after(capture)),
                (capture.error_hook, self._on_error(capture)),
            )
        for name in ("session_started", "session_paused", "session_resumed", "session_finished"):
            self._subscribers.append((name, self._on_session(name)))
        self._subscribers += (("progress_update", self._progressed), ("operation_cancelled", self._cancelled))

    @property
    def unmatched(self) -> int:
        """The number of hooks that ended a call which was not open; the spool reports it."""
        return self.spool.losses.unmatched

    def subscribe(self) -> None:
        """Begin to record."""
        for name, subscriber in self._subscribers:
            # Before all other subscribers, so that they write to the call's own span.
            instrument._observe(name, subscriber)  # noqa: SLF001 - made for the recorder

    def unsubscribe(self) -> None:
        """Stop recording; open calls stay open in the spool, and become lost."""
        for name, subscriber in self._subscribers:
            instrument.unregister(name, subscriber)

    def restart(self, spool: SpoolWriter) -> None:
        """Continue in a forked child, with its own ids and spool; open calls belong to the parent."""
        self._ids.reseed()
        self._calls.clear()
        self.sdk_spans.forget()
        self.spool = spool

    def _put(self, span: RecordedSpan) -> None:
        # A forked child has another spool.
        self.spool.put(span)

    def _changed(self, span: RecordedSpan) -> None:
        self.moments.has_calls = True
        if self._mirror is not None and span.mirror is not None and span.state not in ("running", "abandoned"):
            mirror, span.mirror = span.mirror, None
            try:
                self._mirror.end(span, mirror)
            finally:
                self.spool.put(span)
            return
        self.spool.put(span)

    def _on_before(self, capture: Capture) -> Callable[..., None]:
        def before(**values: Any) -> None:
            facts = capture.before(values)
            inbound = values.get("direction") == "inbound"
            remote = remote_parent(facts.get("envelope")) if inbound else None
            span = self._calls.begin(capture.noun, capture.identity(values, facts), _call_id(values), remote=remote)
            if capture.noun == "llm_generate":
                # Distinguishes conversations with equal messages.
                facts["lane"] = list(lane())
            span.before = facts
            span.subject = capture.subject(values)
            span.emitter = short_text(values.get("emitter"))
            span.direction = "inbound" if inbound else "outbound"
            if type(at_ns := values.get("at_ns")) is int and 0 < at_ns < span.start_ns:
                span.start_ns, span.start_tick = at_ns, span.start_tick - (span.start_ns - at_ns)
            into = None if inbound else _already_open(span)
            if into is not None:
                self._calls.merge(span, into)
                return
            self._place(span)
            if capture.noun == "rpc_request" and is_notification(facts["envelope"]):
                self._calls.pass_by(span)
            else:
                self._calls.open(span)

        return before

    def begin_root(self, noun: str, name: str, run: str) -> RecordedSpan:
        """Begin a run: the root of a trace, which is recorded when a call below it begins."""
        span = self._calls.begin_root(noun, run)
        span.before = {"name": name}
        span.note(sc.RUN_ID, run)
        self._place(span)
        self._calls.open(span)
        return span

    def end_root(self, span: RecordedSpan, exc: BaseException | None) -> None:
        """End a run, with an exception or without."""
        stop_tick = self._tick()
        state = "ok" if exc is None else state_of(exc)
        failure = self.moments.failure_of_call(exc) if exc is not None and state == "error" else None
        self._calls.finish(span, state, failure, stop_tick=stop_tick)

    def begin_request(self, facts: Facts, remote: trace.SpanContext | None = None) -> ServedRequest:
        """Begin a request, of a ``method`` and a ``path``; later calls in this context belong to it."""
        clock = self._clock
        # From our own generator, which takes a tenth of the time of the system's.
        run = f"{self._ids.span_id():016x}"
        request = ServedRequest(
            run, facts, start_ns=clock.now_ns(), start_tick=clock.tick_ns(), outer=innermost(), remote=remote
        )
        enter_request(request)
        return request

    def end_request(self, request: ServedRequest, exc: BaseException | None, *, state: State) -> None:
        """End a request; one in which no call was recorded is recorded only if all are."""
        stop_tick = self._tick()
        root = request.root.get(None)
        if root is None and self._keeps_requests and not request.is_left_out:
            root = self._calls.root_of(request)
        request.is_over = True
        if root is None:
            return
        root.before = request.facts_now()
        status = root.before.get("status")
        failure = None
        if state == "error":
            answered = Failure(str(status), f"answered with status {status}")
            failure = answered if exc is None else self.moments.failure_of_call(exc)
        self._calls.finish(root, state, failure, stop_tick=stop_tick)

    def fail(self, exc: BaseException) -> None:
        """End the innermost call of this context, and all calls above it, with an exception that was not raised."""
        failure, tick = replace(failure_of(exc), frames=None), self._tick()
        for span in current_chain():
            self._calls.finish(span, "error", failure, stop_tick=tick)

    def announce(self) -> None:
        """Announce the open runs that are still quiet, before the process forks."""
        self._calls.announce_all()

    def _place(self, span: RecordedSpan) -> None:
        span.session_id = short_text(context.get()) or (None if span.parent is None else span.parent.session_id)
        notices.take(span)
        if self._mirror is not None:
            self._mirror.begin(span)

    def _ending(
        self, capture: Capture, end: Callable[[int, dict[str, Any]], Closing | None]
    ) -> Callable[..., Closing | None]:
        def ended(**values: Any) -> Closing | None:
            # First, because copying a large result must not count as time of the call.
            stop_tick = self._tick()
            try:
                return end(stop_tick, values)
            except BaseException:
                # Such as of a signal handler: no other hook comes, and what begins later would be below the call.
                exc, call_id = values.get("exc"), _call_id(values)
                if call_id is not None:
                    state = "ok" if exc is None else state_of(exc)
                    self._calls.end_open(capture.noun, call_id, state, stop_tick=stop_tick)
                raise

        return ended

    def _on_after(self, capture: Capture) -> Callable[..., Closing | None]:
        def after(stop_tick: int, values: dict[str, Any]) -> Closing | None:
            facts = capture.after(values)
            span = self._claimed(capture, values, facts)
            if span is None:
                return None
            span.after = facts
            if self._keeps_raw:
                own_outcome = own_outcome_of(capture.noun, values, facts)
                _note_raw(span, values, own_outcome or result_of(capture.noun, values, facts))
            _note_ending(span, values)
            failure = flagged_failure(facts, span.before)
            state: State = "denied" if is_denied(values) else "ok" if failure is None else "error"
            return Closing(self._calls, span, state, failure, _ended_at(span, values, stop_tick))

        return self._ending(capture, after)

    def _on_error(self, capture: Capture) -> Callable[..., Closing | None]:
        def error(stop_tick: int, values: dict[str, Any]) -> Closing | None:
            facts = capture.before(values) if capture.noun == "rpc_request" else {}
            span = self._claimed(capture, values, facts)
            if span is None:
                return None
            exc = values.get("exc")
            is_refused = is_denied(values) or (capture.noun == "tool_call" and is_refusal(exc))
            state = "denied" if is_refused else state_of(exc)
            if state == "ok":
                span.note(sc.CLOSED_EARLY, True)
            has_failed = state in ("error", "denied")
            failure = self.moments.failure_of_call(exc) if has_failed and isinstance(exc, BaseException) else None
            if values.get("response") is not None:
                # The part of an answer that arrived before the stream failed or was closed.
                span.after = capture.after(values)
            if self._keeps_raw:
                own_outcome = own_outcome_of(capture.noun, values, {})
                _note_raw(
                    span,
                    values,
                    own_outcome or (error_of(capture.noun, exc) if has_failed and "exchanges" not in values else None),
                )
            if not span.before:
                # A notification was written and released when it began.
                span.before = facts
            _note_ending(span, values)
            return Closing(self._calls, span, state, failure, _ended_at(span, values, stop_tick))

        return self._ending(capture, error)

    def _claimed(self, capture: Capture, values: dict[str, Any], facts: Facts) -> RecordedSpan | None:
        """Claim and return the call that an end hook belongs to; hooks without an open call are counted."""
        call_id = _call_id(values)
        if call_id is not None and self._ended_as_cancelled.claims_id(capture.noun, call_id):
            return None
        span = self._find(capture, values, facts, call_id)
        if call_id is None and self._ended_as_cancelled.has_any_without_id:
            identity = capture.identity(values, facts)
            if self._ended_as_cancelled.claims_identity(capture.noun, identity, span):
                return None
        if span is not None and self._calls.claim(span):
            return span
        self.spool.losses.unmatched += 1
        return None

    def _find(self, capture: Capture, values: dict[str, Any], facts: Facts, call_id: str | None) -> RecordedSpan | None:
        if call_id is not None and (span := self._calls.with_id(capture.noun, call_id)) is not None:
            return span
        identity = capture.identity(values, facts)
        if identity is None and capture.noun == "rpc_request":
            # A JSON-RPC response may have no id, such as an error of the transport.
            return self._calls.find_any(capture.noun)
        return self._calls.find(capture.noun, identity, subject=capture.subject(values), without_id=call_id is not None)

    def _on_session(self, hook: str) -> Callable[..., None]:
        def session(**values: Any) -> None:
            session_id = _session_id(values)
            if hook == "session_started" and session_id and context.get() is None:
                context.set(session_id)
            facts = {key: snapshot(values[key]) for key in ("session_id", "reason") if values.get(key) is not None}
            span = innermost()
            if span is None:
                notices.wait(hook, facts)
            else:
                if hook == "session_started" and span.session_id is None:
                    # It began before the session was named, and may be the last call of its trace.
                    span.session_id = context.get()
                span.record_event(hook, facts)
            if hook == "session_finished" and session_id and context.get() == session_id:
                context.set(None)

        return session

    def _progressed(self, **values: Any) -> None:
        facts = {key: snapshot(values.get(key)) for key in ("progress", "total", "message") if key in values}
        call_id = _call_id(values)
        span = (self._calls.by_call_id(call_id) if call_id is not None else None) or innermost()
        if span is None:
            self.spool.losses.unmatched += 1
        else:
            (span.into or span).record_event("progress_update", facts)

    def _cancelled(self, **values: Any) -> None:
        stop_tick = self._tick()
        call_id = _call_id(values)
        span = self._calls.by_call_id(call_id) if call_id is not None else innermost()
        if span is None:
            self.spool.losses.unmatched += 1
            return
        (span.into or span).record_event("operation_cancelled", {"reason": values.get("reason")})
        self._ended_as_cancelled.add(span)
        self._calls.finish(span, "cancelled", stop_tick=stop_tick)


def _session_id(values: dict[str, Any]) -> str | None:
    try:
        return context.text(values.get("session_id"))
    except TypeError:
        return None


def _call_id(values: dict[str, Any]) -> str | None:
    call_id = values.get("call_id")
    if call_id is None:
        return None
    return short_text(call_id) or (str(call_id) if type(call_id) is int else None)


def _note_raw(span: RecordedSpan, values: dict[str, Any], outcome: dict[str, Any] | None) -> None:
    """Keep what a replay returns: the result or the error of a call, and what a model's client received."""
    span.raw = outcome
    if "exchanges" in values and (exchanges := exchanges_of(values)):
        span.raw = {**(outcome or {}), "exchanges": exchanges}


def _note_ending(span: RecordedSpan, values: dict[str, Any]) -> None:
    """Keep the values of an end hook, in a new dictionary, since the writer may be reading the old one."""
    ended = ending(values)
    if ended:
        span.before = {**span.before, **ended}


def _ended_at(span: RecordedSpan, values: dict[str, Any], stop_tick: int) -> int:
    """Return the clock's tick at the end of a call: that of its hook, unless that reports an earlier end."""
    at_ns = values.get("at_ns")
    return min(span.start_tick + at_ns - span.start_ns, stop_tick) if type(at_ns) is int else stop_tick


def _already_open(request: RecordedSpan) -> RecordedSpan | None:
    if request.noun != "rpc_request":
        return None
    span, envelope = innermost(), request.before.get("envelope")
    if span is None:
        return None
    if span.noun == "rpc_request":
        # Two emitters may report the same message, such as a fork of mcp-agent and the MCP SDK below it.
        is_its = span.emitter != request.emitter and is_same_message(span.before.get("envelope"), envelope)
        return span if is_its else None
    return span if covers(span.noun, span.before, envelope) else None
