import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from msgspec import structs

from inspector.model import Filter, SpanError
from inspector.store import SpoolMark
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.database.engine import writer_engine
from inspector.store.sqlite.migrations import upgrade
from inspector.store.sqlite.search.fulltext import INDEXED_COLUMNS, Indexed, documents
from inspector.store.sqlite.search.phrases import query_of

INPUT = "gen_ai.input.messages"
COPIED = ("traces", "sessions", "contents", "spools")


@pytest.fixture
def spans(make_span):
    """Two turns of a conversation, a failure, one that still runs and one that ended after others had come."""
    said = [{"role": "user", "content": f"question {at} " + "filling " * 200} for at in range(3)]
    prompts = [json.dumps(said[: at + 2]) for at in range(2)]
    asked = {"kind": "llm", "model": "m", "input_tokens": 7, "cost_usd": 0.5, "session_id": "s", "input_key": INPUT}
    return [
        make_span(span_id="1" * 16, trace_id="b" * 32, status="running", process="p"),
        make_span(
            span_id="2" * 16,
            trace_id="c" * 32,
            attributes={INPUT: prompts[0], "gen_ai.request.model": "asked"},
            **asked,
        ),
        make_span(span_id="3" * 16, trace_id="c" * 32, attributes={INPUT: prompts[1]}, **asked),
        make_span(span_id="4" * 16, trace_id="a" * 32, status="error", error=SpanError("E", "lime"), tool="t"),
        make_span(span_id="5" * 16, trace_id="b" * 32, status="running", parent_id="1" * 16, agent="x", process="p"),
        make_span(span_id="6" * 16, trace_id="c" * 32, start_ns=2**63 + 5, end_ns=2**63 + 9, parent_id="2" * 16),
    ]


@pytest.fixture
def old(tmp_path, spans):
    """A database as schema 0001 had it, made from that of a store that is still there to be compared with."""
    fresh, path = tmp_path / "fresh.db", tmp_path / "old.db"
    store = SqliteStore(fresh)
    store.write(spans, marks=[SpoolMark("a.jsonl", 2**64 - 1, 10)])
    store.write([structs.replace(spans[0], status="ok", end_ns=spans[0].start_ns + 9)])
    while store.index():
        pass
    store.write([structs.replace(spans[0], span_id="7" * 16, name="not yet indexed")])
    with store._write() as connection:
        indexed = f"SELECT {INDEXED_COLUMNS} FROM spans WHERE status <> 'running' AND seq <= {store.indexed_seq()}"
        texts = documents(connection, [Indexed._make(row) for row in connection.exec_driver_sql(indexed)])
    store.close()
    engine = writer_engine(path)
    with engine.begin() as connection:
        upgrade(connection, to="0001")
    engine.dispose()
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("ATTACH ? AS fresh", (str(fresh),))
        for table in COPIED:
            database.execute(f"DELETE FROM {table}")
            columns = ", ".join(f'"{row[1]}"' for row in database.execute(f"PRAGMA fresh.table_info({table})"))
            kept = ", ".join(
                f'"{row[1]}"'
                for row in database.execute(f"PRAGMA main.table_info({table})")
                if f'"{row[1]}"' in columns
            )
            # Spools counted what was dropped themselves.
            own, counted = (", dropped, dropped_segments", ", 2, 1") if table == "spools" else ("", "")
            database.execute(f"INSERT INTO {table} ({kept}{own}) SELECT {kept}{counted} FROM fresh.{table}")
        # The index knew where each word is, and how many words each document has.
        database.executemany("INSERT INTO search (rowid, body) VALUES (?, ?)", texts)
        # Sums of then counted otherwise.
        database.execute("UPDATE traces SET errors = 9, failed = 9, models = '[\"as answered\"]'")
        database.execute("UPDATE sessions SET errors = 9")
        database.execute("INSERT INTO counters SELECT * FROM fresh.counters WHERE name NOT IN ('trace', 'spans')")
        database.execute("INSERT INTO counters VALUES ('dropped', 3)")
        database.execute("INSERT INTO fresh.counters VALUES ('lost_dropped', 5)")
        database.execute("INSERT INTO counters SELECT 'id', max(id) FROM fresh.spans")
        known = [row[1] for row in database.execute("PRAGMA fresh.table_info(spans)")]
        kept = [row[1] for row in database.execute("PRAGMA main.table_info(spans)") if row[1] in known]
        values = ["t.trace_id" if name == "trace_id" else f"s.{name}" for name in kept]
        database.execute(
            f"INSERT INTO spans ({', '.join(kept)}) SELECT {', '.join(values)} "
            "FROM fresh.spans AS s JOIN fresh.traces AS t ON t.id = s.trace_id"
        )
    return path, fresh


