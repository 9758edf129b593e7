import sqlite3
from contextlib import closing

import pytest


@pytest.fixture
def filled(home, write_spans, span):
    write_spans(*(span() for _ in range(25)))
    return home


@pytest.mark.slow
def test_a_copy_says_how_far_it_is_and_what_came_of_it(inspector, filled, tmp_path):
    url = f"chdb://{tmp_path / 'engine'}?database=team"
    done = inspector("db", "copy", str(filled), url)
    assert (done.returncode, done.stdout) == (0, b"copied 25 spans of 1 trace; both hold the same\n"), done.stderr
    assert done.stderr.splitlines() == [b"copying: 25 of 25 spans", b"comparing: 25 of 25 spans"]
    back = inspector("db", "copy", "clickhouse:", str(tmp_path / "back"), INSPECTOR_DATABASE_URL=url)
    assert back.stdout == done.stdout, back.stderr
    assert (tmp_path / "back" / "inspector.db").stat().st_mode & 0o777 == 0o600
    assert inspector("show", "last", "--home", str(tmp_path / "back")).returncode == 0


def test_what_is_not_the_same_is_named_and_fails(inspector, filled, tmp_path):
    target = tmp_path / "new"
    inspector("db", "copy", str(filled), str(target))
    with closing(sqlite3.connect(target / "inspector.db")) as connection, connection:
        connection.execute("UPDATE spans SET name = 'changed' WHERE id = 3")
    done = inspector("db", "copy", str(filled), str(target))
    assert done.returncode == 1
    assert b"inspector: trace 4bf92f3577b34da6a3ce929d0e0e4736: spans that say something else" in done.stderr
    assert done.stderr.endswith(b"inspector: copied 25 spans of 1 trace, and 1 difference is left; keep FROM\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("{home}", "{home}"), b"cannot be copied into itself"),
        (("{home}", "clickhouse:"), b"clickhouse: needs INSPECTOR_DATABASE_URL, which is not set"),
        (("{home}/inspector.db", "{new}"), b"is not a home; name a directory"),
        (("{new}", "{home}"), b"nothing has been recorded in"),
        (("{home}", "clickhouse://box"), b"write it as clickhouse://user:password@host:8123/database"),
    ],
)
def test_what_cannot_be_copied_says_why(inspector, filled, tmp_path, words, said):
    done = inspector("db", "copy", *(word.format(home=filled, new=tmp_path / "new") for word in words))
    assert done.returncode == 1
    assert said in done.stderr
    assert not (tmp_path / "new").exists()
