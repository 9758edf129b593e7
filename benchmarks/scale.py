"""Compares the cost and speed of ClickHouse with SQLite and the engine's own limit, and calculates a cluster's load.

    python benchmarks/scale.py [--write 20000] [--batch 5000] [--spans 200000] [--keep DIR]
    python benchmarks/scale.py --read DIR
    python benchmarks/scale.py --simulate

Writes the spans of `agent_spans.py` to both stores, and ready columns into the same table, in turns. Then the engine
multiplies what was written: each copy has ids and minutes of its own. The engine runs in this process (`chdb`), so that
no network is in the figures, and garbage is collected as seldom as in `inspector serve`. `--read` only reads what
`--keep` left, so that a busy machine can write it, and an idle one reads. `--simulate` calculates with the constants
below, which a run of this benchmark printed.
"""

import argparse
import gc
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import clickhouse_connect
from agent_spans import WORDS, Rows

from inspector.api.server import collecting_seldom
from inspector.model import Filter, Span
from inspector.store.clickhouse import Address, ClickHouseStore, statements
from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.tables import SHARE, SPANS, TRACES
from inspector.store.limits import ReadLimits
from inspector.store.sqlite import SqliteStore

BYTES: Final = 446
"""A span with its text index, merged."""
WRITE_US: Final = 169.0
"""CPU to prepare and write a span. One writer serves all shards."""
ENGINE_US: Final = 39.0
"""CPU to insert a span from ready-made columns."""
SUM_US: Final = 7.5
"""CPU per span to sum up an hour once it has ended."""
MERGED: Final = 3.0
"""How often merges rewrite a byte: blocks of 5,000 spans grow tenfold with each."""
SCAN_NS: Final = 220.0
"""CPU per span of the current hour, for statistics by model."""
HOUR_US: Final = 300.0
"""CPU per hour that has ended, for the same statistics."""
PAGE_MS: Final = 35.0
"""CPU of a page of the latest 50, for which every shard is queried."""
PARTS_A_DAY: Final = 8
"""Parts per day that are not merged further, since merges end at 150 GB."""
CORES, KEPT_DAYS = 16, 90
"""Cores per shard; days for which data is kept."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=int, default=20_000)
    parser.add_argument("--batch", type=int, default=5000)
    parser.add_argument("--spans", type=int, default=200_000)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--read", type=Path, metavar="DIR")
    parser.add_argument("--simulate", action="store_true")
    options = parser.parse_args()
    if options.simulate:
        print("\n".join(simulated()))
        return
    if options.read:
        # One that writes would first look for what the process before it left, at the cost of the first reads.
        with opened(options.read, read_only=True) as (store, database):
            read_all(store, database)
        return
    with ExitStack() as stack:
        path = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        small = stack.enter_context(closing(SqliteStore(path / "inspector.db")))
        store, database = stack.enter_context(opened(path))
        with collecting_seldom():
            write_all(store, small, database, options.write, options.batch)
        multiply(database, options.write, options.spans)
        sum_up(store, database)
        settle(database)
        read_all(store, database)


@contextmanager
def opened(directory: Path, *, read_only: bool = False) -> Generator[tuple[ClickHouseStore, Database]]:
    """Opens the engine's files in a directory, by the store and beside it."""
    address = Address("inspector", directory=str(directory / "engine"))
    with (
        closing(ClickHouseStore(address, limits=ReadLimits(read_s=60), read_only=read_only)) as store,
        closing(Database(address, read_s=3600)) as database,
    ):
        database.begin()
        yield store, database


