"""What a store has to answer, worked out from all spans by plain loops: any engine is held against it."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from types import MappingProxyType
from typing import Any

from oracle_filters import (
    as_text,
    asked_of_spans,
    holds,
    is_between,
    is_of_replay,
    is_of_type,
    meets_as_whole,
    starts,
    words_of,
)

from inspector.model import Event, Filter, Span
from inspector.store.values.sums import run_of_session

COMPLETE = ("ok", "error", "denied", "cancelled")
WORST_FIRST = ("running", "error", "lost", "abandoned", "cancelled", "ok")


def replaces(new: Span, old: Span) -> bool:
    if old.status == "running":
        return True
    return new.status in COMPLETE or (new.status == "abandoned" and old.status in ("lost", "abandoned"))


def named_model(span: Span) -> str | None:
    return span.attributes.get("gen_ai.request.model", span.model)


def duration_ms(span: Span) -> float | None:
    return None if span.end_ns is None else (span.end_ns - span.start_ns) / 1e6


def worst(statuses: Iterable[str]) -> str:
    found = set(statuses)
    return next((status for status in WORST_FIRST if status in found), "ok")


def remembered(work_out: Callable[..., Any]) -> Callable[..., Any]:
    """Works an answer out once for all who ask a settled oracle the same."""

    @wraps(work_out)
    def answer(oracle: "Oracle", *question: Any) -> Any:
        if oracle.known is None:
            return work_out(oracle, *question)
        asked = work_out.__name__, *question
        if asked not in oracle.known:
            oracle.known[asked] = work_out(oracle, *question)
        return oracle.known[asked]

    return answer


@dataclass
class Oracle:
    """All that was written, and what follows from it.

    Args:
        folded: The duplicates among what will be written, each with the span id of its call.
    """

    folded: dict[tuple[str, str], str]
    spans: dict[tuple[str, str], Span] = field(default_factory=dict)
    """In the order in which they were first heard of."""
    known: dict[tuple[Any, ...], Any] | None = None
    """The answers to what was asked, once it is settled."""

    def settled(self) -> "Oracle":
        """An oracle of what is written so far, which cannot be changed; nor may those who ask change its answers."""
        return Oracle(self.folded, MappingProxyType(dict(self.spans)), known={})

    def write(self, spans: Iterable[Span]) -> None:
        for span in spans:
            key = span.trace_id, span.span_id
            known = self.spans.get(key)
            if known is None or replaces(span, known):
                self.spans[key] = span

    # Spans

    def call_of(self, span: Span) -> str | None:
        """The call that a span is a duplicate of; both are there and final, or neither is one."""
        call = self.folded.get((span.trace_id, span.span_id))
        return call if call and (span.trace_id, call) in self.spans else None

    def session_of(self, span: Span) -> str | None:
        return span.session_id or self.session_of_trace(span.trace_id)

    def event(self, span: Span) -> Event:
        values = {name: getattr(span, name) for name in ("trace_id", "span_id", "parent_id", "kind", "name", "status")}
        values |= {name: getattr(span, name) for name in ("hook", "dialect", "service", "agent", "tool", "error")}
        values |= {name: getattr(span, name) for name in ("input_tokens", "output_tokens", "cached_tokens", "cost_usd")}
        return Event(
            seq=0,
            session_id=self.session_of(span),
            model=named_model(span),
            start_time_unix_nano=str(span.start_ns),
            end_time_unix_nano=None if span.end_ns is None else str(span.end_ns),
            duration_ms=duration_ms(span),
            folded_into=self.call_of(span),
            **values,
        )

    @remembered
    def in_trace(self, trace_id: str) -> list[Span]:
        return [span for span in self.spans.values() if span.trace_id == trace_id]

    def calls(self, spans: Iterable[Span]) -> list[Span]:
        return [span for span in spans if self.call_of(span) is None]

    # Which spans

    @remembered
    def events(self, where: Filter) -> list[Span]:
        meets = self.condition(where)
        return [span for span in self.spans.values() if meets(span)]

    def condition(self, where: Filter) -> Callable[[Span], bool]:
        model = self._model_condition(where)
        error = self._error_condition(where)
        plain = ("trace_id", "parent_id", "name", "agent", "tool", "service", "hook")
        terms = (where.q or "").lower().split()

        def meets(span: Span) -> bool:
            length, words = duration_ms(span), words_of(span) if terms else ()
            return all(
                (
                    *(getattr(where, name) in (None, getattr(span, name)) for name in plain),
                    where.session_id in (None, self.session_of(span)),
                    where.run_id is None or self.run_of_trace(span.trace_id) == where.run_id,
                    not where.kinds or span.kind in where.kinds,
                    not where.statuses or span.status in where.statuses,
                    where.name_prefix is None or span.name.startswith(where.name_prefix),
                    where.since_ns is None or span.start_ns >= where.since_ns,
                    where.until_ns is None or span.start_ns < where.until_ns,
                    is_between(length, where.min_duration_ms, where.max_duration_ms),
                    is_between(span.cost_usd, where.min_cost_usd, where.max_cost_usd),
                    where.duplicates or self.call_of(span) is None,
                    where.replays or not is_of_replay(span),
                    all(key in span.attributes and as_text(span.attributes[key]) == at for key, at in where.attributes),
                    all(holds(span, span.input_key, path, text) for path, text in where.arguments),
                    all(holds(span, span.output_key, path, text) for path, text in where.results),
                    not terms or span.status != "running",
                    all(any(starts(word, term) for word in words) for term in terms),
                    model(span),
                    error(span),
                )
            )

        return meets

    def _model_condition(self, where: Filter) -> Callable[[Span], bool]:
        if where.model is None:
            return lambda span: where.answered_model in (None, span.model)
        if any(named_model(span) == where.model for span in self.spans.values()):
            return lambda span: named_model(span) == where.model
        return lambda span: span.model == where.model

    def _error_condition(self, where: Filter) -> Callable[[Span], bool]:
        wanted = where.error_type
        if wanted is None:
            return lambda _: True
        types = {key: span.error.type if span.error else None for key, span in self.spans.items()}
        calls = {(span.trace_id, span.span_id) for span in self.calls(self.spans.values())}
        if not where.duplicates and any(types[key] == wanted for key in calls):
            return lambda span: types[span.trace_id, span.span_id] == wanted
        if not where.duplicates and any(is_of_type(types[key], wanted) for key in calls):
            return lambda span: is_of_type(types[span.trace_id, span.span_id], wanted)
        known = {key for key in self.spans if is_of_type(types[key], wanted)}
        known |= {(trace, call) for trace, own in known if (call := self.call_of(self.spans[trace, own]))}
        return lambda span: (span.trace_id, span.span_id) in known

    # Traces and runs

    @remembered
    def traces(self, where: Filter) -> list[dict[str, Any]]:
        meets = self.condition(asked_of_spans(where))
        of_agents = [trace for trace in map(self.trace, self.trace_ids()) if where.agent in (None, trace["agent"])]
        return [
            trace
            for trace in of_agents
            if meets_as_whole(trace, where)
            and (where.replays or not self.is_replay(trace["trace_id"]))
            and where.trace_id in (None, trace["trace_id"])
            and where.run_id in (None, self.run_of_trace(trace["trace_id"]))
            and any(where.session_id in (None, self.session_of(span)) for span in self.in_trace(trace["trace_id"]))
            and any(meets(span) for span in self.in_trace(trace["trace_id"]))
        ]

    @remembered
    def runs(self, where: Filter) -> list[dict[str, Any]]:
        """The runs of a filter: agent and session are asked of one of their traces."""
        of_traces = replace(asked_of_spans(where), agent=where.agent, session_id=where.session_id)
        holding = {self.run_of_trace(trace["trace_id"]) for trace in self.traces(of_traces)}
        run_ids = dict.fromkeys(map(self.run_of_trace, self.trace_ids()))
        return [
            run
            for run in map(self.run, run_ids)
            if run["run_id"] in holding
            and where.run_id in (None, run["run_id"])
            and (where.replays or not self._has_replay(run["run_id"]))
            and meets_as_whole(run, where)
        ]

    @remembered
    def is_replay(self, trace_id: str) -> bool:
        """Whether a trace has a span of a replay."""
        return any(map(is_of_replay, self.in_trace(trace_id)))

    def _has_replay(self, run_id: str) -> bool:
        return any(self.is_replay(each) for each in self.trace_ids() if self.run_of_trace(each) == run_id)

    @remembered
    def trace_ids(self) -> list[str]:
        return list(dict.fromkeys(trace_id for trace_id, _ in self.spans))

    @remembered
    def session_of_trace(self, trace_id: str) -> str | None:
        named = [span for span in self.in_trace(trace_id) if span.session_id]
        return min(named, key=lambda span: (span.start_ns, span.session_id or "")).session_id if named else None

    @remembered
    def run_of_trace(self, trace_id: str) -> str:
        named = [span for span in self.in_trace(trace_id) if span.run]
        if named:
            first = min(named, key=lambda span: (span.parent_id is not None, span.start_ns, span.run or ""))
            return first.run or ""
        session_id = self.session_of_trace(trace_id)
        return run_of_session(session_id) if session_id else trace_id

    @remembered
    def head_of(self, trace_id: str) -> Span:
        """The root, or the earliest span while there is none."""
        order = {key: at for at, key in enumerate(self.spans)}
        spans = self.in_trace(trace_id)
        return min(
            spans,
            key=lambda span: (span.parent_id is not None, span.start_ns, order[span.trace_id, span.span_id]),
        )

    @remembered
    def status_of(self, trace_id: str) -> str:
        head = self.head_of(trace_id)
        return head.status if head.parent_id is None else worst(s.status for s in self.calls(self.in_trace(trace_id)))

    @remembered
    def trace(self, trace_id: str) -> dict[str, Any]:
        spans, head, status = self.in_trace(trace_id), self.head_of(trace_id), self.status_of(trace_id)
        agents = [(span.start_ns, span.agent) for span in spans if span.agent]
        return {
            "trace_id": trace_id,
            "session_id": self.session_of_trace(trace_id),
            "name": head.name,
            "kind": head.kind,
            "status": status,
            "service": head.service,
            "agent": head.agent or (min(agents)[1] if agents else None),
            **self._times(spans, status),
            **self._sums(spans),
        }

    @remembered
    def run(self, run_id: str) -> dict[str, Any]:
        traces = [trace_id for trace_id in self.trace_ids() if self.run_of_trace(trace_id) == run_id]
        spans = [span for trace_id in traces for span in self.in_trace(trace_id)]
        statuses = [self.status_of(trace_id) for trace_id in traces]
        first = min(
            traces,
            key=lambda trace_id: (
                self.head_of(trace_id).kind == "rpc",
                min(span.start_ns for span in self.in_trace(trace_id)),
            ),
        )
        return {
            "run_id": run_id,
            "name": self._name_of_run(first),
            "trace_id": first,
            "trace_name": self.head_of(first).name,
            "service": self.head_of(first).service,
            "status": worst(statuses),
            "traces": len(traces),
            "failed_traces": statuses.count("error"),
            "open_calls": sum(span.status == "running" for span in self.calls(spans)),
            **self._times(spans, worst(statuses)),
            **self._sums(spans),
        }

    def _name_of_run(self, trace_id: str) -> str:
        head = self.head_of(trace_id)
        if self.run_of_trace(trace_id) in ("r1", "r2"):
            return head.service or head.name
        if any(span.run for span in self.in_trace(trace_id)):
            # A block is called what its root is; where that is not recorded, it is only a program.
            return head.name if head.parent_id is None else head.service or head.name
        return self.session_of_trace(trace_id) or head.name

    @remembered
    def session(self, session_id: str) -> dict[str, Any]:
        """The sums of a session: of a trace of several what is its own, with the times of all of the trace."""
        spans = [span for span in self.spans.values() if self.session_of(span) == session_id]
        traces = {span.trace_id for span in spans}
        statuses = [self.status_of(trace_id) for trace_id in traces]
        whole = [span for trace_id in traces for span in self.in_trace(trace_id)]
        sums, times = self._sums(spans), self._times(whole, worst(statuses))
        del sums["models"], times["duration_ms"]
        return {
            "session_id": session_id,
            "status": worst(statuses),
            "traces": len(traces),
            "failed_traces": statuses.count("error"),
            **times,
            **sums,
        }

    def _times(self, spans: Sequence[Span], status: str) -> dict[str, Any]:
        start_ns = min(span.start_ns for span in spans)
        end_ns = max((span.end_ns for span in spans if span.end_ns is not None), default=None)
        is_over = end_ns is not None and status != "running"
        return {
            "start_time_unix_nano": str(start_ns),
            "end_time_unix_nano": str(end_ns) if is_over else None,
            "duration_ms": ((end_ns or 0) - start_ns) / 1e6 if is_over else None,
        }

    def _sums(self, spans: Sequence[Span]) -> dict[str, Any]:
        calls = self.calls(spans)
        return {
            "spans": len(spans),
            "calls": len(calls),
            "errors": sum(call.status == "error" for call in calls),
            "llm_calls": sum(call.kind == "llm" for call in calls),
            "tool_calls": sum(call.kind == "tool" for call in calls),
            "models": {named_model(span) for span in spans if span.status != "running"} - {None},
            **amounts(calls),
        }

    def figures(self, calls: Sequence[Span]) -> dict[str, Any]:
        """The figures of calls, as statistics have them."""
        lengths = sorted(length for call in calls if (length := duration_ms(call)) is not None)
        return {
            "count": len(calls),
            "errors": sum(call.status == "error" for call in calls),
            **{f"p{share}_ms": quantile(lengths, share) for share in (50, 95, 99)},
            **amounts(calls),
        }


def amounts(calls: Sequence[Span]) -> dict[str, Any]:
    costs = [call.cost_usd for call in calls if call.cost_usd is not None]
    return {
        **{
            name: sum(getattr(call, name) or 0 for call in calls)
            for name in ("input_tokens", "output_tokens", "cached_tokens")
        },
        "cost_usd": round(math.fsum(costs), 9) if costs else None,
        "unpriced_calls": sum(is_unpriced(call) for call in calls),
    }


def is_unpriced(call: Span) -> bool:
    has_tokens = call.input_tokens is not None or call.output_tokens is not None
    return call.kind == "llm" and call.cost_usd is None and (has_tokens or call.status == "ok")


def quantile(ascending: Sequence[float], percent: int) -> float | None:
    return ascending[max(0, math.ceil(len(ascending) * percent / 100) - 1)] if ascending else None
