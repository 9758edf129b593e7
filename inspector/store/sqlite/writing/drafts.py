"""The rows of ``turns`` that a batch reads and changes, with few statements."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TypeAlias

from msgspec.structs import astuple
from sqlalchemy import Connection

from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.bulk import VALUES, execute_rows
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.values.turns import By, Turn

Lookup: TypeAlias = tuple[str, By, bytes | str]
"""How turns are looked up: by their run and the value of a column."""
_FETCHED = 128
_CONDITIONS: dict[By, str] = {"asked": "AND failed = 1 AND continued = 0", "answered": "", "response": ""}
"""Further conditions by column: an equal prompt matters only if its call failed."""
_NAMES = Turn.__struct_fields__
_SAVE = f"INSERT INTO turns ({', '.join(_NAMES)}) VALUES {VALUES} ON CONFLICT (span) DO UPDATE SET " + ", ".join(
    f"{name} = excluded.{name}" for name in _NAMES[1:]
)
_STORED = "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM turns WHERE run = value)"
_SELECT = f"SELECT {', '.join(_NAMES)} FROM turns"


class Drafts:
    """The turns of a batch, one object each, until `save`."""

    def __init__(self, connection: Connection) -> None:
        self._database = driver(connection)
        self._known: dict[int, Turn] = {}
        self._changed: dict[int, Turn] = {}
        self._continued: set[int] = set()
        self._by_lookup: dict[Lookup, dict[int, Turn]] = {}
        self._looked_up: set[Lookup] = set()
        self._has_stored: dict[str, bool] = {}
        """Whether a run has stored turns."""

    def load(self, row_ids: Sequence[int]) -> dict[int, Turn]:
        """Return the stored turns among these, by row id."""
        sql = f"{_SELECT} WHERE span IN (SELECT value FROM json_each(?))"
        for row in self._database.execute(sql, (json_list(list(row_ids)),)) if row_ids else ():
            self._known[row[0]] = Turn(*row)
        return dict(self._known)

    def look_up(self, lookups: Iterable[Lookup]) -> None:
        """Read the turns of these lookups together, so that `others` needs no statement for each."""
        missing = [lookup for lookup in dict.fromkeys(lookups) if lookup not in self._looked_up]
        self._read_runs({run for run, _, _ in missing if run not in self._has_stored})
        by_column: dict[By, list[Lookup]] = {}
        for lookup in missing:
            if self._has_stored[lookup[0]]:
                by_column.setdefault(lookup[1], []).append(lookup)
        for by, these in by_column.items():
            for start in range(0, len(these), _FETCHED):
                self._read(by, these[start : start + _FETCHED])

    def others(self, turn: Turn, by: By, value: bytes | str) -> list[Turn]:
        """Return the other turns of the run with the value, in their current state."""
        lookup = (turn.run, by, value)
        # Most runs have no turns but those of the batch.
        if self._has_stored.get(turn.run, True):
            self.look_up((lookup,))
        drafts = self._by_lookup.get(lookup, {}).values()
        return [each for each in drafts if each is not turn and getattr(each, by) == value]

    def keep(self, turn: Turn) -> None:
        """Mark a turn to be saved, and index it by its current values."""
        self._known[turn.span] = self._changed[turn.span] = turn
        self._index(turn)

    def note_continued(self, turn: Turn) -> None:
        """Note that a later call continues a turn."""
        turn.continued = 1
        self._continued.add(turn.span)

    def save(self) -> None:
        """Write the changed turns."""
        execute_rows(self._database, _SAVE, list(map(astuple, self._changed.values())))
        if older := self._continued - self._changed.keys():
            sql = "UPDATE turns SET continued = 1 WHERE span IN (SELECT value FROM json_each(?))"
            self._database.execute(sql, (json_list(sorted(older)),))

    def _read_runs(self, runs: set[str]) -> None:
        if runs:
            rows = self._database.execute(_STORED, (json_list(sorted(runs)),))
            self._has_stored |= dict.fromkeys(runs, False) | dict.fromkeys((run for (run,) in rows), True)

    def _read(self, by: By, lookups: Sequence[Lookup]) -> None:
        sql = (
            f"WITH wanted (r, v) AS (VALUES {','.join(['(?, ?)'] * len(lookups))}) {_SELECT} "
            f"JOIN wanted ON run = r AND {by} = v {_CONDITIONS[by]}"
        )
        values = chain.from_iterable((run, value) for run, _, value in lookups)
        for row in self._database.execute(sql, tuple(values)):
            self._index(self._known.setdefault(row[0], Turn(*row)))
        self._looked_up.update(lookups)

    def _index(self, turn: Turn) -> None:
        for by, value in turn.keys:
            self._by_lookup.setdefault((turn.run, by, value), {})[turn.span] = turn
