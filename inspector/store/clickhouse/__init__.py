"""The store on ClickHouse, for more than one machine; needs the extra ``clickhouse``."""

from inspector.store.address import Address, read_address
from inspector.store.clickhouse.store import ClickHouseStore, create, upgrade
from inspector.store.clickhouse.tables import cluster_statements, statements

__all__ = ["Address", "ClickHouseStore", "cluster_statements", "create", "read_address", "statements", "upgrade"]
