import re
import sqlite3
from contextlib import closing

from newest_schema import migrated, script_of

from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.database import schema


def contents(path):
    """The tables and indexes, whatever spaces their texts have, and all rows."""
    with closing(sqlite3.connect(path)) as database:
        made = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").fetchall()
        tables = [name for kind, name, _, sql in made if kind == "table" and "VIRTUAL" not in sql]
        rows = {name: sorted(database.execute(f"SELECT * FROM {name}").fetchall()) for name in tables}
        pragmas = [database.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "auto_vacuum")]
    return [(*row, re.sub(r"\s+", "", sql or "")) for *row, sql in made], rows, pragmas


def test_a_new_database_is_what_the_migrations_make(tmp_path):
    SqliteStore(tmp_path / "new.db").close()
    made, by_migrations = contents(tmp_path / "new.db"), contents(migrated(tmp_path / "migrated.db"))
    assert made == by_migrations


def test_the_script_is_that_of_the_newest_migration(tmp_path):
    written = schema.SCRIPT.read_text(encoding="utf-8")
    assert written == script_of(migrated(tmp_path / "migrated.db")), "run: python tests/newest_schema.py"
