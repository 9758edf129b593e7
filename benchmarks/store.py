"""Write and read speeds of the store against the same rows in raw sqlite3, side by side in one run.

    python benchmarks/store.py [--rows 200000] [--batch 512]

The rows are those of `agent_spans.py`. The limit is what plain sqlite3 makes of the same values: executemany
of ready tuples, five indexes, write-ahead log, the same page size and batches.
"""

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec
from agent_spans import WORDS, Rows

from inspector.model import Filter, Span
from inspector.store.sqlite import SqliteStore

CHECKPOINT_BATCHES = 16
"""About half a second of writing, which is how often the owner moves the log into the database."""
COLUMNS = (
    *("trace_id", "span_id", "parent_id", "session_id", "kind", "name", "status", "hook", "service", "agent"),
    *("model", "tool", "start_ns", "end_ns", "input_tokens", "output_tokens", "cost", "error", "attributes"),
)


def raw_open(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
    db.executescript("PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16000;")
    db.execute(f"CREATE TABLE spans (seq INTEGER PRIMARY KEY, {', '.join(COLUMNS)})")
    for name in ("trace_id", "start_ns", "session_id, start_ns", "kind, start_ns", "status, start_ns"):
        db.execute(f"CREATE INDEX ix_{name.replace(', ', '_')} ON spans ({name})")
    return db


def raw_rows(spans: list[Span]) -> list[tuple[object, ...]]:
    """The tuples of plain SQL; encoding is the fastest there is."""
    return [
        (
            *(s.trace_id, s.span_id, s.parent_id, s.session_id, s.kind, s.name, s.status, s.hook, s.service, s.agent),
            *(s.model, s.tool, s.start_ns, s.end_ns, s.input_tokens, s.output_tokens, s.cost_usd),
            *(s.error and s.error.message, msgspec.json.encode(s.attributes).decode()),
        )
        for s in spans
    ]


def timed(run: Callable[[], object], repeats: int = 25) -> float:
    """Median milliseconds, once warm."""
    run()
    times: list[float] = []
    for _ in range(repeats):
        begun = time.perf_counter()
        run()
        times.append((time.perf_counter() - begun) * 1000)
        if sum(times) > 4000:
            break
    return statistics.median(times)


def write_both(store: SqliteStore, raw: sqlite3.Connection, rows: int, batch: int) -> dict[str, float]:
    """Writes each batch to both, in turns, so that a slow moment of the machine meets both."""
    spent = {"store": 0.0, "raw": 0.0, "encode": 0.0, "index": 0.0}
    insert = f"INSERT INTO spans ({', '.join(COLUMNS)}) VALUES ({','.join('?' * len(COLUMNS))})"
    count = 0
    for at, spans in enumerate(Rows().batches(rows, batch)):
        count += len(spans)
        begun = time.perf_counter()
        ready = raw_rows(spans)
        spent["encode"] += time.perf_counter() - begun
        begun = time.perf_counter()
        raw.execute("BEGIN IMMEDIATE")
        raw.executemany(insert, ready)
        raw.execute("COMMIT")
        spent["raw"] += time.perf_counter() - begun
        begun = time.perf_counter()
        store.write(spans)
        spent["store"] += time.perf_counter() - begun
        if at % CHECKPOINT_BATCHES == 0:
            begun = time.perf_counter()
            store.sync()
            spent["store"] += time.perf_counter() - begun
        if at % 4 == 3:
            begun = time.perf_counter()
            while store.index():
                pass
            spent["index"] += time.perf_counter() - begun
    begun = time.perf_counter()
    while store.index():
        pass
    spent["index"] += time.perf_counter() - begun
    spent["raw from spans"] = spent["raw"] + spent["encode"]
    spent["both"] = spent["store"] + spent["index"]
    return {name: count / seconds for name, seconds in spent.items()}


Case: TypeAlias = tuple[str, Callable[[], object], str, tuple[object, ...]]
"""What is read: by the store, and by plain SQL with its values."""

_SUMMARY = f"SELECT {', '.join(COLUMNS[:-1])} FROM spans"
_NEWEST = "ORDER BY start_ns DESC, seq DESC LIMIT 51"


def reads(store: SqliteStore, raw: sqlite3.Connection) -> list[tuple[str, float, float]]:
    found: list[tuple[str, float, float]] = []
    for name, ours, sql, values in (*_pages(store), *_searches(store), *_sorted(store), *_sums(store)):
        found.append((name, _or_limit(ours), timed(lambda sql=sql, values=values: raw.execute(sql, values).fetchall())))
    return found


def _pages(store: SqliteStore) -> list[Case]:
    trace_id, session = store.events(Filter(), limit=1).items[0].trace_id, store.events(Filter()).items[0].session_id
    return [
        ("latest 50", lambda: store.events(Filter()), f"{_SUMMARY} {_NEWEST}", ()),
        ("latest 50, full", lambda: store.events(Filter(), full=True), f"SELECT * FROM spans {_NEWEST}", ()),
        (
            "errors, 50",
            lambda: store.events(Filter(statuses=("error",))),
            f"{_SUMMARY} WHERE status = 'error' {_NEWEST}",
            (),
        ),
        (
            "one tool, 50",
            lambda: store.events(Filter(tool="tool-3")),
            f"{_SUMMARY} WHERE tool = 'tool-3' {_NEWEST}",
            (),
        ),
        (
            "one trace, full",
            lambda: store.events(Filter(trace_id=trace_id), full=True, order="asc", limit=1000),
            "SELECT * FROM spans WHERE trace_id = ? ORDER BY start_ns",
            (trace_id,),
        ),
        (
            "one session, 50",
            lambda: store.events(Filter(session_id=session)),
            f"{_SUMMARY} WHERE session_id = ? {_NEWEST}",
            (session,),
        ),
        (
            "known attribute, 50",
            lambda: store.events(Filter(attributes=(("gen_ai.request.model", "model-2"),))),
            f"{_SUMMARY} WHERE json_extract(attributes, '$.\"gen_ai.request.model\"') = 'model-2' {_NEWEST}",
            (),
        ),
        (
            "other attribute, 50",
            lambda: store.events(Filter(attributes=(("customer", "customer-77"),))),
            f"{_SUMMARY} WHERE json_extract(attributes, '$.customer') = 'customer-77' {_NEWEST}",
            (),
        ),
    ]


def _searches(store: SqliteStore) -> list[Case]:
    return [
        (
            "text, common word",
            lambda: store.events(Filter(q=WORDS[0])),
            f"{_SUMMARY} WHERE attributes LIKE '%{WORDS[0]}%' {_NEWEST}",
            (),
        ),
        (
            "text, rare word",
            lambda: store.events(Filter(q=WORDS[-1])),
            f"{_SUMMARY} WHERE attributes LIKE '%{WORDS[-1]}%' {_NEWEST}",
            (),
        ),
        (
            "two words and kind",
            lambda: store.events(Filter(q=f"{WORDS[1]} {WORDS[40]}", kinds=("tool",))),
            (
                f"{_SUMMARY} WHERE kind = 'tool' AND attributes LIKE '%{WORDS[1]}%' "
                f"AND attributes LIKE '%{WORDS[40]}%' {_NEWEST}"
            ),
            (),
        ),
    ]


def _sorted(store: SqliteStore) -> list[Case]:
    return [
        (
            "by duration, 50",
            lambda: store.events(Filter(), sort="duration"),
            f"{_SUMMARY} ORDER BY end_ns - start_ns DESC LIMIT 51",
            (),
        ),
        ("by cost, 50", lambda: store.events(Filter(), sort="cost"), f"{_SUMMARY} ORDER BY cost DESC LIMIT 51", ()),
    ]


def _sums(store: SqliteStore) -> list[Case]:
    return [
        (
            "traces, 50",
            lambda: store.traces(Filter()),
            (
                "SELECT trace_id, count(*), sum(cost), min(start_ns) FROM spans GROUP BY trace_id "
                "ORDER BY min(start_ns) DESC LIMIT 51"
            ),
            (),
        ),
        (
            "sessions, 50",
            store.sessions,
            (
                "SELECT session_id, count(*), sum(cost), max(end_ns) FROM spans GROUP BY session_id "
                "ORDER BY max(end_ns) DESC LIMIT 51"
            ),
            (),
        ),
        (
            "stats, ten slices",
            lambda: store.stats(Filter(replays=False), buckets=10),
            "SELECT start_ns / 400000000000 AS slice, count(*), avg(end_ns - start_ns) FROM spans GROUP BY slice",
            (),
        ),
        (
            "stats by name",
            lambda: store.stats(Filter(replays=False), by="name"),
            "SELECT name, count(*), avg(end_ns - start_ns) FROM spans GROUP BY name",
            (),
        ),
        (
            "stats by model",
            lambda: store.stats(Filter(kinds=("llm",), replays=False), by="model"),
            "SELECT model, count(*), avg(end_ns - start_ns) FROM spans WHERE kind = 'llm' GROUP BY model",
            (),
        ),
    ]


def _or_limit(ours: Callable[[], object]) -> float:
    from inspector.store import QueryTooSlow

    try:
        return timed(ours)
    except QueryTooSlow:
        return float("inf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--batch", type=int, default=512)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        ours, limit = Path(directory) / "store.db", Path(directory) / "raw.db"
        store, raw = SqliteStore(ours), raw_open(limit)
        rates = write_both(store, raw, options.rows, options.batch)
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.sync()
        print(f"\nWriting {options.rows} spans, {options.batch} a batch\n")
        print("| | spans/s | of raw, ready | of raw, from spans |\n|---|--:|--:|--:|")
        names = {
            "raw": "raw sqlite3, five indexes, ready tuples",
            "raw from spans": "raw sqlite3, tuples made from the same spans",
            "store": "store",
            "both": "store and search",
            "index": "search alone",
        }
        for name, label in names.items():
            shares = (rates[name] / rates[limit] for limit in ("raw", "raw from spans"))
            print(f"| {label} | {rates[name]:,.0f} | " + " | ".join(f"{share:.2f}" for share in shares) + " |")
        bytes_each = [path.stat().st_size / options.rows for path in (ours, limit)]
        print("\nBytes a span: store with search {:,.0f}, raw {:,.0f}\n".format(*bytes_each))
        print("| p50, ms | store | raw sqlite3 |\n|---|--:|--:|")
        for name, ours_ms, raw_ms in reads(store, raw):
            print(f"| {name} | {ours_ms:.2f} | {raw_ms:.2f} |")
        store.close()
        raw.close()


if __name__ == "__main__":
    main()
