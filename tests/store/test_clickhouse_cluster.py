"""The tables of a cluster: parsed by the engine, and run as a cluster of one shard, which is the engine in process."""

import subprocess
import sys
from pathlib import Path

from inspector.store.clickhouse import cluster_statements

TESTS = Path(__file__).parents[1]
CLUSTER = """
<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers><here><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></here></remote_servers>
</clickhouse>
"""
"""That port makes the engine find that it is the shard itself; nothing listens on it or connects to it."""
PROGRAM = r"""
import re, sys
from contextlib import closing
sys.path.insert(0, sys.argv[1])
from clickhouse_server import served
from made_spans import make
from inspector.model import Filter
from inspector.store.clickhouse import ClickHouseStore, cluster_statements, read_address
from inspector.store.clickhouse.database import Database

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
    with closing(ClickHouseStore(address)) as store:
        made = make(3, traces=6)
        for batch in made.batches:
            store.write(batch)
        assert {(e.trace_id, e.span_id) for e in store.events(Filter(), limit=500).items} == set(made.spans)
        assert len(store.traces(Filter()).items) == 6
        assert store.runs(Filter()).items and store.sessions().items and store.events(Filter(q="anchor")).items
        assert store.stats(Filter()).total.count
        assert sum(each.spans for each in store.arrivals()) == len(made.spans)
print("whole")
"""


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