def write_all(store: ClickHouseStore, small: SqliteStore, database: Database, count: int, batch: int) -> None:
    """Writes each batch to both stores and, as ready columns, into the same table; prints what each took."""
    for statement in statements("plain"):
        database.command(statement)
    client: Any = cast("Any", clickhouse_connect).get_client(interface="chdb", path=database.address.directory)
    spent: dict[str, tuple[float, float]] = dict.fromkeys(("plain", "ClickHouse", "SQLite"), (0.0, 0.0))
    columns: list[Sequence[Any]] = []
    written, seq = 0, 0

    def write_ready() -> None:
        client.insert("spans", columns, column_names=tuple(SPANS), database="plain", column_oriented=True)

    def write_small(spans: list[Span]) -> None:
        # As a receiver hands them over.
        for at in range(0, len(spans), 512):
            small.write(spans[at : at + 512])

    def timed(name: str, write: Callable[[], object]) -> None:
        begun = (time.perf_counter(), time.process_time())
        write()
        wall, cpu = spent[name]
        spent[name] = (wall + time.perf_counter() - begun[0], cpu + time.process_time() - begun[1])

    gc.freeze()
    for spans in Rows().batches(count, batch):
        timed("ClickHouse", lambda spans=spans: store.write(spans))
        # What the store made of them, as columns that only have to be sent.
        found = client.query(f"SELECT {', '.join(SPANS)} FROM inspector.spans WHERE seq > {seq}")
        columns, seq = list(found.result_columns), store.last_seq()
        timed("plain", write_ready)
        timed("SQLite", lambda spans=spans: write_small(spans))
        written += len(spans)
    small.maintain()
    small.sync()
    for table in ("inspector.spans", "inspector.traces", "plain.spans"):
        database.command(f"OPTIMIZE TABLE {table} FINAL")
    sizes = {
        "SQLite": small.used_bytes(),
        "ClickHouse": _bytes(database, "inspector"),
        "plain": _bytes(database, "plain"),
    }
    print(f"\nWriting {written:,} spans, {batch:,} a batch\n")
    print("| | spans/s | CPU a span, us | bytes a span |\n|---|--:|--:|--:|")
    labels = {
        "plain": "ready columns into the same table",
        "ClickHouse": "store on ClickHouse",
        "SQLite": "store on SQLite",
    }
    for name, label in labels.items():
        wall, cpu = spent[name]
        print(f"| {label} | {written / wall:,.0f} | {cpu / written * 1e6:,.0f} | {sizes[name] / written:,.0f} |")
    clock, cpu = (plain / ours for plain, ours in zip(spent["plain"], spent["ClickHouse"], strict=True))
    print(f"\nOf ready columns {clock:.2f} by the clock, {cpu:.2f} by CPU;", end=" ")
    print(f"of SQLite's bytes {sizes['ClickHouse'] / sizes['SQLite']:.2f}")


def _bytes(database: Database, name: str) -> int:
    sql = f"SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '{name}'"
    return int(database.rows(sql)[0][0])


_COPIES: Final = 24
"""At a time; each is an hour, and a day is one partition."""


