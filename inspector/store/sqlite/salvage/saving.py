"""Copies everything readable in a damaged database into a new one."""

from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection

from inspector.store.errors import StoreMissing, StoreReadOnly
from inspector.store.protocol import Store
from inspector.store.sqlite.database import engine as engines
from inspector.store.sqlite.salvage.pages import Pages, Record
from inspector.store.sqlite.salvage.rows import content_of, index_root, indexed_span, is_span, span_of, trace_of
from inspector.store.sqlite.store import SqliteStore
from inspector.store.sqlite.writing import totals
from inspector.store.values.contents import content_ids
from inspector.store.values.rows import Row

_TRACE_INDEX = "ux_traces_trace"
_INSERT = f"INSERT OR IGNORE INTO spans ({', '.join(Row._fields)}) VALUES ({', '.join('?' * len(Row._fields))})"


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The result of a recovery."""

    store: Store
    """Reads the recovered spans."""
    spans: int
    lost: int
    """Spans that could not be read, but that have a row or an index entry."""
    without_messages: int
    """Recovered spans with missing messages."""
    renamed_traces: int
    """Traces whose id was lost, and that got a generated one."""


@dataclass(slots=True)
class _Finds:
    """What was found in the pages, besides spans and messages."""

    broken: int = 0
    """The number of span rows that cannot be read."""
    indexed: set[int] = field(default_factory=set[int])
    """Row ids of spans, from an index."""
    traces: dict[int, str] = field(default_factory=dict[int, str])
    """Ids of traces by row id, from their rows."""
    named: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    """Page, row id and id of index entries that may be of traces."""
    index_root: int | None = None


@contextmanager
def salvaged(path: Path) -> Generator[Salvaged]:
    """Copy everything readable in a database, page by page, into a temporary one that is removed after the block.

    The damaged database is not changed. Its write-ahead log is expected next to it.

    Raises:
        StoreMissing: There is no such database.
        StoreReadOnly: It cannot be read.
        StoreError: There is no space for the copy.
    """
    try:
        pages = Pages(path)
    except FileNotFoundError:
        raise StoreMissing(f"there is no database at {path}; name the one that is damaged") from None
    except OSError as err:
        raise StoreReadOnly(f"cannot read {path}: {err.strerror}; check its owner and mode") from err
    with closing(pages), TemporaryDirectory(prefix="inspector-salvage-") as directory:
        fresh = Path(directory) / "inspector.db"
        SqliteStore(fresh).close()
        counts = _save(pages, fresh)
        with closing(SqliteStore(fresh, read_only=True)) as store:
            yield Salvaged(store, *counts)


def _save(pages: Pages, fresh: Path) -> tuple[int, int, int, int]:
    engine = engines.writer_engine(fresh)
    try:
        with engines.translated(fresh), engine.begin() as connection:
            # If a page was written in the wrong place, two rows may have the same ``seq``.
            connection.exec_driver_sql("DROP INDEX ux_spans_changed")
            finds = _Finds()
            for record in pages.records():
                _take(connection, record, finds)
            saved = set(_numbers(connection, "SELECT id FROM spans"))
            renamed = _sum_up(connection, finds, pages)
            lost = max(finds.broken, len(finds.indexed - saved))
            return len(saved), lost, _without_messages(connection), renamed
    finally:
        engine.dispose()


def _take(connection: Connection, record: Record | None, finds: _Finds) -> None:
    if record is None:
        return
    if is_span(record):
        row = span_of(record)
        if row is None:
            finds.broken += 1
        else:
            _insert(connection, row)
    elif content := content_of(record):
        connection.exec_driver_sql("INSERT OR IGNORE INTO contents (id, hash, span, body) VALUES (?, ?, ?, ?)", content)
    elif (row_id := indexed_span(record)) is not None:
        finds.indexed.add(row_id)
    elif trace := trace_of(record):
        if record.row_id is None:
            finds.named.append((record.page, *trace))
        else:
            finds.traces[trace[0]] = trace[1]
    else:
        finds.index_root = index_root(record, _TRACE_INDEX) or finds.index_root


def _insert(connection: Connection, row: Row) -> None:
    if connection.exec_driver_sql(_INSERT, tuple(row)).rowcount:
        return
    # A page in the wrong place has rows twice, or in an earlier state; the latest change wins.
    older = connection.exec_driver_sql(
        "DELETE FROM spans WHERE (id = ? OR (trace_id = ? AND span_id = ?)) AND seq < ?",
        (row.id, row.trace_id, row.span_id, row.seq),
    )
    if older.rowcount:
        connection.exec_driver_sql(_INSERT, tuple(row))


def _sum_up(connection: Connection, finds: _Finds, pages: Pages) -> int:
    """Create the rows of traces, runs and sessions; returns how many traces got a generated id."""
    known = dict(_of_index(finds, pages)) | finds.traces
    traces: dict[int, str] = {}
    renamed = 0
    used: set[str] = set()
    for number in _numbers(connection, "SELECT DISTINCT trace_id FROM spans"):
        trace_id = known.get(number)
        if trace_id is None or trace_id in used:
            renamed += 1
            trace_id = f"{number & (1 << 128) - 1:032x}"
        used.add(trace_id)
        traces[number] = trace_id
    totals.sum_all(connection, traces)
    return renamed


def _of_index(finds: _Finds, pages: Pages) -> Iterable[tuple[int, str]]:
    for page, number, trace_id in finds.named:
        root = pages.root_of(page)
        # Session ids may look like trace ids, but have another index.
        if root is None or finds.index_root is None or root == finds.index_root:
            yield number, trace_id


def _without_messages(connection: Connection) -> int:
    saved = set(_numbers(connection, "SELECT id FROM contents"))
    shared = connection.exec_driver_sql("SELECT shared FROM spans WHERE shared IS NOT NULL").scalars()
    return sum(not content_ids((text,)) <= saved for text in shared)


def _numbers(connection: Connection, sql: str) -> list[int]:
    return list(connection.exec_driver_sql(sql).scalars())
