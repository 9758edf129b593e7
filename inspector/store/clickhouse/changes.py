"""Changes to a database: the writer applies them, and other processes send them to it as JSON."""

from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from inspector.model import NewLabel
from inspector.store.clickhouse import labels, removal
from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.logs import JoinedLogs, Logs, forget_logs
from inspector.store.clickhouse.prepared import Prepared, Preparing
from inspector.store.clickhouse.writer import Writer
from inspector.store.model import Age, Deletable
from inspector.store.values.logs import LogRow

_CONDITIONS: Final[dict[Deletable, str]] = {
    "trace": "trace_id = {}",
    "run": "run_id = {}",
    "session": "arrayExists(share -> share.session_id = {}, shares)",
}


AnySpan: TypeAlias = Prepared | dict[str, Any]
"""A prepared span, or one in the format that earlier versions left in the inbox."""


class Write(Struct, tag="write", frozen=True):
    """Store new spans, labels and logs."""

    spans: Sequence[AnySpan]
    labels: Sequence[NewLabel] = ()
    arrived_ns: int = 0
    late: bool = False
    """Whether they may be stored already, with a ``seq`` that readers have passed, and need a new one."""
    logs: Sequence[LogRow] = ()


class WriteAgain(Struct, tag="again", frozen=True):
    """Replace stored spans by new interpretations of them."""

    spans: Sequence[AnySpan]
    joined: Sequence[JoinedLogs] = ()
    """Logs that were joined to their spans."""


class MarkLost(Struct, tag="lose", frozen=True):
    """Mark the running spans of dead processes as lost."""

    processes: Sequence[str]


class GiveLabel(Struct, tag="label", frozen=True):
    """Add a label to a stored run or span."""

    label: NewLabel


class RemoveLabel(Struct, tag="unlabel", frozen=True):
    """Remove a label."""

    label_id: int


class Delete(Struct, tag="delete", frozen=True):
    """Remove a trace, or all traces of a run or session."""

    of: Deletable
    id: str


class Prune(Struct, tag="prune", frozen=True):
    """Remove the oldest traces, by age and by size."""

    before_ns: int | None
    max_bytes: int | None
    by: Age
    for_s: float | None


class DropLogs(Struct, tag="drop", frozen=True):
    """Remove logs that have been kept for long enough."""

    before_hour: int
    most: int


class Note(Struct, tag="note", frozen=True):
    """Store notes."""

    numbers: dict[str, int]


Change: TypeAlias = Write | WriteAgain | MarkLost | GiveLabel | RemoveLabel | Delete | Prune | DropLogs | Note
_decoder: Final = msgspec.json.Decoder[Change](Change)


def encode_change(change: Change) -> str:
    """Return a change, whose texts can be stored, as JSON."""
    return msgspec.json.encode(change).decode()


def decode_change(text: str) -> Change:
    """Return the change in a JSON text.

    Raises:
        msgspec.MsgspecError: It is not a change.
    """
    return _decoder.decode(text)


def apply(  # noqa: PLR0911 - a line each
    change: Change, database: Database, writer: Writer, logs: Logs, preparing: Preparing, now_ns: Callable[[], int]
) -> Any:
    """Apply a change, and return its outcome as a JSON value."""
    match change:
        case Write():
            return _write(change, database, writer, logs, preparing)
        case WriteAgain():
            return _write_again(change, writer, logs, preparing)
        case MarkLost(processes):
            logs.follow_lost(processes)
            return writer.mark_lost(processes)
        case GiveLabel(label):
            return labels.write_labels(database, writer, [label])[0]
        case RemoveLabel(label_id):
            return labels.remove_label(database, writer, label_id) is not None
        case Delete():
            return _delete(change, database, writer)
        case Prune():
            return _prune(change, database, writer, now_ns)
        case DropLogs(before_hour, most):
            return logs.drop(before_hour, most)
        case Note(numbers):
            return writer.note(numbers)


def _write(change: Write, database: Database, writer: Writer, logs: Logs, preparing: Preparing) -> None:
    if change.spans:
        writer.numbers["arrived"] = change.arrived_ns
    spans = [preparing.read(span) for span in change.spans]
    logs.follow(spans, change.logs, change.arrived_ns)
    writer.write(spans, late=change.late)
    labels.write_labels(database, writer, change.labels)


def _write_again(change: WriteAgain, writer: Writer, logs: Logs, preparing: Preparing) -> int:
    spans = [preparing.read(span) for span in change.spans]
    if not change.joined:
        return writer.write(spans, again=True)
    stale = logs.stale(change.joined)
    changed = writer.write([span for span in spans if (span.trace_id, span.span_id) not in stale], again=True)
    logs.mark_joined([each for each in change.joined if (each.trace_id, each.span_id) not in stale])
    return changed


def _delete(change: Delete, database: Database, writer: Writer) -> int:
    if change.of == "trace":
        # It may consist of logs that wait for their spans.
        forget_logs(database, [change.id])
    return removal.delete_traces(database, writer, removal.traces_of(database, _CONDITIONS[change.of], change.id))


def _prune(change: Prune, database: Database, writer: Writer, now_ns: Callable[[], int]) -> tuple[Any, ...]:
    pruned = removal.prune(
        database,
        writer,
        before_ns=change.before_ns,
        max_bytes=change.max_bytes,
        by=change.by,
        for_s=change.for_s,
    )
    if change.by == "arrival" and change.before_ns is not None:
        writer.note({"looked": now_ns()})
    return astuple(pruned)
