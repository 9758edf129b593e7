"""What ``inspector replay`` prints at the end: where the program diverged, and which calls were replayed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.cli.output.figures import counted, moment
from inspector.cli.output.visible import visible
from inspector.diff import cut_around, is_volatile
from inspector.frozen import Frozen
from inspector.replay import Divergence, Report
from inspector.tape import Tape, TapeCall

_NAMED = 5
"""The number of calls listed that were not repeated."""


def is_whole(tape: Tape, reports: Sequence[Report]) -> bool:
    """Return whether the program made the calls of its recording, or only what it was allowed to."""
    if any(report.divergence is not None for report in reports if report.live is None):
        return False
    return any(report.live is not None for report in reports) or len(_reused(reports)) == len(tape.calls)


def replayed_lines(tape: Tape, reports: Sequence[Report], frozen: Frozen | None) -> Iterator[str]:
    """Say where the program diverged from the recording, and which calls were replayed and which were not."""
    for report in reports:
        if report.divergence is not None:
            yield from _divergence_lines(report.divergence, is_live=report.live is not None)
    if not reports:
        yield "replay: nothing was replayed: no Python process with the inspector ran to its end"
    reused = _reused(reports)
    yield f"replay: {len(reused)} of {len(tape.calls)} calls of {tape.run} replayed"
    for call in (tape.calls[place] for place in sorted(reused)):
        if call.is_replaced:
            yield visible(f"replay: answered by --set: {call.name} ({call.span[:8]})")
    yield from _live(reports)
    yield from _besides(reports, frozen)
    if any(report.divergence is not None and report.live is None for report in reports):
        return
    left = list(_not_repeated(tape, reports))
    for call in left[:_NAMED]:
        why = "" if call.unrecordable is None else f": {call.unrecordable}"
        yield visible(f"replay: not repeated: {call.name} ({call.span[:8]}){why}")
    if left[_NAMED:]:
        yield f"replay: and {len(left) - _NAMED} more"


def _not_repeated(tape: Tape, reports: Sequence[Report]) -> Iterator[TapeCall]:
    """Yield the calls that were not replayed, except those replaced by a live call of the same tool or model."""
    reused, live = _reused(reports), _sum(report.live or {} for report in reports)
    for place, call in enumerate(tape.calls):
        if place in reused:
            continue
        called = next((name for name in (call.name.partition(" ")[2], call.subject) if live[name]), None)
        if called is None:
            yield call
        else:
            live[called] -= 1


def _reused(reports: Sequence[Report]) -> set[int]:
    return {place for report in reports for place in report.reused}


def _divergence_lines(divergence: Divergence, *, is_live: bool) -> Iterator[str]:
    live = " and continued live" if is_live else ""
    yield visible(f"replay: the program diverged from its recording{live}: {divergence.message}")
    if divergence.part is not None:
        then, now = cut_around(divergence.then, divergence.now, most=120)
        yield visible(f"replay: {divergence.part} differs")
        yield visible(f"  - {'(missing)' if then is None else then}")
        yield visible(f"  + {'(missing)' if now is None else now}")
        if is_volatile(divergence.then, divergence.now):
            yield "replay: only ids and times differ; to keep them: inspector run --freeze; to skip: --ignore REGEX"


def _live(reports: Sequence[Report]) -> Iterator[str]:
    calls = _sum(report.live or {} for report in reports)
    refused = _sum(report.refused for report in reports)
    if calls:
        yield visible(f"replay: {counted(calls.total(), 'call')} made live: {_times(calls)}")
    if refused:
        way_out = " ".join(f"--allow {name}" for name in refused)
        yield visible(f"replay: not allowed to run: {_times(refused)}; to allow it: {way_out}")


def _besides(reports: Sequence[Report], frozen: Frozen | None) -> Iterator[str]:
    if frozen is not None:
        yield f"replay: the clock was fixed at {moment(str(frozen.time_ns))}{_of_random_numbers(frozen)}"
    unreached = _sum(report.unreached for report in reports)
    if unreached:
        yield visible(f"replay: not reached, as without a network: {_times(unreached)}")
    ignored = _sum(report.ignored for report in reports)
    if ignored:
        yield visible(f"replay: not compared: {', '.join(f'{each} ({count}x)' for each, count in ignored.items())}")


def _of_random_numbers(frozen: Frozen) -> str:
    if frozen.seed is not None:
        return ", and random numbers were the recorded ones"
    return "; random numbers were new: record with 'inspector run --freeze' to repeat them"


def _sum(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    every: Counter[str] = Counter()
    for count in counts:
        every.update(count)
    return every


def _times(counts: Mapping[str, int]) -> str:
    return ", ".join(name if count == 1 else f"{name} ({count} times)" for name, count in counts.items())
