"""Finds the run or trace that a person names: by an id, a part of one, or its position among the latest."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from inspector import semconv as sc
from inspector.model import Event, Filter, Kind, Run, Trace, every
from inspector.spooling import is_run_id
from inspector.store import Store

_PAGE = 1000
_FULL_PAGE = 200
"""Events with their prompts that are held in memory at once."""
_TRACES_OF_PROGRAM, _CALLS_OF_PROGRAM = 5, 20
"""The call that describes the program is among this many of the first."""
_CALLS: tuple[Kind, ...] = ("llm", "tool", "rpc")
"""Kinds of calls that a replay answers."""
_HEX = re.compile(r"[0-9a-f]{1,32}")
_TRACE_DIGITS = 32
_NAMED_IN_MESSAGE = 3
_BEFORE_LAST = re.compile(r"last~(\d{1,3})")
_NOTHING = "nothing is recorded yet; record a program: inspector run app.py"
_LATEST = 200
"""The previous run is among this many of the latest."""
SHORT_ID = 8
"""The length of an id in a table on the terminal."""


class _Attributes(Struct):
    program: str | None = msgspec.field(name=sc.RAW_PREFIX + "program", default=None)
    replayed: str | None = msgspec.field(name=sc.REPLAYED_RUN, default=None)


class TraceUnknown(Exception):
    """No trace, or more than one, has the id or the prefix."""


class RunUnknown(Exception):
    """No run or trace, or more than one, matches the name."""


def find_trace(store: Store, text: str) -> Trace:
    """Find the trace with this id, the only one whose id begins with it, or the ``last`` one to start.

    Raises:
        TraceUnknown: There is none, or several begin with it.
    """
    if text == "last":
        newest = store.traces(Filter(), limit=1).items
        if not newest:
            raise TraceUnknown(_NOTHING)
        return newest[0]
    traces = _traces_of(store, text.lower())
    if len(traces) == 1:
        return traces[0]
    if traces:
        some = ", ".join(trace.trace_id for trace in traces[:_NAMED_IN_MESSAGE])
        raise TraceUnknown(f"several traces begin with {text}: {some}; give more digits")
    raise TraceUnknown(f"no trace {text} is recorded; list the spans with: inspector events")


def _traces_of(store: Store, prefix: str) -> Sequence[Trace]:
    if len(prefix) < _TRACE_DIGITS:
        return store.traces_like(prefix, limit=_NAMED_IN_MESSAGE) if _HEX.fullmatch(prefix) else ()
    trace = store.trace(prefix)
    return () if trace is None else (trace,)


def find_run(store: Store, text: str) -> Run:
    """Find the run with this id, the only one whose id begins or ends with it, the ``last`` one, or ``last~1``.

    Raises:
        RunUnknown: There is none, or several have the part.
    """
    if text == "last":
        newest = store.traces(Filter(), limit=1).items
        whole = store.run(newest[0].run_id) if newest else None
        if whole is None:
            raise RunUnknown(_NOTHING)
        return whole
    if before := _BEFORE_LAST.fullmatch(text):
        return _nth_latest(store, int(before[1]))
    runs = _runs_like(store, text)
    if len(runs) == 1:
        return runs[0]
    if runs:
        some = ", ".join(run.run_id for run in runs[:_NAMED_IN_MESSAGE])
        raise RunUnknown(f"several runs are like {text}: {some}; give more of the id")
    raise RunUnknown(f"no run {text} is recorded; list the runs with: inspector runs")


def _nth_latest(store: Store, number: int) -> Run:
    """Find the run after which this many others began; the last one is number 0."""
    latest = store.runs(Filter(), limit=min(number + 1, _PAGE)).items
    if number >= len(latest):
        are = "1 run is" if len(latest) == 1 else f"{len(latest):,} runs are"
        raise RunUnknown(f"there is no last~{number}: {are} recorded" if latest else _NOTHING)
    return latest[number]


def find_run_or_trace(store: Store, text: str) -> Run | Trace:
    """Find the run or the trace with this id or part of an id; for a run with one trace, that trace.

    Raises:
        RunUnknown: There is neither, or several have the part.
    """
    if text == "last" or _BEFORE_LAST.fullmatch(text):
        return as_one_trace(store, find_run(store, text))
    traces = _traces_of(store, text.lower())
    runs = [run for run in _runs_like(store, text) if run.run_id != run.trace_id]
    if len(traces) + len(runs) == 1:
        return traces[0] if traces else as_one_trace(store, runs[0])
    if traces or runs:
        ids = (*(trace.trace_id for trace in traces), *(run.run_id for run in runs))
        raise RunUnknown(f"{text} is part of several ids: {', '.join(ids[:_NAMED_IN_MESSAGE])}; give more of it")
    raise RunUnknown(f"no run or trace {text} is recorded; list the runs with: inspector runs")


def as_one_trace(store: Store, run: Run) -> Run | Trace:
    """Return the trace of a run with only one, or else the run; also if it failed, and its trace did not."""
    trace = store.trace(run.trace_id) if run.traces <= 1 else None
    return run if trace is None or trace.status != run.status else trace


def _runs_like(store: Store, text: str) -> Sequence[Run]:
    if not is_run_id(text):
        return ()
    whole = store.run(text)
    if whole is not None:
        return (whole,)
    return store.runs_like(text, ends=len(text) >= SHORT_ID, limit=_NAMED_IN_MESSAGE)


def id_of(item: Run | Trace) -> str:
    """Return the id that a run, or a trace on its own, is named by."""
    return item.run_id if isinstance(item, Run) else item.trace_id


def traces_of(store: Store, item: Run | Trace) -> list[Trace]:
    """Read every trace of a run, in the order they began; a trace is its own."""
    if isinstance(item, Trace):
        return [item]
    where = Filter(run_id=item.run_id)
    return list(every(lambda cursor: store.traces(where, order="asc", cursor=cursor, limit=_PAGE)))


def events_of(store: Store, trace_id: str, *, full: bool = False, raw: bool = False) -> Iterator[Event]:
    """Read every event of a trace, in the order they began, page by page; ``raw`` as of `Store.events`."""
    return _every(store, Filter(trace_id=trace_id), full=full, raw=raw)


def tool_calls_of(store: Store, trace_id: str, attribute: tuple[str, str]) -> Iterator[Event]:
    """Read the tool calls of a trace that have an attribute, in full and in the order they began, page by page."""
    return _every(store, Filter(trace_id=trace_id, kinds=("tool",), attributes=(attribute,)), full=True, raw=False)


def _every(store: Store, where: Filter, *, full: bool, raw: bool) -> Iterator[Event]:
    limit = _FULL_PAGE if full else _PAGE
    return every(lambda cursor: store.events(where, order="asc", cursor=cursor, limit=limit, full=full, raw=raw))


def program_of(store: Store, traces: Iterable[Trace]) -> Mapping[str, Any] | None:
    """Return what is recorded about the program of a run, on the first call of a process."""
    for trace in islice(traces, _TRACES_OF_PROGRAM):
        page = store.events(Filter(trace_id=trace.trace_id), order="asc", limit=_CALLS_OF_PROGRAM, full=True, raw=True)
        for event in page.items:
            text = msgspec.json.decode(bytes(event.attributes or b"{}"), type=_Attributes).program
            if text is not None:
                return msgspec.json.decode(text)
    return None


def run_before(store: Store, run: Run | Trace) -> Run:
    """Find the original of a replay, or else the previous run of the same program.

    Raises:
        RunUnknown: There is none among the latest.
    """
    if replayed := replayed_run(store, replayed_name(store, run)):
        return replayed
    if before := runs_before(store, run, limit=1):
        return before[0]
    raise RunUnknown(
        f"no run of {run.service or 'the same program'} before {run.run_id} is among the latest {_LATEST}; "
        "name both: inspector diff A B"
    )


def replayed_name(store: Store, run: Run | Trace) -> str | None:
    """Return the id of the run (or of its only trace) that this run replays, from one of its first calls."""
    is_trace = isinstance(run, Trace)
    where = Filter(trace_id=run.trace_id if is_trace else None, run_id=None if is_trace else run.run_id, kinds=_CALLS)
    for event in store.events(where, order="asc", limit=_CALLS_OF_PROGRAM, full=True).items:
        name = msgspec.json.decode(bytes(event.attributes or b"{}"), type=_Attributes).replayed
        if name is not None and is_run_id(name):
            return name
    return None


def replayed_run(store: Store, name: str | None) -> Run | None:
    """Return the run with the id from `replayed_name`, if it is stored here."""
    if name is None:
        return None
    whole = store.trace(name) if len(name) == _TRACE_DIGITS else None
    return store.run(name if whole is None else whole.run_id)


def runs_before(store: Store, run: Run | Trace, *, limit: int) -> list[Run]:
    """Find the previous runs of the same program, newest first."""
    start_ns = int(run.start_time_unix_nano)
    latest = store.runs(Filter(), limit=_LATEST).items
    of_program = (other for other in latest if other.run_id != run.run_id and other.service == run.service)
    return list(islice((other for other in of_program if int(other.start_time_unix_nano) < start_ns), limit))


def name_of(store: Store, item: Run | Trace) -> str:
    """Return the name in the list of runs, also of a trace that is the only one of its run."""
    run = store.run(item.run_id) if isinstance(item, Trace) else None
    return run.name if run is not None and run.traces == 1 else item.name
