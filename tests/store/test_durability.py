import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.model import Filter
from inspector.store import StoreBusy

FULL = """
import resource, sys
from pathlib import Path
from inspector.model import Filter, Span
from inspector.store import StoreBusy
from inspector.store.sqlite import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
def spans(name, count):
    return [Span(trace_id=name, span_id=f"{name}-{at}", name=name, kind="tool", status="ok", start_ns=1, end_ns=2,
                 attributes={"text": f"{at} " * 400}) for at in range(count)]
store.write(spans("before", 10))
store.sync()
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (2_500_000, hard))
refused = 0
for at in range(40):
    try:
        store.write(spans(f"during{at}", 200))
    except StoreBusy as err:
        assert "space" in str(err) or "disk" in str(err), err
        refused += 1
stored = {event.trace_id for event in store.after(0, Filter(), limit=10**6)}
assert refused and "before" in stored and len(stored) == 41 - refused, (refused, stored)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
store.write(spans("after", 10))
store.sync()
assert {event.trace_id for event in store.after(0, Filter(), limit=10**6)} == stored | {"after"}
assert store.health().spans == len(store.after(0, Filter(), limit=10**6))
store.close()
print("healed", refused)
"""


def run(*arguments, timeout=240):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment,
        check=False,
    )


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_acknowledged_is_lost_and_no_batch_is_halved_by_kill_9(tmp_path, seed, every, long):
    kills = 100 if long else 15 if every else 6
    ended = run(Path(__file__).with_name("killing.py"), tmp_path, seed, kills)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > kills // 2


def test_a_full_disk_is_busy_and_heals(tmp_path):
    ended = run("-c", FULL, tmp_path / "inspector.db")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("healed")


@pytest.mark.parametrize("gone", ["database", "log", "both"])
def test_a_file_that_vanishes_while_open_is_noticed_before_the_next_commit(store, path, make_span, gone):
    store.write([make_span()])
    for name in {"database": [path.name], "log": [path.name + "-wal"], "both": [path.name, path.name + "-wal"]}[gone]:
        path.with_name(name).unlink()
    with pytest.raises(StoreBusy, match="moved or deleted"):
        store.write([make_span()])
    store.write([make_span(name="afterwards")])
    names = [event.name for event in store.events(Filter()).items]
    assert names == (["afterwards", "work"] if gone == "log" else ["afterwards"])


def test_a_database_that_was_replaced_is_opened_instead(store, open_store, path, tmp_path, make_span):
    other = open_store(tmp_path / "other.db")
    other.write([make_span(name="other")])
    other.close()
    store.write([make_span(name="first")])
    (tmp_path / "other.db").replace(path)
    with pytest.raises(StoreBusy):
        store.write([make_span()])
    store.write([make_span(name="second")])
    assert "second" in [event.name for event in store.events(Filter()).items]
