"""Compares two stores of any engine: counts, and a hash per trace."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Final

import msgspec

from inspector.model import Label, Loss, every
from inspector.store import Arrival, KeptLog, Store

SPANS_AT_ONCE: Final = 5000
"""Traces are read together up to this many spans; a longer trace is read in parts."""
MOST_NAMED: Final = 20
LABELS_AT_ONCE: Final = 1000
LOGS_AT_ONCE: Final = 200
_MOST_LOSSES: Final = 1_000_000
_PLAIN: Final = msgspec.json.Encoder(order="deterministic")
_MODULUS: Final = 1 << 128


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two stores."""

    what: str
    """A trace by its id, or something else that differs."""
    why: str


def groups_of(store: Store, after: int = 0) -> Iterator[list[Arrival]]:
    """Yield traces in the order of their last change, in groups that are read together.

    All traces of a group arrived in the same hour.
    """
    group: list[Arrival] = []
    for arrival in _arrivals(store, after):
        spans = sum(each.spans for each in group)
        if group and (spans + arrival.spans > SPANS_AT_ONCE or group[-1].arrived_ns != arrival.arrived_ns):
            yield group
            group = []
        group.append(arrival)
    if group:
        yield group


def differences(source: Store, target: Store, seen: Callable[[int], object]) -> Iterator[Difference]:
    """Yield the differences between two stores, traces first."""
    both = spans = 0
    for group in groups_of(source):
        trace_ids = [arrival.trace_id for arrival in group]
        hashes_of_source, hashes_of_copy = (_hashes(store, trace_ids) for store in (source, target))
        for trace_id in trace_ids:
            if hashes_of_source[trace_id] != hashes_of_copy[trace_id]:
                yield Difference(f"trace {trace_id}", _why(hashes_of_source[trace_id], hashes_of_copy[trace_id]))
        both += sum(count > 0 for count, _ in hashes_of_copy.values())
        spans += sum(count for count, _ in hashes_of_source.values())
        seen(spans)
    if target.retained().traces > both:
        strays = (each.trace_id for each in _arrivals(target) if source.trace(each.trace_id) is None)
        yield from (Difference(f"trace {trace_id}", "only there") for trace_id in islice(strays, MOST_NAMED))
    here, there = (sorted(map(content_of, all_labels(store)), key=repr) for store in (source, target))
    if here != there:
        yield Difference("labels", f"{len(here):,} here, {len(there):,} there")
    if missing := _missing_logs(source, target):
        yield Difference("logs", f"{missing:,} are missing there")
    lost, kept = lost_of(source), lost_of(target)
    if lost != kept:
        yield Difference("what was not recorded", f"{sum(lost.values()):,} here, {sum(kept.values()):,} there")


def content_of(label: Label) -> tuple[object, ...]:
    """Return the content of a label, without its id."""
    target = (label.run_id, label.trace_id, label.span_id)
    return (*target, label.name, label.score, label.value, label.note, label.author, label.source, label.time_unix_nano)


def all_labels(store: Store) -> Iterator[Label]:
    """Yield all labels, the latest first."""
    return every(lambda cursor: store.labels(cursor=cursor, limit=LABELS_AT_ONCE))


def all_logs(store: Store) -> Iterator[KeptLog]:
    """Yield all logs that are kept, whether or not they are joined to their spans."""
    after = ("", "", "")
    while page := store.kept_logs(after, limit=LOGS_AT_ONCE):
        yield from page
        after = _place_of(page[-1])


def _missing_logs(source: Store, target: Store) -> int:
    """Return how many logs only the source has."""
    there = map(_place_of, all_logs(target))
    found = next(there, None)
    missing = 0
    for place in map(_place_of, all_logs(source)):
        while found is not None and found < place:
            found = next(there, None)
        missing += found != place
    return missing


def _place_of(kept: KeptLog) -> tuple[str, str, str]:
    return kept.log.trace_id, kept.log.span_id, kept.identity


def all_losses(store: Store) -> tuple[Loss, ...]:
    """Return losses, the latest first."""
    return store.losses(limit=_MOST_LOSSES)


def lost_of(store: Store) -> dict[tuple[str, str], int]:
    """Return the total losses, by process and reason."""
    lost: dict[tuple[str, str], int] = {}
    for loss in all_losses(store):
        key = (loss.process, loss.reason)
        lost[key] = lost.get(key, 0) + loss.count
    return lost


def _arrivals(store: Store, after: int = 0) -> Iterator[Arrival]:
    while page := store.arrivals(after):
        yield from page
        after = page[-1].seq


def _hashes(store: Store, trace_ids: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return for each trace the number of its spans, and the sum of their hashes, which does not depend on order."""
    hashes: dict[str, tuple[int, int]] = dict.fromkeys(trace_ids, (0, 0))
    after = 0
    while page := store.stored(trace_ids, after=after, limit=SPANS_AT_ONCE):
        for span in (each.span for each in page):
            digest = int.from_bytes(blake2b(_PLAIN.encode(span), digest_size=16).digest(), "big")
            count, total = hashes[span.trace_id]
            hashes[span.trace_id] = (count + 1, (total + digest) % _MODULUS)
        after = page[-1].id
    return hashes


def _why(here: tuple[int, int], there: tuple[int, int]) -> str:
    if here[0] != there[0]:
        return f"{here[0]:,} spans here, {there[0]:,} there"
    return "spans that say something else"
