"""The tables of a cluster: parsed by the engine, and run as a cluster of one shard, which is the engine in process."""

import subprocess
import sys
from pathlib import Path

import pytest

from inspector.store.clickhouse import cluster_statements

TESTS = Path(__file__).parents[1]
CLUSTER = """
<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers>
    <here><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></here>
    <there>
      <shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>
      <shard><replica><host>127.0.0.1</host><port>9001</port></replica></shard>
    </there>
  </remote_servers>
</clickhouse>
"""
"""Port 9000 makes the engine find that it is the shard itself; nothing listens on it or connects to it."""
PROGRAM = r"""
import re, sys, time
from contextlib import closing
sys.path.insert(0, sys.argv[1])
from clickhouse_server import served
from made_spans import make
from inspector.model import Filter
from inspector.store.clickhouse import ClickHouseStore, cluster_statements, read_address
from inspector.store.clickhouse.cluster import keeper_of
from inspector.store.clickhouse.database import Database
from inspector.store.limits import ReadLimits

def alone(statement):
    # Without the keeper that replicas and statements on a cluster need, which the engine in process has not.
    statement = statement.replace(" ON CLUSTER `here`", "").replace("SETTINGS replicated_", "SETTINGS non_replicated_")
    return re.sub(r"Replicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?", r"\1(", statement)

with served(f":memory:?config-file={sys.argv[2]}") as host:
    address = read_address(f"clickhouse://default@{host}/team")
    with closing(Database(address, read_s=60)) as database:
        for statement in cluster_statements("team", "here"):
            database.command("EXPLAIN AST " + statement)
            database.command(alone(statement))
        # Of more than one shard each is told.
        database.begin()
        spread = "Distributed('there', 'team', 'spans_local', slot)"
        database.command(f"CREATE TABLE spread AS spans_local ENGINE = {spread}")
        assert keeper_of(database, "spread") == "`team`.`spans_local` ON CLUSTER `there`"
        for statement in ("DELETE FROM {} WHERE slot = 1", "ALTER TABLE {} DROP PARTITION '2026-01-01'"):
            database.command("EXPLAIN AST " + statement.format(keeper_of(database, "spread")))
    with closing(ClickHouseStore(address, limits=ReadLimits(read_s=60, exact_calls=0))) as store:
        made = make(3, traces=6)
        for batch in made.batches:
            store.write(batch)
        assert {(e.trace_id, e.span_id) for e in store.events(Filter(), limit=500).items} == set(made.spans)
        assert len(store.traces(Filter()).items) == 6
        assert store.runs(Filter()).items and store.sessions().items and store.events(Filter(q="anchor")).items
        assert store.stats(Filter()).total.count
        assert sum(each.spans for each in store.arrivals()) == len(made.spans)
        store.maintain()
        assert store.stats(Filter()).total.count == store.stats(Filter(), by="kind").total.count > 0
        first = store.traces(Filter()).items[0]
        assert store.delete("trace", first.trace_id) == first.spans
        assert store.trace(first.trace_id) is None and len(store.traces(Filter()).items) == 5
        assert store.used_bytes() > 0
        now_ns = time.time_ns()
        assert store.prune(before_ns=now_ns, by="time").traces == 5
        assert not store.traces(Filter()).items and not store.events(Filter()).items
        store.write([span for batch in made.batches for span in batch])
        assert store.prune(max_bytes=1).traces == 6
        assert not store.traces(Filter()).items and not store.events(Filter()).items
print("whole")
"""


@pytest.mark.slow
def test_the_tables_of_a_cluster_are_parsed_and_a_store_writes_and_reads_them(tmp_path):
    config = tmp_path / "config.xml"
    config.write_text(CLUSTER)
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(TESTS), str(config)], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("whole\n", 0), done.stderr


def test_a_trace_is_on_one_shard_with_its_spans():
    spread = [
        line for each in cluster_statements("team", "here") for line in each.splitlines() if "Distributed" in line
    ]
    assert "ENGINE = Distributed(`here`, `team`, spans_local, cityHash64(trace_id))" in spread
    assert "ENGINE = Distributed(`here`, `team`, traces_local, cityHash64(trace_id))" in spread
    assert all("ON CLUSTER `here`" in each for each in cluster_statements("team", "here") if each.startswith("CREATE"))
