"""The script that makes a new database, from what the migrations make; run as a program, it writes the script again."""

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from inspector.store.sqlite.database import schema
from inspector.store.sqlite.database.engine import writer_engine
from inspector.store.sqlite.migrations import upgrade

HEAD = "-- The schema that the migrations make, to create a new database without them.\n"
HEAD += "-- After a new migration: python tests/newest_schema.py\n"
SHADOWS = "search\\_%"
"""Tables that FTS5 makes by itself."""


def migrated(path: Path) -> Path:
    engine = writer_engine(path)
    with engine.begin() as connection:
        upgrade(connection)
    engine.dispose()
    return path


def script_of(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        made = database.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE ? ESCAPE '\\' "
            "AND name <> 'sqlite_sequence' ORDER BY rowid",
            (SHADOWS,),
        ).fetchall()
        statements = [sql for _, _, sql in made]
        for kind, name, sql in made:
            if kind == "table" and "VIRTUAL" not in sql:
                rows = database.execute(f"SELECT * FROM {name}").fetchall()
                statements += [f"INSERT INTO {name} VALUES ({', '.join(map(repr, row))})" for row in rows]
        options = database.execute("SELECT k, v FROM search_config WHERE k <> 'version'").fetchall()
        statements += [f"INSERT INTO search (search, rank) VALUES ('{name}', {value})" for name, value in options]
    return HEAD + "".join(f"\n{tidy(statement)};\n" for statement in statements)


def tidy(statement: str) -> str:
    lines = (line.replace("\t", "  ").rstrip() for line in statement.splitlines())
    return "\n".join(filter(None, lines))


if __name__ == "__main__":
    with TemporaryDirectory() as directory:
        schema.SCRIPT.write_text(script_of(migrated(Path(directory) / "new.db")), encoding="utf-8")
