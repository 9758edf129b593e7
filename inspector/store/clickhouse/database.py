"""A ClickHouse database: queries with bound values, inserts that can be repeated, errors as `StoreError`."""

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final, Self

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError, DatabaseError, OperationalError

from inspector.store.address import Address
from inspector.store.clickhouse.hosts import Hosts
from inspector.store.clickhouse.tables import TABLES
from inspector.store.errors import QueryTooSlow, StoreBusy, StoreError, StoreFull, StoreReadOnly
from inspector.store.values.rows import clean

_TIMEOUT: Final = 159
_TOO_MUCH_MEMORY: Final = 241
_NO_SPACE: Final = 243
_READ_ONLY: Final = frozenset((164, 242, 497))
"""Error codes of a database that is read-only, for everyone or for this user."""
_BUSY: Final = frozenset((202, 209, 210, 252, 319, 999))
"""Error codes for too many queries or parts, a network failure, and an insert with an unknown outcome."""
_UNKNOWN_SETTING: Final = 115
_FIXED_SETTING: Final = 452
_OLDEST: Final = "26.6"
"""The version of ClickHouse that has all settings of queries and tables."""
_REFUSED: Final = frozenset((192, 193, 194, 516))
"""Error codes of an unknown user and a wrong password."""
_IS_RIGHT: Final = "is it running, and is INSPECTOR_DATABASE_URL right?"
_ADVICE: Final = (
    ("CERTIFICATE_VERIFY_FAILED", "if an authority of your own signed it, name that one's file in SSL_CERT_FILE"),
    ("SSL: ", "is the port for TLS? ?secure=1 needs one, usually 8443"),
    ("Connection reset", "is it running, and is the port for TLS? Then INSPECTOR_DATABASE_URL needs ?secure=1"),
    ("Remote end closed", "is it running, and is the port for TLS? Then INSPECTOR_DATABASE_URL needs ?secure=1"),
)
"""What to check, by a part of why a server does not answer."""
_REASON: Final = re.compile(r"(?:DB::Exception: |HTTP driver received )(.+?)(?: \(version | \(for url |$)")
_LONGEST_REASON: Final = 200
_TYPE: Final = re.compile(" (?:CODEC|DEFAULT)")
"""The end of a type in a column's definition."""
_ONE_BLOCK: Final = 1 << 30
"""More rows than an insert has."""
_SETTINGS: Final[Mapping[str, Any]] = {
    # All versions of a row are in the same partition.
    "do_not_merge_across_partitions_select_final": 1,
    "optimize_move_to_prewhere_if_final": 1,
    "use_skip_indexes_if_final": 1,
    "use_skip_indexes_if_final_exact_mode": 1,
    "join_use_nulls": 1,
}
_INSERTING: Final[Mapping[str, Any]] = {
    "async_insert": 0,
    # A block has each key once; looking for replaced rows in it takes a tenth of the insert.
    "optimize_on_insert": 0,
    # A block is written by one thread anyway; passing it to another one takes a third of a small insert.
    "max_threads": 1,
}
_LONGEST_BOUND: Final = 1 << 14
"""The largest bound array in bytes. ClickHouse refuses values of more than 128 KB (`http_max_field_value_size`), and
those of a command are all in its address, of which it takes 1 MB (`http_max_uri_size`)."""
_LONGEST_SQL: Final = 1 << 16
"""The longest query in characters that has room in the default of ``max_query_size``, 256 KB."""


