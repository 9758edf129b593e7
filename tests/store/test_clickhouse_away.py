"""A ClickHouse that is away for long."""

from contextlib import closing

import pytest
from clickhouse_server import Faults, served
from msgspec.structs import replace
from patience import PATIENT

from inspector.model import Filter
from inspector.store import StoreBusy
from inspector.store.clickhouse import ClickHouseStore, read_address
from inspector.store.clickhouse.changes import Write
from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.writing import Writing


@pytest.mark.slow
def test_after_an_outage_of_ten_minutes_another_one_writes_and_everything_is_there_once(make_span):
    clock, faults = Clock(), Faults()
    with served(faults=faults) as host:
        address = read_address(f"clickhouse://default@{host}/outage")
        ClickHouseStore(address, limits=PATIENT).close()
        databases = [Database(address, read_s=PATIENT.read_s) for _ in range(2)]
        for database in databases:
            database.begin()
        one, other = (Writing(database, lambda: 1, clock_s=clock) for database in databases)
        begun = make_span(status="running")
        one.apply(Write(one.prepared([begun])))
        other.apply(Write(other.prepared([make_span()])), wait=False)
        ended = replace(begun, status="ok", end_ns=begun.start_ns + 1)
        faults.begin("traces", "applied")
        for writing in (one, other):
            with pytest.raises(StoreBusy):
                writing.apply(Write(writing.prepared([ended])), wait=False)
            clock.now_s += 300
        faults.mend()
        other.apply(Write(other.prepared([ended])), wait=False)
        one.apply(Write(one.prepared([ended, make_span()])), wait=False)
        other.drain()
        for database in databases:
            database.close()
        with closing(ClickHouseStore(address, limits=PATIENT, read_only=True)) as reader:
            assert sorted(event.status for event in reader.events(Filter()).items) == ["ok"] * 3
            assert len(reader.after(0, Filter())) == reader.trace("a" * 32).spans == 3


class Clock:
    def __init__(self):
        self.now_s = 1000.0

    def __call__(self):
        return self.now_s
