"""The rows of ``traces``, ``runs`` and ``sessions``: how totals are stored and read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import islice
from operator import attrgetter
from typing import Any, Generic, TypeVar

import msgspec
from sqlalchemy import Connection

from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.bulk import VALUES, execute_rows
from inspector.store.values.codec import pack_text, unpack_text
from inspector.store.values.sums import RunSums, SessionSums, Sums, TraceSums

S = TypeVar("S", bound=Sums)

_PACKED = ("question", "answer", "models")
"""Fields that are stored in another form."""
_MODELS = msgspec.json.Decoder(set[str])
_FETCHED = 256


class SumRows(Generic[S]):
    """A table of totals.

    Args:
        table: Its name.
        keys: The columns that identify a row and never change; the first is looked up when it is saved.
        of: The class of the totals, whose fields are the columns.
        apart: Fields that are no columns.
        make: Creates totals from the columns of a row.
    """

    def __init__(
        self,
        table: str,
        keys: Sequence[str],
        of: type[S],
        *,
        apart: Sequence[str] = (),
        make: Callable[..., S] | None = None,
    ) -> None:
        names = [field.name for field in fields(of) if field.name not in apart]
        self._packs = set(names) >= set(_PACKED)
        plain = [name for name in names if not self._packs or name not in _PACKED]
        self.columns = (*plain, *_PACKED) if self._packs else tuple(plain)
        self.make = make or of
        self._table = table
        self._plain_values = attrgetter(*plain)
        changed = ", ".join(f"{name} = excluded.{name}" for name in self.columns if name not in keys)
        self._save = (
            f"INSERT INTO {table} ({', '.join(self.columns)}) VALUES {VALUES} "
            f"ON CONFLICT ({keys[0]}) DO UPDATE SET {changed}"
        )

    def load(self, connection: Connection, by: str, keys: Iterable[str | int]) -> Iterator[S]:
        """Yield the stored totals with one of these values in a column."""
        remaining = iter(keys)
        while chunk := tuple(islice(remaining, _FETCHED)):
            sql = f"SELECT {', '.join(self.columns)} FROM {self._table} WHERE {by} IN ({','.join('?' * len(chunk))})"
            for row in driver(connection).execute(sql, chunk):
                yield self.make(**self.read(row))

    def read(self, row: Sequence[Any]) -> dict[str, Any]:
        """Return the fields of a row with these columns."""
        values: dict[str, Any] = dict(zip(self.columns, row, strict=True))
        if self._packs:
            values |= {name: unpack_text(values[name]) for name in ("question", "answer")}
            values["models"] = _MODELS.decode(values["models"])
        return values

    def save(self, connection: Connection, totals: Iterable[S]) -> None:
        """Insert totals, or replace those with the same key."""
        execute_rows(driver(connection), self._save, list(map(self._values, totals)))

    def _values(self, sums: Any) -> tuple[Any, ...]:
        sums.saturate()
        values = self._plain_values(sums)
        if not self._packs:
            return values
        models = msgspec.json.encode(sorted(sums.models)).decode()
        return (*values, pack_text(sums.question), pack_text(sums.answer), models)


def _trace(**values: Any) -> TraceSums:
    return TraceSums(**values, head_status=values["status"])


TRACES = SumRows("traces", ("id", "trace_id"), TraceSums, apart=("head_status",), make=_trace)
RUNS = SumRows("runs", ("run_id",), RunSums, apart=("head_is_message", "head_ns"))
"""Without what is read from the trace that gives a run its name."""
SESSIONS = SumRows("sessions", ("session_id",), SessionSums)
