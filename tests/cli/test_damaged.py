import os
import random
import re
from contextlib import closing

import pytest

from inspector.store import StoreUnchecked
from inspector.store.sqlite.database import integrity
from inspector.store.sqlite.salvage.pages import Pages
from inspector.store.sqlite.salvage.rows import is_span


@pytest.fixture
def waiting(home):
    """A line in the spool that a sound database would take in."""
    (home / "spool").mkdir(mode=0o700, parents=True)
    path = home / "spool" / "a.jsonl"
    path.write_text('{"resourceSpans":[]}\n')
    return path


def test_what_reads_goes_on_reading_a_damaged_database_and_says_so_in_a_line(
    ask, home, write_spans, span, break_index, waiting
):
    write_spans(span(), span())
    before = break_index()
    for arguments in (["events"], ["show"], ["sessions"]):
        code, _, errors = ask(*arguments)
        assert code == 0
        said = [line for line in errors.splitlines() if "damaged" in line]
        assert len(said) == 1, errors
        assert "inspector export --salvage" in said[0]
    assert len(ask("events")[1].splitlines()) == 3
    assert (home / "inspector.db").read_bytes() == before
    assert waiting.exists()


def test_what_writes_is_refused_on_a_damaged_database(ask, home, write_spans, span, break_index, waiting, tmp_path):
    write_spans(span(), span())
    before = break_index()
    (tmp_path / "in.jsonl").write_bytes(waiting.read_bytes())
    for arguments in (["prune", "--older-than", "1d", "--yes"], ["import", str(tmp_path / "in.jsonl")]):
        code, _, errors = ask(*arguments)
        assert code == 1
        assert errors.startswith(f"inspector: {home / 'inspector.db'} is damaged (")
        assert len(errors.splitlines()) == 1
    assert (home / "inspector.db").read_bytes() == before
    assert waiting.exists()


def test_a_statement_that_meets_a_broken_page_says_that_and_asks_for_no_report(ask, write_spans, span, break_index):
    write_spans(*(span() for _ in range(20)))
    break_index("ix_spans_time")
    code, _, errors = ask("events")
    assert code == 1
    assert "is damaged (" in errors
    assert "unexpected" not in errors


def test_a_database_that_takes_too_long_to_check_is_read_as_it_is_and_written_by_what_has_the_time(
    ask, home, write_spans, span, waiting, monkeypatch
):
    write_spans(span(), span())
    os.utime(home / "inspector.db")
    real = integrity.check

    def slow(path, *, limit_s=None, **options):
        if limit_s is not None:
            raise StoreUnchecked("it takes too long")
        real(path, **options)

    monkeypatch.setattr(integrity, "check", slow)
    code, output, errors = ask("events")
    assert (code, len(output.splitlines()), errors) == (0, 3, "inspector: it takes too long\n")
    assert not integrity.is_as_left(home / "inspector.db")
    assert ask("prune", "--older-than", "900000d", "--yes")[0] == 0
    assert ask("events")[2] == ""


def test_what_is_salvaged_is_all_of_it_here_or_what_is_named_and_can_be_imported(
    ask, home, write_spans, span, break_index, tmp_path
):
    write_spans(*(span() for _ in range(20)), span(trace_id="b" * 32))
    break_index("ix_spans_trace")
    database, saved = home / "inspector.db", tmp_path / "saved.jsonl"
    assert ask("export", "--all", "-o", str(saved))[0] == 1
    code, output, errors = ask("export", "--salvage", str(database), "-o", str(saved))
    assert (code, output) == (0, "")
    assert errors == f"salvaged 21 spans\nexported 21 spans of 2 traces to {saved}\n"
    code, _, errors = ask("export", "b" * 32, "--salvage", str(database), "-o", str(tmp_path / "one.jsonl"))
    assert "exported 1 span of 1 trace" in errors
    for file in home.glob("inspector.db*"):
        file.rename(tmp_path / file.name)
    assert "imported 21 spans of 2 traces" in ask("import", str(saved))[2]
    assert "salvaged 21 spans" in ask("export", "--salvage", str(tmp_path / database.name), "-o", str(saved))[2]


def test_what_salvage_cannot_read_is_said(ask, home, write_spans, span, tmp_path):
    write_spans(*(span(attributes={"x": random.Random(at).randbytes(1500).hex()}) for at in range(20)))
    content = bytearray((home / "inspector.db").read_bytes())
    with closing(Pages(home / "inspector.db")) as pages:
        page = [record.page for record in pages.records() if record and is_span(record)][0]
    content[(page - 1) * 16384 : page * 16384] = bytes(16384)
    (home / "inspector.db").write_bytes(content)
    code, _, errors = ask("export", "--salvage", str(home / "inspector.db"), "-o", str(tmp_path / "saved.jsonl"))
    assert code == 0
    assert re.match(r"salvaged (\d+) spans; (\d+) spans cannot be read\nexported \1 spans of 1 trace", errors)
    code, _, errors = ask("export", "--salvage", str(tmp_path / "none.db"), "-o", str(tmp_path / "saved.jsonl"))
    assert (code, "there is no database at" in errors) == (1, True)


def test_doctor_names_the_damage_and_what_to_do(ask, write_spans, span, break_index):
    write_spans(span())
    break_index()
    code, output, _ = ask("doctor")
    assert code == 1
    (line,) = [line for line in output.splitlines() if "damaged" in line]
    assert line.startswith("fail  database")
    assert "␊" not in line and "***" not in line
