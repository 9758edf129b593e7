"""Whether a recorded run can be replayed, with which command, and which runs replay which."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from msgspec import UNSET

from inspector import semconv as sc
from inspector.lookup import events_of, program_of, replayed_name, replayed_run, traces_of
from inspector.model import Event, Filter, Run, Status
from inspector.store import QueryTooSlow, Store
from inspector.tape.obstacles import Obstacle
from inspector.tape.started import replay_command, start_of, why_not_started_again
from inspector.tape.tape import judge

MOST_SPANS: Final = 2_000
"""The largest run that is checked here; for a larger one, the command checks it."""
_MOST_BYTES: Final = 64 << 20
"""The most that its spans may hold, including what a replay gives back."""
_FOREIGN: Final = "the run was recorded by another recorder, without what a replay gives back"
_LOSSES: Final = "not all of its calls were recorded in full"
_LISTED: Final = 10
"""The number of obstacles and replays that are listed."""
_MOST_OF_REPLAYS: Final = 4
"""Pages of calls of replays that are read to find their runs."""
_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class RunLink:
    """A run that another one refers to; all fields but the id are None if it is not stored here."""

    run_id: str
    name: str | None
    question: str | None
    status: Status | None
    start_time_unix_nano: str | None


@dataclass(frozen=True, slots=True)
class PlacedObstacle:
    """A call that prevents a replay."""

    trace_id: str
    span_id: str
    name: str
    reason: str
    """Why a replay can neither answer this call nor keep it from being made."""
    sentence: str
    """The call and the reason in one sentence."""


@dataclass(frozen=True, slots=True)
class Replayable:
    """Whether a run can be replayed, and what replays what."""

    run_id: str
    replayable: Literal["yes", "no", "unknown"]
    reason: str | None = None
    """Why it cannot be replayed, or why that is not known; None if individual calls are the obstacles."""
    calls: int | None = None
    """The number of calls that a replay answers."""
    obstacles: tuple[PlacedObstacle, ...] = ()
    """The first calls that prevent a replay."""
    obstacle_count: int = 0
    """The number of all calls that prevent it."""
    command: str | None = None
    """The shell command that replays it."""
    names_program: bool = False
    """Whether ``PROGRAM`` in the command is a placeholder for the program."""
    original: RunLink | None = None
    """The run that this one replays."""
    replays: tuple[RunLink, ...] = ()
    """The runs that replay this one, newest first."""
    more_replays: bool = False
    """Whether there are more than those."""

    @property
    def is_foreign(self) -> bool:
        """Whether another recorder recorded it, so nobody expects to replay it."""
        return self.reason == _FOREIGN


def replayable(store: Store, run: Run, *, home: Path | None = None, looks: bool = True) -> Replayable:
    """Check whether a run can be replayed (unknown unless ``looks``), and find its original and its replays."""
    verdict = _judged(store, run) if looks else Replayable(run.run_id, "unknown", "it was not asked for")
    replays, more = _replays_of(store, run)
    verdict = replace(verdict, original=_original_of(store, run), replays=replays, more_replays=more)
    if verdict.replayable == "no" or run.status == "running":
        return verdict
    program = program_of(store, traces_of(store, run))
    names_program = why_not_started_again(*start_of(program)) is not None
    command = replay_command(run.run_id, home=home, names_program=names_program)
    return replace(verdict, command=command, names_program=names_program)


def _judged(store: Store, run: Run) -> Replayable:
    first = store.events(Filter(run_id=run.run_id), order="asc", limit=_PAGE).items
    if all(event.hook is None for event in first):
        return Replayable(run.run_id, "no", _FOREIGN)
    events = _read(store, run)
    if isinstance(events, str):
        return Replayable(run.run_id, "unknown", events)
    judgement = judge(events)
    trace_of = {event.span_id: event.trace_id for event in events}
    answer, reason = "yes", judgement.reason
    if judgement.obstacles or reason is not None:
        answer = "no"
    elif _has_losses(store, run):
        # Perhaps only ends of calls that a replay makes again, perhaps a model call of which nothing is there.
        answer, reason = "unknown", _LOSSES
    return Replayable(
        run.run_id,
        answer,
        reason,
        judgement.calls,
        tuple(_placed(each, trace_of) for each in judgement.obstacles[:_LISTED]),
        len(judgement.obstacles),
    )


def _has_losses(store: Store, run: Run) -> bool:
    # A run of a list is without them.
    whole = run if run.losses is not UNSET else store.run(run.run_id)
    return whole is not None and whole.losses is not UNSET


def _read(store: Store, run: Run) -> Sequence[Event] | str:
    """Return the calls of a run for the check, or why it is not checked."""
    if run.status == "running":
        return "the run has not ended"
    if run.spans > MOST_SPANS:
        return f"the run has {run.spans:,} spans, and up to {MOST_SPANS:,} are looked through"
    events: list[Event] = []
    read = 0
    for trace in traces_of(store, run):
        for event in events_of(store, trace.trace_id, full=True, raw=True):
            read += len(bytes(event.attributes or b"")) + len(bytes(event.output or b""))
            if read > _MOST_BYTES:
                return f"the run holds more than {_MOST_BYTES >> 20} MB, and up to so many are looked through"
            events.append(replace(event, input=None))
    return events


def _placed(of: Obstacle, trace_of: Mapping[str, str]) -> PlacedObstacle:
    return PlacedObstacle(trace_of[of.span_id], of.span_id, of.name, of.reason, of.sentence)


def _names_of(run: Run) -> list[str]:
    """Return the names by which replays refer to a run: a run of one trace also has the id of that trace."""
    return list(dict.fromkeys((run.run_id, run.trace_id) if run.traces == 1 else (run.run_id,)))


def _replays_of(store: Store, run: Run) -> tuple[tuple[RunLink, ...], bool]:
    replays: dict[str, Run] = {}
    left_out = False
    for name in _names_of(run):
        runs, more = _runs_with(store, Filter(attributes=((sc.REPLAYED_RUN, name),)))
        replays |= {other.run_id: other for other in runs if other.run_id != run.run_id}
        left_out = left_out or more
    latest = sorted(replays.values(), key=lambda each: int(each.start_time_unix_nano), reverse=True)
    return tuple(map(_link, latest[:_LISTED])), left_out or len(latest) > _LISTED


def _runs_with(store: Store, where: Filter) -> tuple[Collection[Run], bool]:
    """Return the latest runs with calls of replays, and whether there may be more.

    Calls are found by an index, but runs are not. So runs are only queried if some have so many calls that they may
    hide others.
    """
    runs: dict[str, Run] = {}
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(_MOST_OF_REPLAYS):
        page = store.events(where, cursor=cursor, limit=_PAGE)
        for trace_id in dict.fromkeys(event.trace_id for event in page.items if event.trace_id not in seen):
            seen.add(trace_id)
            trace = store.trace(trace_id)
            other = None if trace is None or trace.run_id in runs else store.run(trace.run_id)
            if other is not None:
                runs[other.run_id] = other
        cursor = page.next_cursor
        if cursor is None or len(runs) > _LISTED:
            return runs.values(), cursor is not None
    try:
        listed = store.runs(where, limit=_LISTED + 1)
    except QueryTooSlow:
        return runs.values(), True
    return [*runs.values(), *listed.items], listed.next_cursor is not None


def _original_of(store: Store, run: Run) -> RunLink | None:
    name = replayed_name(store, run)
    if name is None:
        return None
    original = replayed_run(store, name)
    return RunLink(name, None, None, None, None) if original is None else _link(original)


def _link(run: Run) -> RunLink:
    return RunLink(run.run_id, run.name, run.question, run.status, run.start_time_unix_nano)
