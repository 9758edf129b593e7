"""The store in one SQLite file, which one process writes and any number of processes read.

Where to begin:

- `store` implements `inspector.store.Store`, over the packages below; `tables` and `migrations` have the tables.
- `database` opens the file: `engine` connects, `write_connection` writes, `read_connections` read, `integrity` checks
  for damage, `reserve` and `growth` deal with full disks. `salvage` reads what is left of a damaged file.
- `writing` stores spans: `writer` a batch, `conversations` each message once, `families` finds duplicates, `totals`
  sums up traces, runs and sessions, `turns` follows conversations.
- `queries` lists the queries, which are in `lists` (`reader` and `run_lists` answer most, `filters` makes conditions
  of a filter), `search` (the full-text index), `statistics` and, for single spans and traces, `rows`.
- `upkeep` does what can wait and removes old spans.
- `sql` has what statements consist of.
"""

from inspector.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
