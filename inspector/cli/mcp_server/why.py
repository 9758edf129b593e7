"""Why a run failed: the call where it began, who passed it on, what the model was told, and what came after."""

import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from inspector.cli.drawing.attempts import attempt_annotations
from inspector.cli.lookup import turns_of
from inspector.cli.mcp_server.answer import UncutAnswer
from inspector.cli.mcp_server.failures import UNANSWERED, FailureChain, failures_of, is_failed, slow_calls
from inspector.cli.mcp_server.reader import Reader, run_lines
from inspector.cli.mcp_server.texts import (
    WITHOUT_CONTENT,
    error_of,
    input_texts,
    name_of_call,
    new_messages,
    one_line,
    output_texts,
    short_ids,
    shortened,
    shown,
    span_line,
)
from inspector.cli.mcp_server.tracebacks import own_frames
from inspector.cli.output import figures
from inspector.cli.output.terminal import Terminal
from inspector.lookup import as_one_trace
from inspector.model import Event, Filter, Run, Trace, Turn, ancestors

T = TypeVar("T")

_PASSED_ON, _AFTER, _OTHERS, _NEAR_MISSES = 6, 4, 6, 9
"""How many of each are listed."""
_LATEST = 50
_SHARE: Final = {"input": 0.2, "traceback": 0.2, "new messages": 0.15, "message": 0.1}
"""How much of the answer each text may fill."""
_LEAST_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class _Spans:
    """The spans of a run, and how they are named."""

    reader: Reader
    events: Sequence[Event]
    """In the order they began."""
    ids: dict[str, str]

    def line(self, event: Event, *notes: str) -> str:
        return span_line(event, span_id=self.ids[event.span_id], content=self.reader.content, notes=notes)

    def whole(self, event: Event) -> Event:
        return self.reader.store.event(event.span_id, trace_id=event.trace_id) or event

    def text(self, what: str, text: str) -> str:
        return shortened(text, max(_LEAST_CHARACTERS, int(self.reader.characters * _SHARE[what])))


def why_failed(reader: Reader, named: str | None) -> UncutAnswer:
    """Explain the named run; by default the newest one that failed."""
    failed = _newest_failed(reader) if named is None else None
    found = failed or reader.find(named)
    traces = reader.traces(found)
    events = sorted((event for trace in traces for event in trace), key=lambda event: int(event.start_time_unix_nano))
    spans = _Spans(reader, events, dict(short_ids(event.span_id for event in events)))
    failures = failures_of(events)
    sections = ["\n".join(run_lines(found, content=reader.content))]
    if failures:
        sections += _explained(failures[0], spans)
        sections += _others(failures[1:], spans)
    turns = turns_of(reader.store, found.run_id)
    sections += _inferred(turns, spans)
    sections += _near_misses(traces, turns, spans)
    about = "Why this run failed: the first cause, then what followed." if failures else "No recorded call failed."
    if named is None and failed is None:
        about = "No recent run has a failed call. This is the last run."
    elif failures and found.status == "ok":
        about = "This run is ok, although calls failed: the first of them, then what followed."
    if failed is not None and reader.find(None).run_id != failed.run_id:
        # Otherwise a repaired program seems to fail still.
        about += " Newer runs have not failed."
    advice = f'More of the call: span("{spans.ids[failures[0].origin.span_id]}").' if failures else ""
    notes = "" if reader.content else WITHOUT_CONTENT
    return UncutAnswer(about, sections, noun="section", advice=" ".join(filter(None, (advice, notes))))


def _newest_failed(reader: Reader) -> Run | Trace | None:
    """Return the newest run that failed, or else the newest in which a call did."""
    failed = reader.others(reader.store.runs(Filter(statuses=("error", "lost")), limit=2).items)
    if not failed:
        failed = [run for run in reader.others(reader.store.runs(Filter(), limit=_LATEST).items) if run.errors]
    return as_one_trace(reader.store, failed[0]) if failed else None


def _explained(failure: FailureChain, spans: _Spans) -> Iterator[str]:
    origin = spans.whole(failure.origin)
    content = spans.reader.content
    line = span_line(origin, span_id=spans.ids[origin.span_id], content=content, with_error=not content)
    yield f"first cause:\n{line}"
    twins = [spans.whole(event) for event in spans.events if _is_twin(event, failure.origin)]
    if content:
        yield from _content(origin, twins, spans)
    if failure.passed_on:
        yield _listed("passed on by, from the inside out:", failure.passed_on, spans.line, most=_PASSED_ON)
    by_id = {event.span_id: event for event in spans.events if event.trace_id == origin.trace_id}
    survived = [event for event in ancestors(origin, by_id) if not is_failed(event) and not event.folded_into]
    if survived:
        names = [f"{event.kind} {name_of_call(event)} ({spans.ids[event.span_id]})" for event in survived]
        yield f"inside of, and not failed: {', in '.join(names[:_PASSED_ON])}"
    yield from _afterwards(failure, spans)


def _is_twin(event: Event, origin: Event) -> bool:
    return event.folded_into == origin.span_id and event.trace_id == origin.trace_id


