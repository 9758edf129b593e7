"""Kills a writer at seeded moments and checks after each that the store holds what its ledger says."""

import os
import random
import signal
import sqlite3
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

from inspector.model import Filter, Log, Span
from inspector.store import ReadLimits, SpoolMark
from inspector.store.sqlite import SqliteStore

BATCH = 20


def batch(number):
    return [
        Span(
            trace_id=f"t{number // 3}",
            span_id=f"{number}-{at}",
            parent_id=None if at == 0 else f"{number}-0",
            session_id=f"s{number // 30}",
            name="needle",
            kind="tool",
            status="ok",
            start_ns=number * 1000 + at,
            end_ns=number * 1000 + at + 1,
            attributes={"text": f"{number} " * 100},
        )
        for at in range(BATCH)
    ]


def logs(number):
    """A log of a span in the batch of this number, and one of a span in the next."""
    return [
        Log(f"t{at // 3}", f"{at}-0", {"name": f"log {number}", "time_unix_nano": "1", "attributes": {}})
        for at in (number, number + 1)
    ]


def write_until_killed(database, ledger):
    store = SqliteStore(database)
    marks = store.spools()
    number = marks["spool"].offset if marks else 0
    with ledger.open("a") as said:
        while True:
            store.write(batch(number), marks=[SpoolMark("spool", 1, number + 1)], logs=logs(number))
            number += 1
            said.write(f"{number}\n")
            said.flush()
            os.fsync(said.fileno())
            if number % 3 == 0:
                store.index(50)
            if number % 7 == 0:
                store.maintain()
            if number % 5 == 0:
                store.sync()
            if number % 20 == 0:
                store.prune(before_ns=0)


def acknowledged(ledger):
    with suppress(FileNotFoundError):
        lines = ledger.read_text().split("\n")[:-1]
        return int(lines[-1]) if lines else 0
    return 0


def check(database, ledger):
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    store = SqliteStore(database, limits=ReadLimits(exact_calls=0))
    marks = store.spools()
    batches = marks["spool"].offset if marks else 0
    assert acknowledged(ledger) <= batches <= acknowledged(ledger) + 1
    ids = {event.span_id for event in store.after(0, Filter(), limit=10**9)}
    assert ids == {f"{number}-{at}" for number in range(batches) for at in range(BATCH)}
    assert store.health().spans == len(ids) == store.last_seq()
    kept = {(each.log.span_id, each.log.event["name"]) for each in store.kept_logs(limit=10**9)}
    assert kept == {(log.span_id, log.event["name"]) for number in range(batches) for log in logs(number)}
    assert {due.span_id for due in store.due_logs(10**9)} == {f"{number}-0" for number in range(batches)}
    store.maintain()
    assert store.stats(Filter()).total.count == len(ids)
    said = Filter(attributes=(("text", f"{0} " * 100),))
    assert len(store.events(said, limit=500).items) == (BATCH if batches else 0)
    store.close()
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("INSERT INTO search (search) VALUES ('integrity-check')")
        assert connection.execute("SELECT count(*) FROM search WHERE search MATCH 'needle'").fetchone() == (len(ids),)


def main(directory, seed, kills):
    chance = random.Random(seed)
    for at in range(kills):
        # The first few die while the database is being made; the others share one, restarted again and again.
        name = f"new{at}" if at < 5 else "grown"
        database, ledger = directory / f"{name}.db", directory / f"{name}.ledger"
        until = acknowledged(ledger) + (0 if at < 5 else chance.randrange(1, 12))
        child = os.fork()
        if child == 0:
            write_until_killed(database, ledger)
        deadline = time.monotonic() + 60
        while acknowledged(ledger) < until and time.monotonic() < deadline:
            time.sleep(0.0002)  # leaves the processor to the writer
        pause_until = time.monotonic() + chance.random() * (0.2 if at < 5 else 0.01)
        while time.monotonic() < pause_until:
            time.sleep(0.0002)  # leaves the processor to the writer
        os.kill(child, signal.SIGKILL)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL, f"the writer failed before kill {at} of seed {seed}"
        if database.exists():
            check(database, ledger)
    sys.stdout.write(f"{acknowledged(directory / 'grown.ledger')}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
