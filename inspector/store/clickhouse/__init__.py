"""The store on ClickHouse, for more than one machine; needs the extra ``clickhouse``.

Where to begin:

- `store` implements `inspector.store.Store`, over the functions below; `tables` and `schema` have the tables,
  `database` and `hosts` the connection.
- To write: `prepared` does what needs only the span. `writing` holds the `lease` or sends `changes` through the `inbox`
  to the process that has it, where `writer` numbers, folds and counts them, with the `members` of growing traces.
- To read: `queries` lists the queries. `events`, `summaries`, `sessions` and `outlines` answer most; `filters` and
  `summary_filters` make conditions of a filter, `listing` and `latest` pages, and `slots` finds the spans of a trace.
- Statistics: `stats` from rows, `rollup_stats` from sums by the hour, which `hours` keeps.
"""

from inspector.store.address import Address, read_address
from inspector.store.clickhouse.store import ClickHouseStore, create, upgrade
from inspector.store.clickhouse.tables import cluster_statements, statements

__all__ = ["Address", "ClickHouseStore", "cluster_statements", "create", "read_address", "statements", "upgrade"]
