"""Two runs and their comparison as the bytes of a file."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from msgspec import UNSET

from inspector.api.bodies import encode_line
from inspector.api.packed import FilePage
from inspector.diff import ComparedRun, Comparison, DiffRun, Step, compare, compare_calls, diff_of, program_changes
from inspector.lookup import events_of
from inspector.model import Event, Filter
from inspector.page_file.copied import Copy, copied
from inspector.page_file.document import document, packed
from inspector.page_file.errors import RunTooLarge, WebAppMissing
from inspector.page_file.writing import MOST_PACKED_BYTES, MOST_SPANS, NO_APP, PageFile, in_parts, run_in_parts

_LISTED_PARTS, _PARTS = 8, 200
"""Of the parts of an input that differ: those that a step names, and those that a call shows."""
_CAUSE_CHARACTERS, _CHARACTERS = 2_000, 20_000


def page_of_diff(a: ComparedRun, b: ComparedRun, *, app: FilePage | None, content: bool = True) -> PageFile:
    """Make a file of two runs compared, each with its own page, that opens in a browser from wherever it lies.

    Args:
        a: The first run.
        b: The other one.
        app: As of `page_of_run`.
        content: Whether prompts, answers, arguments and results are in it; without them it says which parts differ.

    Raises:
        RunTooLarge: They have more than a page holds.
        WebAppMissing: There is nothing to show it with.
    """
    if app is None:
        raise WebAppMissing(NO_APP)
    spans = len(a.events) + len(b.events)
    if spans > MOST_SPANS:
        raise RunTooLarge(_too_large(f"{spans:,} spans; a page holds {MOST_SPANS:,}"))
    first, second = _apart(a.run, b.run)
    with _copied(a, first, content=content) as one, _copied(b, second, content=content) as other:
        # What differs is known from what was said, whether or not that is shown.
        in_a, in_b = (list(_events(one)), list(_events(other))) if content else (a.events, b.events)
        comparison = compare(in_a, in_b, program_changes(a.program, b.program))
        begins: list[int] = []
        calls = list(in_parts(_calls(comparison, in_a, in_b, most_text=_CHARACTERS if content else 0), begins))
        runs = [run_in_parts(copy.store, str(run.run_id), UNSET) for copy, run in ((one, first), (other, second))]
        most_text = _CAUSE_CHARACTERS if content else 0
        diff = diff_of(first, second, comparison, most_parts=_LISTED_PARTS, most_text=most_text)
        places = [1 + len(calls), 1 + len(calls) + len(runs[0])]
        head = packed(encode_line({"diff": diff, "begins": begins, "runs": places}))
        parts = [head, *calls, *runs[0], *runs[1]]
        size = sum(map(len, parts)) * 3 // 4
        if size > MOST_PACKED_BYTES:
            raise RunTooLarge(_too_large(f"{size >> 20} MiB, packed; a page holds {MOST_PACKED_BYTES >> 20}"))
        body = "".join(document(app, parts)).encode()
        return PageFile(body, _traces(one) + _traces(other), spans, one.redacted + other.redacted)


def _too_large(why: str) -> str:
    return f"the two runs are too large for one page: they have {why}. Compare them by --json instead"


def _apart(a: DiffRun, b: DiffRun) -> tuple[DiffRun, DiffRun]:
    """Give the runs ids to tell them by: two traces of a run have one, and a file of several traces has none."""
    one, other = a.run_id or "first", b.run_id or "second"
    if one == other:
        one, other = f"{one}-first", f"{other}-second"
    return replace(a, run_id=one, label=one), replace(b, run_id=other, label=other)


def _copied(compared: ComparedRun, named: DiffRun, *, content: bool) -> AbstractContextManager[Copy]:
    return copied(compared.events, str(named.run_id), content=content)


def _traces(copy: Copy) -> int:
    return len(copy.store.traces(Filter(), limit=MOST_SPANS).items)


def _events(copy: Copy) -> Iterator[Event]:
    for trace in copy.store.traces(Filter(), order="asc", limit=MOST_SPANS).items:
        yield from events_of(copy.store, trace.trace_id, full=True)


def _calls(comparison: Comparison, a: Sequence[Event], b: Sequence[Event], *, most_text: int) -> Iterator[tuple[bytes]]:
    """Yield each step with the texts of its calls, one line each."""
    in_a, in_b = ({(event.trace_id, event.span_id): event for event in events} for events in (a, b))
    for pair in comparison.pairs:
        one, other = _event(pair.a, in_a), _event(pair.b, in_b)
        yield (encode_line(compare_calls(one, other, most_parts=_PARTS, most_text=most_text)),)


def _event(step: Step | None, events: Mapping[tuple[str, str], Event]) -> Event | None:
    return None if step is None else events[step.event.trace_id, step.event.span_id]
