"""Copies everything into another store, of the same engine or another. An interrupted copy can be continued.

The progress of a copy is stored in its target like the read position of a spool, after the data that it covers. Data
that is copied again is recognised, so nothing is stored twice.
"""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import groupby, islice
from typing import Final, Literal, TypeAlias

from inspector.homes import why_not_ours
from inspector.ingest.comparing import (
    LABELS_AT_ONCE,
    LOGS_AT_ONCE,
    Difference,
    all_labels,
    all_logs,
    all_losses,
    content_of,
    differences,
    groups_of,
    lost_of,
)
from inspector.ingest.errors import CopyRefused
from inspector.ingest.home import open_home
from inspector.model import Label, Log, Loss, NewLabel
from inspector.settings import Settings
from inspector.store import KeptLog, OwnerLock, ReadLimits, SpoolMark, Store, StoreReadOnly, database_name, open_store

Step: TypeAlias = Literal["copying", "comparing"]
SoFar: TypeAlias = Callable[[Step, int, int], object]
_PATIENT: Final = ReadLimits(read_s=3600, walk_s=3600, scan_s=3600)
_MARK: Final = "copy of "


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied, and the remaining differences."""

    traces: int
    spans: int
    differing: tuple[Difference, ...]


@dataclass(slots=True)
class _Clock:
    """A clock that returns the original arrival time, because a store takes the current time for it."""

    at_ns: int = field(default_factory=time.time_ns)

    def __call__(self) -> int:
        return self.at_ns


def copy_home(source: Settings, target: Settings, *, so_far: SoFar) -> Copied:
    """Copy everything from one home or database into another, and compare the two.

    The target must be empty or the result of an earlier call with the same source. The spool of the source is ingested
    first. Both homes are locked, so that no server runs on them. ``seq`` and the ids of labels are assigned again.

    Args:
        source: The original; it does not change.
        target: Where the copy goes.
        so_far: Called with the name of the step, the number of finished spans, and their total.

    Raises:
        CopyRefused: They are the same, the target has something else, or the source changed meanwhile.
        NothingRecorded: There is nothing to copy.
        OwnedElsewhere: A server or a command owns one of them.
        StoreError: One cannot be opened, read or written; copied data stays, and the next call continues.
    """
    if database_name(source) == database_name(target):
        raise CopyRefused(f"{database_name(source)} cannot be copied into itself; name another one")
    if source.database_url is None:
        with open_home(source, write=True):
            pass
    with ExitStack() as stack:
        for settings in {each.home: each for each in (source, target)}.values():
            stack.enter_context(_alone(settings))
        clock = _Clock()
        old = stack.enter_context(closing(open_store(source, read_only=True, limits=_PATIENT)))
        new = stack.enter_context(closing(open_store(target, limits=_PATIENT, now_ns=clock)))
        mark = _begun(_mark_of(source), old, new, database_name(target))
        last, health = old.last_seq(), old.health()
        _copy_spans(old, new, mark, clock, lambda done: so_far("copying", min(done, health.spans), health.spans))
        _copy_logs(old, new, clock)
        _copy_rest(old, new)
        # If a server is the target's writer, it may not have applied this process's changes yet.
        new.maintain()
        differing = tuple(differences(old, new, lambda done: so_far("comparing", done, health.spans)))
        if old.last_seq() != last:
            raise CopyRefused(f"{database_name(source)} changed meanwhile: stop what writes it, and start this again")
        return Copied(old.retained().traces, health.spans, differing)


@contextmanager
def _alone(settings: Settings) -> Generator[None]:
    """Hold the lock of a home, so that no server or command writes to it."""
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if why := why_not_ours(settings.home):
        raise StoreReadOnly(why)
    with OwnerLock(settings.lock_file):
        yield


def _mark_of(source: Settings) -> SpoolMark:
    # With the inode, since a replaced database file is another source.
    inode = source.database.stat().st_ino if source.database_url is None else 0
    return SpoolMark(f"{_MARK}{database_name(source)}", inode, 0)


def _begun(mark: SpoolMark, old: Store, new: Store, place: str) -> SpoolMark:
    """Return the progress of a copy, after starting it if the target is empty.

    Raises:
        CopyRefused: The target has something else.
    """
    saved = new.spools().get(mark.name)
    if saved is not None:
        if saved.inode != mark.inode or saved.offset > old.last_seq():
            raise CopyRefused(f"{place} has a copy of what was there before; copy into an empty one")
        return saved
    if new.health().spans or new.losses(limit=1) or new.labels(limit=1).items:
        raise CopyRefused(f"{place} is not empty and not the result of this copy; copy into an empty one")
    new.write((), marks=[mark])
    return mark


def _copy_spans(old: Store, new: Store, mark: SpoolMark, clock: _Clock, seen: Callable[[int], object]) -> None:
    copied = mark.spans
    for group in groups_of(old, mark.offset):
        clock.at_ns = group[-1].arrived_ns or time.time_ns()
        trace_ids = [arrival.trace_id for arrival in group]
        after = 0
        while page := old.stored(trace_ids, after=after):
            new.write([each.span for each in page])
            after = page[-1].id
            copied += len(page)
            seen(copied)
        mark = replace(mark, offset=group[-1].seq, spans=copied)
        new.write((), marks=[mark])
    clock.at_ns = time.time_ns()


def _copy_logs(old: Store, new: Store, clock: _Clock) -> None:
    """Copy logs, which are joined there again, and change nothing if they are joined here."""
    for arrived_ns, logs in groupby(all_logs(old), lambda kept: kept.arrived_ns):
        clock.at_ns = arrived_ns
        for batch in iter(partial(_some, logs), []):
            new.write((), logs=batch)
    clock.at_ns = time.time_ns()


def _some(logs: Iterator[KeptLog]) -> list[Log]:
    return [kept.log for kept in islice(logs, LOGS_AT_ONCE)]


def _copy_rest(old: Store, new: Store) -> None:
    """Copy everything but spans; the read positions of spools last, when the data that they cover is there."""
    old_labels = {content_of(label): label for label in all_labels(old)}
    new_labels = {content_of(label): label for label in all_labels(new)}
    for label in (new_labels[each] for each in new_labels.keys() - old_labels.keys()):
        new.remove_label(label.label_id)
    missing = [_new(label) for content, label in reversed(old_labels.items()) if content not in new_labels]
    for start in range(0, len(missing), LABELS_AT_ONCE):
        new.write((), labels=missing[start : start + LABELS_AT_ONCE])
    if losses := _missing_losses(old, new):
        new.write((), losses=losses)
    for removed in old.health().removed:
        new.note_removal(removed)
    if old.is_clock_doubted():
        new.doubt_clock(doubted=True)
    if marks := [mark for mark in old.spools().values() if not mark.name.startswith(_MARK)]:
        new.write((), marks=marks)


def _missing_losses(old: Store, new: Store) -> list[Loss]:
    known, missing = lost_of(new), dict[tuple[str, str], list[Loss]]()
    # The earliest first, because the store joins a time range with a close one before it.
    for loss in reversed(all_losses(old)):
        missing.setdefault((loss.process, loss.reason), []).append(loss)
    still_missing: list[Loss] = []
    for key, losses in missing.items():
        more = sum(loss.count for loss in losses) - known.get(key, 0)
        if key not in known:
            still_missing += losses
        elif more > 0:
            # The count has grown since an earlier copy: the difference goes to the latest time range.
            still_missing.append(replace(losses[-1], count=more))
    return still_missing


def _new(label: Label) -> NewLabel:
    copied = {each.name: getattr(label, each.name) for each in fields(NewLabel) if each.name != "time_ns"}
    return NewLabel(**copied, time_ns=int(label.time_unix_nano))