def multiply(database: Database, written: int, wanted: int) -> None:
    """Has the engine copy what was written until there is enough, each copy with ids and minutes of its own."""
    copies = max(1, wanted // written)
    begun = time.perf_counter()
    for first in range(1, copies, _COPIES):
        last = min(copies, first + _COPIES)
        for table, columns in (("spans", SPANS), ("traces", TRACES)):
            database.command(_copied(table, columns, range(first, last)))
    rows = database.rows("SELECT count() FROM spans")[0][0]
    parts = database.rows(
        "SELECT count() FROM system.parts WHERE active AND table = 'spans' AND database = 'inspector'"
    )
    print(
        f"\n{rows:,} spans in {parts[0][0]} parts, {_bytes(database, 'inspector') / rows:,.0f} bytes a span;", end=" "
    )
    print(f"multiplied in {time.perf_counter() - begun:,.0f} s")


def _copied(table: str, columns: dict[str, str], copies: range) -> str:
    def changed(name: str) -> str:
        match name:
            case "trace_id" | "span_id" | "parent_id" | "run_id":
                half = 16 if name in ("trace_id", "run_id") else 0
                return f"concat(lower(hex(sipHash64({name}, copy))), substring({name}, 1, {half}))"
            case "slot" | "first_slot" | "last_slot":
                return f"{name} + copy * 60"
            case "start_ns" | "end_ns" | "question_ns" | "answer_ns":
                return f"{name} + copy * {3600 * 10**9}"
            case "id" | "seq":
                return f"{name} + copy * {10**9}"
            case "session_id":
                return "concat(session_id, '-', toString(copy))"
            case "shares":
                # A session is one of a copy too.
                named = "concat(tupleElement(share, 1), '-', toString(copy))"
                others = ", ".join(f"tupleElement(share, {at})" for at in range(2, len(SHARE) + 1))
                return f"arrayMap(share -> tuple({named}, {others}), shares)"
            case _:
                return name

    return (
        f"INSERT INTO {table} SELECT {', '.join(map(changed, columns))} FROM {table} "
        f"ARRAY JOIN range({copies.start}, {copies.stop}) AS copy WHERE id < {10**9}"
    )


def sum_up(store: ClickHouseStore, database: Database) -> None:
    """Has the store sum up the hours that were multiplied, and prints what that costs."""
    hours = "SELECT intDiv(slot, 60) AS hour, max(version), 0 FROM spans GROUP BY hour"
    database.command(f"INSERT INTO hours (hour, version, removed) {hours}")
    begun = time.process_time()
    store.maintain()
    calls = database.rows("SELECT sum(calls) FROM figures FINAL WHERE by = ''")[0][0]
    if calls:
        print(f"{calls:,} calls summed up by hour, {(time.process_time() - begun) / calls * 1e6:,.1f} us of CPU each")


def settle(database: Database) -> None:
    """Waits until the engine merges nothing, which would be in the figures of the reads."""
    calm = 0
    while calm < 5:
        time.sleep(1)
        calm = 0 if database.rows("SELECT count() FROM system.merges")[0][0] else calm + 1


def read_all(store: ClickHouseStore, database: Database) -> None:
    """Prints how long each question takes."""
    trace_id = database.rows("SELECT trace_id FROM traces ORDER BY cityHash64(trace_id) LIMIT 1")[0][0]
    asked: dict[str, Callable[[], object]] = {
        "latest 50": lambda: store.events(Filter()),
        "a trace, full": lambda: store.events(Filter(trace_id=trace_id), full=True, order="asc", limit=1000),
        "errors, 50": lambda: store.events(Filter(statuses=("error",))),
        "known attribute, 50": lambda: store.events(Filter(model="model-2")),
        "text, common word": lambda: store.events(Filter(q=WORDS[0])),
        "text, rare word": lambda: store.events(Filter(q=WORDS[-1])),
        "runs, 50": lambda: store.runs(Filter()),
        "failed runs, 50": lambda: store.runs(Filter(statuses=("error",))),
        "most expensive runs, 50": lambda: store.runs(Filter(), sort="cost"),
        "runs by a rare word, 50": lambda: store.runs(Filter(q=WORDS[-1])),
        "sessions, 50": store.sessions,
        "figures of /health": store.health,
        "statistics by model": lambda: store.stats(Filter(replays=False), by="model"),
    }
    print("\n| p50 | ms | CPU, ms |\n|---|--:|--:|")
    for name, ask in asked.items():
        ask()
        taken: list[tuple[float, float]] = []
        while len(taken) < 15 and sum(wall for wall, _ in taken) < 10:
            begun = (time.perf_counter(), time.process_time())
            ask()
            taken.append((time.perf_counter() - begun[0], time.process_time() - begun[1]))
        wall, cpu = (statistics.median(each) * 1000 for each in zip(*taken, strict=True))
        print(f"| {name} | {wall:,.1f} | {cpu:,.1f} |")


@dataclass(frozen=True, slots=True)
class Shard:
    """What one of some shards carries."""

    spans: float

    @property
    def gigabytes(self) -> float:
        """What lies on its disk, once."""
        return self.spans * BYTES / 1e9

    @property
    def parts(self) -> float:
        """Parts of all days."""
        # Of less than a block a day there are no eight.
        return KEPT_DAYS * min(PARTS_A_DAY, max(1.0, self.a_day / 5000))

    @property
    def a_day(self) -> float:
        """Spans received per day."""
        return self.spans / KEPT_DAYS

    @property
    def written_mb_s(self) -> float:
        """Megabytes per second that inserts and merges write to disk."""
        return self.a_day * BYTES * (1 + MERGED) / 86400 / 1e6

    @property
    def busy(self) -> float:
        """The share of its CPU time that inserts, merges and hourly sums need."""
        return self.a_day * (ENGINE_US * (1 + MERGED) + SUM_US) * 1e-6 / 86400 / CORES

    @property
    def pages_s(self) -> float:
        """List pages per second in the remaining CPU time. Each page needs every shard, so shards add none."""
        return max(0.0, 1 - self.busy) * CORES * 1000 / PAGE_MS

    @property
    def statistics_s(self) -> float:
        """How long statistics over everything take: hourly sums on one processor, and the calls of the current hour."""
        return KEPT_DAYS * 24 * HOUR_US * 1e-6 + self.a_day / 24 * SCAN_NS * 1e-9 / CORES


def simulated() -> Iterator[str]:
    """Yields the table of what shards would carry."""
    yield f"{KEPT_DAYS} days kept, {CORES} cores per shard. A span has {BYTES} bytes. It costs the writer {WRITE_US:g}"
    yield f"us, its shard {ENGINE_US:g} us to insert and {SUM_US:g} us to sum, and {SCAN_NS:g} ns to scan. Statistics"
    yield f"cost {HOUR_US:g} us per hour that has ended, and a page costs each shard {PAGE_MS:g} ms.\n"
    names = (
        "spans",
        "per second",
        "writer busy",
        "shards",
        "GB",
        "parts",
        "MB/s",
        "shard busy",
        "pages/s",
        "statistics over everything",
    )
    yield f"| {' | '.join(names)} |"
    yield f"|{'--:|' * len(names)}"
    for billions, shards in itertools.product((1, 10, 100), (1, 4, 16)):
        shard = Shard(billions * 1e9 / shards)
        per_second = shard.a_day * shards / 86400
        figures = (
            *(f"{billions} billion", f"{per_second:,.0f}", f"{per_second * WRITE_US * 1e-6:.0%}", f"{shards}"),
            *(f"{shard.gigabytes:,.0f}", f"{shard.parts:,.0f}", f"{shard.written_mb_s:,.1f}", f"{shard.busy:.1%}"),
            *(f"{shard.pages_s:,.0f}", f"{shard.statistics_s:,.1f} s"),
        )
        yield f"| {' | '.join(figures)} |"


if __name__ == "__main__":
    main()