def without_gist(summed):
    """A trace or run without its question and answer, which are kept from their version on."""
    return replace(summed, question=None, answer=None)


def everything(store):
    text = [store.events(Filter(q=word)).items for word in ("question", '"question 2"', "lime", "not")]
    return (
        store.events(Filter(), order="asc", full=True),
        store.events(Filter(), sort="cost"),
        store.after(0, Filter()),
        [without_gist(trace) for trace in store.traces(Filter(), timeline=True).items],
        [without_gist(run) for run in store.runs(Filter()).items],
        store.sessions(),
        store.stats(Filter(), by="model"),
        [store.event(f"{at}" * 16) for at in range(1, 8)],
        text,
        store.spools(),
        replace(store.health(), bytes=0, used_bytes=0),
    )


def test_a_database_of_the_first_schema_is_brought_up_to_date_and_reads_the_same(old, open_store):
    path, fresh = old
    migrated, known = open_store(path), open_store(fresh)
    assert everything(migrated) == everything(known)
    assert [event.span_id[0] for event in migrated.after(0, Filter()) if event.span_id] == list("2345617")
    for store in (migrated, known):
        assert store.index() == 1


def tables_of(path):
    with closing(sqlite3.connect(path)) as database:
        return {row[0] for row in database.execute("SELECT name FROM sqlite_master")}


def test_only_an_index_that_has_documents_keeps_their_sizes_and_the_positions_of_words(old, open_store):
    path, fresh = old
    for each, has_positions in ((path, True), (fresh, False)):
        store = open_store(each)
        assert ("search_docsize" in tables_of(each)) == has_positions
        with store._write() as connection:
            assert (query_of(connection, '"question 2"').phrases is None) == has_positions


def test_a_database_of_the_first_schema_is_written_like_any_other_afterwards(old, spans, open_store, make_span):
    path, fresh = old
    more = [
        *spans,
        structs.replace(spans[4], status="ok", end_ns=spans[4].start_ns + 3),
        make_span(span_id="8" * 16, trace_id="d" * 32, session_id="s"),
    ]
    stores = open_store(path), open_store(fresh)
    for store in stores:
        store.write(more)
        while store.index():
            pass
    assert everything(stores[0]) == everything(stores[1])
    assert stores[0].last_seq() == 10
    for store in stores:
        assert store.mark_lost(["p"]) == 1
        assert store.delete("session", "s") == 4
    assert everything(stores[0]) == everything(stores[1])


def test_spans_from_before_events_were_searched_are_found_by_them_once_stored_anew(path, open_store, make_span):
    said = {"name": "log", "time_unix_nano": "1", "attributes": {"text": "no magenta"}}
    span = make_span(span_id="1" * 16, events=[said])
    store = open_store(path)
    store.write([span])
    store.close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE logs")
        for table in ("runs", "sessions"):
            database.execute(f"ALTER TABLE {table} DROP COLUMN uncaught")
        database.execute("UPDATE alembic_version SET version_num = '0023'")
    store = open_store(path)
    store.maintain()
    assert store.events(Filter(q="magenta")).items == ()
    store.write([structs.replace(span, name="stored anew")])
    store.maintain()
    assert [event.name for event in store.events(Filter(q="magenta")).items] == ["stored anew"]
    store.delete("trace", span.trace_id)
    with store._write() as connection:
        matches = connection.exec_driver_sql("SELECT rowid FROM search WHERE search MATCH 'magenta OR stored'")
        assert matches.all() == []
        connection.exec_driver_sql("INSERT INTO search (search) VALUES ('integrity-check')")