def _content(origin: Event, twins: Sequence[Event], spans: _Spans) -> Iterator[str]:
    """Write the error, the arguments, and where it was raised; a server knows more than its client is told."""
    error = origin.error
    if error is not None:
        said = ": ".join(filter(None, (error.type, error.message)))
        yield spans.text("message", f"error: {shown(said)}")
    for twin in twins:
        if twin.error is not None and (error is None or twin.error.message != error.message):
            yield f"recorded by the other side: {error_of(twin.error, content=True, most=400)}"
    given = input_texts(origin)
    if given:
        # What a model was asked seldom explains why it could not be asked.
        is_model = origin.kind == "llm"
        whole = "\n".join(given[-2:] if is_model else given)
        yield spans.text(
            "message" if is_model else "input", f"{'last messages' if is_model else 'arguments'}:\n{whole}"
        )
    elif origin.kind in ("llm", "tool"):
        yield "no arguments were recorded"
    traces = [each.error.traceback for each in (origin, *twins) if each.error is not None and each.error.traceback]
    if traces:
        yield spans.text("traceback", f"raised in:\n{shown(own_frames(traces[0]))}")
    result = output_texts(origin)
    if result and origin.error is None:
        yield spans.text("message", "result:\n" + "\n".join(result))


def _afterwards(failure: FailureChain, spans: _Spans) -> Iterator[str]:
    origin = failure.origin
    end_ns = int(origin.end_time_unix_nano or origin.start_time_unix_nano)
    later = [event for event in spans.events if int(event.start_time_unix_nano) >= end_ns and not event.folded_into]
    later = [event for event in later if event.kind != "rpc" and event.span_id != origin.span_id]
    model = next((event for event in later if event.kind == "llm"), None)
    if model is not None and origin.kind != "llm" and spans.reader.content:
        messages = "\n".join(new_messages(spans.whole(model)))
        if messages:
            yield spans.text("new messages", f"the model was told, in {spans.ids[model.span_id]}:\n{messages}")
    if not later:
        yield "no call came after it"
        return
    yield _listed("calls after it:", later, spans.line, most=_AFTER)


def _others(failures: Sequence[FailureChain], spans: _Spans) -> Iterator[str]:
    """Count the other failures by call and type of error, each with the first of them."""
    if not failures:
        return
    counts: Counter[tuple[str, str, str]] = Counter()
    firsts: dict[tuple[str, str, str], Event] = {}
    for failure in failures:
        event = failure.origin
        alike = (event.kind, name_of_call(event), (event.error and event.error.type) or "")
        counts[alike] += 1
        firsts.setdefault(alike, event)

    def line(counted: tuple[tuple[str, str, str], int]) -> str:
        alike, count = counted
        return spans.line(firsts[alike], _times(count))

    head = f"other calls where trouble began ({len(failures):,}):"
    yield _listed(head, counts.most_common(), line, most=_OTHERS, rest="more kinds")


def _times(count: int) -> str:
    return f"\u00d7{count:,}" if count > 1 else ""


def _inferred(turns: Sequence[Turn], spans: _Spans) -> Iterator[str]:
    """List failed tool calls that have no span: only the messages of a hand-written loop show them."""
    lines: list[str] = []
    for turn in turns:
        for tool in turn.tools:
            if tool.failed and not tool.recorded:
                texts = f" {one_line(tool.arguments, 120)}  {one_line(tool.result or '', 160)}"
                shown_texts = texts if spans.reader.content else ""
                lines.append(f"{one_line(tool.name, 100)}{shown_texts}  requested in {spans.ids.get(turn.span_id, '')}")
    if lines:
        head = f"tools that failed by what the model was told, without a span ({len(lines):,}):"
        yield _listed(head, lines, str, most=_OTHERS)


def _near_misses(traces: Sequence[Sequence[Event]], turns: Sequence[Turn], spans: _Spans) -> Iterator[str]:
    """List calls that were tried again, calls without an answer, and slow ones."""
    lines: list[str] = []
    terminal = Terminal(io.StringIO())
    by_id = {event.span_id: event for event in spans.events}
    for span_id, attempts in attempt_annotations(spans.reader.store, traces, terminal).items():
        # A run that goes on has calls by now that it had not when its spans were read.
        if span_id in by_id:
            lines.append(f"tried again: {spans.line(by_id[span_id], attempts.note)}")
    retries = [turn for turn in turns if turn.link == "retry"]
    lines += [
        f"the prompt of a failed call again: {spans.line(by_id[turn.span_id])}"
        for turn in retries
        if turn.span_id in by_id
    ]
    unanswered = [event for event in spans.events if event.status in UNANSWERED and event.folded_into is None]
    lines += [f"unanswered: {spans.line(event)}" for event in unanswered]
    for event, usual_ms in slow_calls(spans.events):
        lines.append(f"slow: {spans.line(event, f'usually {figures.duration(usual_ms)}')}")
    if lines:
        yield _listed("near misses:", lines, str, most=_NEAR_MISSES)


def _listed(head: str, items: Sequence[T], line: Callable[[T], str], *, most: int, rest: str = "more") -> str:
    """Write a line for each of the first items under a heading, and say how many more there are."""
    left = len(items) - most
    more = (f"… {left:,} {rest}",) if left > 0 else ()
    return "\n  ".join((head, *map(line, items[:most]), *more))
