"""Commands on a home whose database has broken pages, or was left by an owner that was killed."""

import os

import pytest

from inspector.cli.app import run as command
from inspector.store import StoreUnchecked, soundness


@pytest.fixture
def waiting(home):
    """A line in the spool that a sound database would take in."""
    (home / "spool").mkdir(mode=0o700, parents=True)
    path = home / "spool" / "a.jsonl"
    path.write_text('{"resourceSpans":[]}\n')
    return path


@pytest.fixture
def ask(home, capsys, monkeypatch):
    """Runs a command in this process; returns its exit code, output and errors."""
    monkeypatch.setenv("INSPECTOR_RETENTION_DAYS", "36500")

    def run(*arguments):
        code = command([*arguments, "--home", str(home)])
        return code, *capsys.readouterr()

    return run


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
        assert "nothing more is written to it; move" in said[0]
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
    real = soundness.check

    def slow(path, *, limit_s=None, **options):
        if limit_s is not None:
            raise StoreUnchecked("it takes too long")
        real(path, **options)

    monkeypatch.setattr(soundness, "check", slow)
    code, output, errors = ask("events")
    assert (code, len(output.splitlines()), errors) == (0, 3, "inspector: it takes too long\n")
    assert not soundness.is_as_left(home / "inspector.db")
    assert ask("prune", "--older-than", "900000d", "--yes")[0] == 0
    assert ask("events")[2] == ""


def test_doctor_names_the_damage_and_what_to_do(ask, write_spans, span, break_index):
    write_spans(span())
    break_index()
    code, output, _ = ask("doctor")
    assert code == 1
    (line,) = [line for line in output.splitlines() if "damaged" in line]
    assert line.startswith("fail  database")
