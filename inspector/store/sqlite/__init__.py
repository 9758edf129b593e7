"""The store in one SQLite file, which one process writes and any number of processes read.

Where to begin:

- `store` implements `inspector.store.Store`, over the functions below; `tables` and `migrations` have the tables.
- To write: `writer` stores a batch. `conversations` stores each message once, `families` finds duplicates, `totals`
  sums up traces, runs and sessions, `turns` follows conversations, and `write_connection` guards the file.
- To read: `queries` lists the queries. `reader` and `run_lists` answer most; `filters` makes conditions of a filter,
  `listing` and `membership` pages of those that have no index, and `search` finds texts.
- Statistics: `stats` from rows, `rollup_stats` from sums by the hour, which `stat_rollups` keeps.
- Upkeep: `upkeep` does what can wait, `retention` removes, `reserve` and `growth` deal with full disks, `integrity`
  and `salvage` with damage; `files` names the files.
"""

from inspector.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