def literal(text: str) -> str:
    """Return a text as it is written in a query."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


@dataclass(slots=True)
class Values:
    """The values of one query: bound to it, or written in it if they are too many for that."""

    bound: dict[str, Any] = field(default_factory=dict[str, Any])

    def text(self, value: str) -> str:
        """Bind a text."""
        return self._named("String", clean(value))

    def texts(self, values: Sequence[str]) -> str:
        """Bind several texts."""
        cleaned = [clean(value) for value in values]
        return self._array("Array(String)", cleaned, map(literal, cleaned))

    def integers(self, values: Sequence[int]) -> str:
        """Bind several numbers of 64 bits."""
        return self._array("Array(Int64)", list(values), map(str, values))

    def integer(self, value: int) -> str:
        """Bind a number of 64 bits."""
        return self._named("Int64", value)

    def real(self, value: float) -> str:
        """Bind a floating-point number."""
        return self._named("Float64", float(value))

    def _array(self, kind: str, values: list[Any], written: Iterable[str]) -> str:
        items = ", ".join(written)
        return self._named(kind, values) if len(items.encode()) <= _LONGEST_BOUND else f"CAST([{items}], '{kind}')"

    def _named(self, kind: str, value: Any) -> str:
        name = f"v{len(self.bound)}"
        self.bound[name] = value
        return f"{{{name}:{kind}}}"


class Database:
    """Queries and writes one database, from any thread.

    Args:
        address: The address.
        read_s: How long one query may take.

    Raises:
        StoreError: It does not answer, or refuses the user.
    """

    def __init__(self, address: Address, *, read_s: float) -> None:
        self.address = address
        self.read_s = read_s
        """How long one query may take."""
        with self._translated(None):
            self._hosts = Hosts(address)
        version = self._hosts.client.server_version
        if not self._hosts.client.min_version(_OLDEST):
            self._hosts.close()
            raise StoreError(f"{address} has version {version}; ClickHouse must be {_OLDEST} or newer")

    def patient(self, least_s: float) -> Self:
        """Return the same database over the same connections, whose queries may take at least so long."""
        other = copy(self)
        other.read_s = max(self.read_s, least_s)
        return other

    def begin(self) -> None:
        """Make this the default database of the connection; it has to exist by now."""
        self._hosts.begin()

    def rows(self, sql: str, values: Values | None = None, settings: Mapping[str, Any] | None = None) -> Sequence[Any]:
        """Return the rows of a query.

        Raises:
            QueryTooSlow: It takes longer than a read may.
            StoreError: It cannot be answered now (`StoreBusy`) or at all.
        """
        with self._asked() as client:
            settings = {**_SETTINGS, **_room_for(sql), "max_execution_time": self.read_s, **(settings or {})}
            result = client.query(sql, parameters=None if values is None else values.bound, settings=settings)
            return result.result_rows

    def row(self, sql: str, values: Values | None = None) -> Any:
        """Return the first row of a query; None if there is none."""
        rows = self.rows(sql, values)
        return rows[0] if rows else None

    def command(self, sql: str, values: Values | None = None, settings: Mapping[str, Any] | None = None) -> None:
        """Run a statement without a time limit."""
        with self._asked() as client:
            room = {**_room_for(sql), **(settings or {})}
            client.command(sql, parameters=None if values is None else values.bound, settings=room)

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, token: str) -> None:
        """Insert rows in one block; repeating it with the same token changes nothing."""
        if rows:
            self.insert_columns(table, dict(zip(columns, zip(*rows, strict=True), strict=True)), token=token)

    def insert_columns(self, table: str, columns: Mapping[str, Sequence[Any]], *, token: str) -> None:
        """Insert whole columns as `insert` does rows."""
        if not columns:
            return
        settings = {**_INSERTING, "insert_deduplication_token": f"{table} {token}"}
        try:
            self._insert(table, columns, settings)
        except StoreBusy:
            # If only the response was lost, the same token keeps the rows from being inserted twice.
            self._insert(table, columns, settings)

    def insert_selected(self, sql: str, values: Values) -> None:
        """Run an ``INSERT … SELECT`` that inserts the same rows when it is repeated."""
        settings = {"async_insert": 0}
        try:
            self.command(sql, values, settings)
        except StoreBusy:
            # If only the response was lost, the same rows have the same version.
            self.command(sql, values, settings)

    def close(self) -> None:
        """Close the connections."""
        self._hosts.close()

    def _insert(self, table: str, columns: Mapping[str, Sequence[Any]], settings: dict[str, Any]) -> None:
        kinds = TABLES[table].columns
        with self._asked() as client:
            context = client.create_insert_context(
                table,
                column_names=list(columns),
                # Without them, the client queries the types before each insert.
                column_type_names=[_TYPE.split(kinds[name])[0] for name in columns],
                column_oriented=True,
                settings=settings,
            )
            # Without it, the client measures every value to find out how many rows are 2 MB.
            context.req_block_size = _ONE_BLOCK
            context.data = list(columns.values())
            client.insert(context=context)

    @contextmanager
    def _asked(self) -> Generator[Any]:
        """Yield the client; its types are incomplete."""
        client = self._hosts.client
        with self._translated(client):
            yield client

    @contextmanager
    def _translated(self, client: Client | None) -> Generator[None]:
        try:
            yield
        except OperationalError as error:
            if client is not None:
                self._hosts.leave(client)
            reason = _reason(error)
            advice = next((advice for part, advice in _ADVICE if part in reason), _IS_RIGHT)
            raise StoreBusy(f"{self.address} does not answer ({reason}): {advice}") from error
        except DatabaseError as error:
            if error.code is None and client is not None:
                self._hosts.leave(client)
            raise self._store_error(error) from error
        except ClickHouseError as error:
            raise StoreError(f"{self.address}: {_reason(error)}") from error

    def _store_error(self, error: DatabaseError) -> StoreError:
        code = error.code
        if code == _TIMEOUT:
            return QueryTooSlow(f"the read took longer than {self.read_s:g} s; a narrower filter answers faster")
        if code == _TOO_MUCH_MEMORY:
            return QueryTooSlow("the read took more memory than ClickHouse allows; a narrower filter takes less")
        if code == _NO_SPACE:
            return StoreFull(f"no space is left for {self.address}")
        if code in _READ_ONLY:
            return StoreReadOnly(f"{self.address} cannot be written: {_reason(error)}")
        if code is None and self.address.hosts:
            # Probably a proxy whose server is down for now.
            return StoreBusy(f"{self.address} answers as no ClickHouse does ({_reason(error)}): {_IS_RIGHT}")
        advice = "; are user and password in INSPECTOR_DATABASE_URL right?" if code in _REFUSED else ""
        if code == _UNKNOWN_SETTING:
            advice = f"; ClickHouse must be {_OLDEST} or newer"
        if code == _FIXED_SETTING:
            advice = "; let the inspector's user change it, in its settings profile"
        return (StoreBusy if code in _BUSY else StoreError)(f"{self.address}: {_reason(error)}{advice}")


def _room_for(sql: str) -> Mapping[str, Any]:
    return {"max_query_size": 2 * len(sql.encode())} if len(sql) > _LONGEST_SQL else {}


def _reason(error: BaseException) -> str:
    """Return the actual reason in the messages of the client and the server."""
    last: BaseException | None = error
    while last is not None:
        within = (getattr(last, "reason", None), last.__cause__, *last.args)
        error, last = last, next((each for each in within if isinstance(each, BaseException)), None)
    message = (error.strerror if isinstance(error, OSError) else None) or str(error)
    line = " ".join(message.split())
    match = _REASON.search(line)
    return (line if match is None else match[1])[:_LONGEST_REASON]
