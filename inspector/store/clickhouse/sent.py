"""Spans sent to the process that writes: they wait in the inbox as columns.

The writer reads their small columns and decides where each span belongs. ClickHouse moves the large columns itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, Final

import msgspec

from inspector.store.clickhouse.database import Database, Values, literal
from inspector.store.clickhouse.prepared import Content, Prepared, RowChange, Sent
from inspector.store.clickhouse.tables import SENT, SPANS
from inspector.store.values.rows import Row

_BESIDE: Final = ("trace_id", "session_id", "slot", "digest", "question", "answer")
"""Columns in addition to those of rows and contents."""
_OF_ROW: Final = frozenset(Row._fields) & (frozenset(SENT) - frozenset(_BESIDE) - frozenset(Content._fields))
READ: Final = tuple(name for name in SENT if name in _OF_ROW or name in _BESIDE)
"""The columns that `spans_of` expects."""
_BLANK: Final[dict[str, Any]] = {"id": 0, "seq": 0, "trace_id": 0, "attributes": b""}
_DECIDED: Final = {
    "id": "Int64",
    "seq": "Int64",
    "slot": "Int64",
    "digest": "UInt64",
    "session_id": "Nullable(String)",
    "session_inherited": "Nullable(UInt8)",
    "folded_into": "Nullable(String)",
    "counted_as": "String",
}
"""What the writer decides for each span, in the order of `_decided`."""
_LEFT_OUT: Final = (0, 0, 0, 0, None, None, None, "")


def columns_of(spans: Sequence[Prepared]) -> dict[str, Sequence[Any]]:
    """Return spans as the columns of the inbox."""
    if not spans:
        return dict.fromkeys(SENT, ())
    rows = zip(*(span.row for span in spans), strict=True)
    contents = zip(*(span.content for span in spans), strict=True)
    columns: dict[str, Sequence[Any]] = {
        **dict(zip(Row._fields, rows, strict=True)),
        **dict(zip(Content._fields, contents, strict=True)),
        **{name: [getattr(span, name) for span in spans] for name in _BESIDE},
    }
    return {name: columns[name] for name in SENT}


def size_of(spans: Iterable[Prepared]) -> int:
    """Return the approximate size of spans in bytes."""
    return sum(len(text.encode()) for span in spans for text in span.content if isinstance(text, str))


def spans_of(entry: str, columns: Sequence[Sequence[Any]]) -> list[Prepared]:
    """Return the spans of an entry from its columns `READ`."""
    by_name = dict(zip(READ, columns, strict=True))
    rows = zip(*(by_name[name] if name in _OF_ROW else repeat(_BLANK.get(name)) for name in Row._fields), strict=False)
    beside = zip(*(by_name[name] for name in _BESIDE), strict=True)
    return [
        Prepared(trace_id, session_id, slot, digest, Row._make(row), Sent(entry, at), question, answer)
        for at, (row, (trace_id, session_id, slot, digest, question, answer)) in enumerate(
            zip(rows, beside, strict=False), start=1
        )
    ]


def read_content(database: Database, sent: Sent) -> Content:
    """Return the content of a waiting span."""
    values = Values()
    columns = ", ".join(f"{name}[{sent.at}]" for name in Content._fields)
    return Content(
        *database.row(f"SELECT {columns} FROM inbox WHERE id = {values.text(sent.entry)} AND done = 0", values)
    )


def move(database: Database, changes: Mapping[str, Sequence[RowChange]], version: int) -> None:
    """Insert the spans of those changes whose content waits in the inbox."""
    decided: dict[str, dict[int, tuple[Any, ...]]] = {}
    for own in changes.values():
        for change in own:
            if isinstance(change.content, Sent):
                entry, at = change.content
                decided.setdefault(entry, {})[at] = _decided(change)
    if not decided:
        return
    values = Values()
    entries = values.texts(list(decided))
    lists = [[of.get(at, _LEFT_OUT) for at in range(1, max(of) + 1)] for of in decided.values()]
    kinds = f"Array(Array(Tuple({', '.join(_DECIDED.values())})))"
    of_entry = f"JSONExtract({literal(msgspec.json.encode(lists).decode())}, '{kinds}')[indexOf({entries}, entry)]"
    moved = [name for name in SPANS if name in SENT and name not in _DECIDED]
    columns = {f"decided.{at}": name for at, name in enumerate(_DECIDED, start=1)}
    columns |= {f"its_{name}": name for name in moved} | {f"{version}": "version"}
    joined = ", ".join(f"{name} AS its_{name}" for name in moved)
    database.insert_selected(
        f"INSERT INTO `spans` ({', '.join(columns.values())}) SELECT {', '.join(columns)} "
        f"FROM (SELECT id AS entry, {', '.join(moved)} FROM inbox WHERE id IN {entries} AND done = 0 LIMIT 1 BY id) "
        f"ARRAY JOIN arrayResize({of_entry}, length(span_id)) AS decided, {joined} WHERE decided.2 > 0",
        values,
    )


def _decided(change: RowChange) -> tuple[Any, ...]:
    row = change.row
    belongs = row.session_id, row.session_inherited, row.folded_into
    return row.id, row.seq, change.slot, change.digest, *belongs, change.counted_as
