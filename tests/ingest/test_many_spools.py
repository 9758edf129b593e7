"""Thousands of programs leave thousands of files: they are taken in together, and those that stay cost little."""

import os
import time

import pytest

from inspector.ingest import SpoolReader
from inspector.ingest.owner import Chores
from inspector.ingest.times import Times
from inspector.model import Filter
from inspector.store import StoreBusy
from inspector.store.sqlite import SqliteStore


@pytest.fixture
def store(settings, spool):
    store = SqliteStore(settings.database)
    yield store
    store.close()


@pytest.fixture
def many(spool, make_span, make_request):
    """The files of 300 programs that are gone; each ended one call, and every third was killed in another."""
    for number in range(300):
        process = f"20261122T100000-4711-{number:08x}"
        lines = [make_request(make_span(), process=process)]
        if number % 3 == 0:
            lines.append(make_request(make_span(endTimeUnixNano=None), process=process))
        (spool / f"{process}.000001.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    return 300


def test_the_files_of_many_programs_share_transactions(spool, store, many):
    commits = []
    taken = SpoolReader(spool, store, committed=lambda: commits.append(store.last_seq())).ingest()
    assert (taken.spans, taken.lost, taken.deleted) == (400, 100, many)
    assert commits == [400, 500]
    assert (list(spool.iterdir()), store.spools()) == ([], {})


@pytest.mark.slow
def test_the_files_of_5_000_programs_take_less_than_five_seconds_of_processor_time(
    spool, store, make_span, make_request
):
    for number in range(5000):
        process = f"20261122T100000-4711-{number:08x}"
        span = make_span(traceId=f"{number + 1:032x}", endTimeUnixNano=None if number % 3 == 0 else f"{number + 1}")
        (spool / f"{process}.000001.jsonl").write_bytes(make_request(span, process=process) + b"\n")
    said = []
    began_s = time.thread_time()
    taken = SpoolReader(spool, store).ingest(read_so_far=lambda read, of: said.append((read, of)))
    # Of its own work, since a busy machine may take any time for it.
    assert time.thread_time() - began_s < 5
    assert (taken.spans, taken.lost, taken.deleted) == (5000, 1667, 5000)
    assert said == [(read, 5000) for read in range(1, 5001)]
    assert list(spool.iterdir()) == []


def test_the_directory_is_not_searched_for_every_program(spool, store, many, monkeypatch):
    scandir, searched = os.scandir, []
    monkeypatch.setattr("os.scandir", lambda *args: searched.append(args) or scandir(*args))
    SpoolReader(spool, store).ingest()
    # A server that another test mounted in this process searches its own.
    assert 0 < searched.count((spool,)) < 10


def test_files_whose_spans_were_not_committed_are_kept_and_read_again(settings, spool, many):
    class Full(SqliteStore):
        refused = 0

        def write(self, spans, *, marks=(), **others):
            if self.refused < 2:
                self.refused += 1
                raise StoreBusy("no space left")
            super().write(spans, marks=marks, **others)

    store = Full(settings.database)
    reader = SpoolReader(spool, store)
    for _ in range(2):
        with pytest.raises(StoreBusy):
            reader.ingest()
        assert len(list(spool.iterdir())) == many
    assert reader.ingest().spans == 400
    assert len(store.events(Filter(), limit=1000).items) == 400
    store.close()


def test_how_many_files_are_read_is_said_after_each(spool, store, many):
    said = []
    SpoolReader(spool, store).ingest(read_so_far=lambda read, of: said.append((read, of)))
    assert said == [(number, many) for number in range(1, many + 1)]


def test_looks_that_find_nothing_rest_twenty_times_as_long_as_they_take():
    assert Chores(quiet_looks=1).rest_s(0.0001, Times()) == 0.025
    assert Chores(quiet_looks=1).rest_s(0.02, Times()) == 0.4
    assert Chores(quiet_looks=1).rest_s(1.0, Times()) == 0.5
    assert Chores(quiet_looks=0).rest_s(0.04, Times()) == 0.04
    assert Chores(busy=True).rest_s(0.02, Times()) == 0.0


def test_after_ten_seconds_of_looks_that_find_nothing_they_are_ten_a_second():
    assert Chores(quiet_looks=399).rest_s(0.0001, Times()) == 0.025
    assert Chores(quiet_looks=400).rest_s(0.0001, Times()) == 0.1
    assert Chores(quiet_looks=400).rest_s(0.02, Times()) == 0.4
