import sqlite3
from contextlib import closing

import pytest

from inspector.store.sqlite.sql.bulk import VALUES, execute_rows


@pytest.mark.parametrize("count", [0, 1, 3, 4, 15, 16, 17, 63, 64, 128, 511, 512, 513, 1024, 1601])
def test_every_row_is_written_once_in_its_order_whatever_their_number(count):
    rows = [(at, None if at % 3 else f"text {at}", at / 2, b"\0" if at % 2 else None) for at in range(count)]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (a, b, c, d)")
        execute_rows(database, f"INSERT INTO t VALUES {VALUES}", rows)
        assert database.execute("SELECT * FROM t ORDER BY rowid").fetchall() == rows
