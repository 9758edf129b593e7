"""A home copied to ClickHouse and back: everything, once, whatever breaks it off."""

import dataclasses
import itertools
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import msgspec
import pytest
from lists import walk
from made_spans import make, spans_of
from msgspec.structs import replace
from patience import PATIENT
from pydantic import SecretStr

from inspector.ingest import CopyRefused, NothingRecorded, Owner, comparing, copy_home
from inspector.ingest.joining import Joining
from inspector.model import Filter, Log, Loss, NewLabel
from inspector.settings import Settings
from inspector.store import OwnedElsewhere, Removed, SpoolMark, StoreError, StoreNewer, open_store

HOUR_NS = 3600 * 10**9
SEED = 31
ENGINES = ("sqlite", "clickhouse")
PAIRS = [pair for pair in itertools.product(ENGINES, ENGINES) if pair != ("clickhouse", "clickhouse")]
COUNT = itertools.count(1)


@pytest.fixture(scope="module")
def engine():
    """What is in the memory of ClickHouse is there as long as somebody has it open."""
    with closing(open_store(Settings(database_url=SecretStr("chdb://memory/kept_open")))) as store:
        yield store


@pytest.fixture
def place(engine, tmp_path):
    """Names a new home or database."""

    def named(kind):
        home = tmp_path / f"home {next(COUNT)}"
        if kind == "sqlite":
            return Settings(home=home)
        return Settings(home=home, database_url=SecretStr(f"chdb://memory/copied_{next(COUNT)}"))

    return named


def fill(settings):
    """Fills a store with all that there is, an hour for each batch."""
    settings.spool.mkdir(parents=True, mode=0o700)
    waiting = settings.spool / "a.jsonl"
    waiting.write_text("\n\n\n")
    made, now_ns = make(SEED, traces=8), itertools.count(400_000 * HOUR_NS, HOUR_NS)
    with closing(open_store(settings, now_ns=lambda: next(now_ns), limits=PATIENT)) as store:
        for batch in made.batches:
            store.write(batch)
        span = spans_of(made.batches)[0]
        raw = {"inspector.raw.exchanges": "what a replay gives back", "text": "x" * 9000}
        logs = [log_of("f" * 32, span.span_id, 1), log_of("f" * 32, "9" * 16, 2), log_of(span.trace_id, "9" * 16, 2)]
        store.write([replace(span, trace_id="f" * 32, session_id=None, attributes=raw)], logs=logs)
        # As whoever opens the home to copy it would do.
        Joining(store).join()
        store.write([replace(span, trace_id="f" * 31 + "e")])
        run_id = store.runs(Filter()).items[0].run_id
        store.write(
            (),
            labels=[
                NewLabel(run_id=run_id, name="quality", score=0.5, author="ada", time_ns=7),
                NewLabel(run_id=run_id, name="note", note="look here", author="bob", time_ns=8),
                NewLabel(run_id=run_id, name="note", note="and here", author="bob", time_ns=8),
                NewLabel(trace_id=span.trace_id, span_id=span.span_id, name="good", source="model", time_ns=9),
            ],
            losses=[
                Loss("p1", "r1", "web", "dropped", 3, 10, 20),
                Loss("p1", "r1", "web", "dropped", 4, 10**15, 10**15 + 1),
                Loss("p2", None, None, "unwritten", 5, 30, 40),
            ],
            marks=[SpoolMark("a.jsonl", waiting.stat().st_ino, 3, 4, 1, 3, 0)],
        )
        store.note_removal(Removed("age", 99, 2, 30))
        store.delete("trace", made.batches[3][0].trace_id)
        store.maintain()
    return settings


def log_of(trace_id, span_id, at):
    return Log(trace_id, span_id, {"name": "log", "time_unix_nano": f"{at}", "attributes": {"at": at}})


def listed(settings):
    """Everything that can be asked, without what is numbered anew."""
    with closing(open_store(settings, read_only=True, limits=PATIENT)) as store:
        events = walk(store.events, Filter(), limit=50, order="asc", full=True, raw=True)
        found = {
            "events": {(event.trace_id, event.span_id): plain(event) for event in events},
            "traces": {trace.trace_id: plain(trace) for trace in walk(store.traces, Filter())},
            "runs": {run.run_id: plain(run) for run in walk(store.runs, Filter())},
            "sessions": {session.session_id: plain(session) for session in walk(store.sessions)},
            "labels": sorted(repr(dataclasses.replace(label, label_id="")) for label in walk(store.labels)),
            "losses": sorted(map(repr, store.losses())),
            "logs": store.kept_logs(),
            "calls": {group.key: group.count for group in store.stats(Filter(), by="kind").groups},
            "found": {event.span_id for event in walk(store.events, Filter(q="anchor"))},
            "marks": {name: mark for name, mark in store.spools().items() if not name.startswith("copy of ")},
        }
        health = store.health()
        return found | {"removed": health.removed, "spans": health.spans, "lost": health.losses}


def plain(item):
    given = {"seq": 0}
    if getattr(item, "attributes", None) is not None and not isinstance(item.attributes, str):
        given |= {name: bytes_of(getattr(item, name)) for name in ("input", "output", "attributes", "events", "links")}
    if getattr(item, "labels", ()):
        given["labels"] = tuple(sorted(repr(dataclasses.replace(label, label_id="")) for label in item.labels))
    if hasattr(item, "cost_usd"):
        given["cost_usd"] = None if item.cost_usd is None else round(item.cost_usd, 9)
    return dataclasses.replace(item, **given)


def bytes_of(text):
    return None if text is None else repr(sorted_keys(msgspec.json.decode(text)))


def sorted_keys(value):
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def copied(source, target, so_far=lambda *_: None):
    return copy_home(source, target, so_far=so_far)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("kind", "other"), PAIRS)
def test_all_that_is_stored_is_there_and_back(place, kind, other):
    source = fill(place(kind))
    wanted = listed(source)
    target, back = place(other), place(kind)
    done = copied(source, target)
    assert (done.differing, done.spans, done.traces) == ((), wanted["spans"], len(wanted["traces"]))
    assert listed(target) == wanted
    assert copied(target, back).differing == ()
    assert listed(source) == wanted
    # A home keeps no marks of files that its spool does not have.
    assert listed(back) | {"marks": {}} == wanted | {"marks": {}}


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("kind", "other"), PAIRS)
def test_a_trace_is_as_old_in_the_copy_as_it_was(place, kind, other):
    source, target = fill(place(kind)), place(other)
    copied(source, target)
    arrived = []
    for settings in (source, target):
        with closing(open_store(settings, read_only=True, limits=PATIENT)) as store:
            arrived.append({each.trace_id: each.arrived_ns // HOUR_NS for each in store.arrivals()})
    assert arrived[0] == arrived[1]
    assert len(set(arrived[0].values())) > 3


@pytest.mark.sweep(1)
@pytest.mark.parametrize("other", ENGINES)
def test_a_copy_that_breaks_off_anywhere_goes_on_there(place, monkeypatch, other):
    monkeypatch.setattr(comparing, "SPANS_AT_ONCE", 10)
    source, target = fill(place("sqlite")), place(other)
    wanted = listed(source)
    seen = []

    def breaking(step, done, of):
        seen.append(done)
        if len(seen) % 3 == 0:
            raise KeyboardInterrupt

    breaks = 0
    while True:
        try:
            done = copied(source, target, breaking if breaks < 4 else lambda *_: None)
            break
        except KeyboardInterrupt:
            breaks += 1
    assert (breaks, done.differing) == (4, ())
    assert seen[3] > seen[0]
    assert listed(target) == wanted


KILLED = """
import os, signal, sys
from pydantic import SecretStr
from inspector.ingest import comparing, copy_home
from inspector.settings import Settings
comparing.SPANS_AT_ONCE = 10
home, url, after = sys.argv[1:]
source, target = Settings(home=home), Settings(home=home, database_url=SecretStr(url))
if not url.startswith("chdb"):
    target = Settings(home=url)
calls = []
def so_far(step, done, of):
    calls.append(done)
    if len(calls) == int(after):
        os.kill(os.getpid(), signal.SIGKILL)
print(copy_home(source, target, so_far=so_far).differing)
"""


@pytest.mark.slow
@pytest.mark.parametrize("other", ENGINES)
def test_a_copy_that_is_killed_goes_on_and_has_nothing_twice(place, tmp_path, other):
    source = fill(place("sqlite"))
    home = tmp_path / "killed"
    url = str(home) if other == "sqlite" else f"chdb://{home}?database=team"
    for after, code in ((3, -signal.SIGKILL), (0, 0)):
        command = [sys.executable, "-c", KILLED, str(source.home), url, str(after)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
    # The comparison read every span of both.
    assert done.stdout == "()\n"
    if other == "sqlite":
        assert listed(Settings(home=home)) == listed(source)


@pytest.mark.slow
def test_what_came_after_a_copy_is_all_that_the_next_one_brings(place):
    source, target = fill(place("sqlite")), place("clickhouse")
    copied(source, target)
    with closing(open_store(source, limits=PATIENT)) as store:
        (label, *_) = store.labels().items
        store.remove_label(label.label_id)
        store.write(
            [replace(span, trace_id="e" * 32) for span in make(SEED, traces=8).batches[0]],
            losses=[Loss("p1", "r1", "web", "dropped", 3, 15, 21)],
        )
        store.maintain()
    steps = []
    assert copied(source, target, lambda *step: steps.append(step)).differing == ()
    assert [done for step, done, of in steps if step == "copying"] == [listed(source)["spans"]]
    wanted, found = listed(source), listed(target)
    # Stretches of time are not joined in both.
    assert len(wanted.pop("losses")) <= len(found.pop("losses"))
    assert found == wanted


def test_a_log_is_joined_to_the_copy_of_its_span_too(place):
    source, target = fill(place("sqlite")), place("sqlite")
    copied(source, target)
    with closing(open_store(target, limits=PATIENT)) as store:
        (due,) = store.due_logs(10)
    assert due.trace_id == "f" * 32


@pytest.mark.slow
def test_a_log_that_is_missing_in_a_copy_is_named(place):
    source, target = fill(place("sqlite")), place("clickhouse")
    copied(source, target)
    with closing(open_store(target, limits=PATIENT)) as store:
        store.drop_logs(10**6, 0)
    with closing(open_store(source, limits=PATIENT)) as old, closing(open_store(target, limits=PATIENT)) as new:
        assert [each.what for each in comparing.differences(old, new, lambda _: None)] == ["logs"]


@pytest.mark.slow
def test_what_differs_is_named(place, engine):
    source, target = fill(place("sqlite")), place("clickhouse")
    copied(source, target)
    with closing(open_store(target, limits=PATIENT)) as store:
        first, second, *_ = store.traces(Filter()).items
        span = store.stored([first.trace_id])[0].span
        store.write_again([replace(span, name="another name")])
        store.delete("trace", second.trace_id)
        store.write([replace(span, trace_id="d" * 32), replace(span, trace_id="c" * 32)])
        store.write((), losses=[Loss("p9", None, None, "dropped", 3, 15, 21)])
    found = {difference.what: difference.why for difference in copied(source, target).differing}
    assert found == {
        f"trace {first.trace_id}": "spans that say something else",
        f"trace {second.trace_id}": f"{second.spans:,} spans here, 0 there",
        f"trace {'c' * 32}": "only there",
        f"trace {'d' * 32}": "only there",
        "what was not recorded": "12 here, 15 there",
    }


@pytest.mark.slow
def test_only_an_empty_target_or_a_part_of_the_same_copy_is_taken(place):
    source, target = fill(place("sqlite")), fill(place("clickhouse"))
    with pytest.raises(CopyRefused, match="is not empty"):
        copied(source, target)
    with pytest.raises(CopyRefused, match="cannot be copied into itself"):
        copied(source, Settings(home=source.home))
    with pytest.raises(CopyRefused, match="cannot be copied into itself"):
        copied(target, target)
    fresh = place("sqlite")
    copied(source, fresh)
    another = fill(place("sqlite"))
    shutil.copy(another.database, source.home / "another")
    (source.home / "another").replace(source.database)
    with pytest.raises(CopyRefused, match="a copy of what was there before"):
        copied(source, fresh)


@pytest.mark.slow
def test_a_home_that_somebody_writes_is_left_alone_on_either_side(place):
    source, target = fill(place("sqlite")), place("sqlite")
    for owned in (source, target):
        with Owner(owned), pytest.raises(OwnedElsewhere):
            copied(source, target)
    assert copied(source, target).differing == ()


def test_where_nothing_is_recorded_nothing_is_made(tmp_path):
    with pytest.raises(NothingRecorded):
        copied(Settings(home=tmp_path / "none"), Settings(home=tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_a_database_of_a_later_version_is_left_as_it_is(place):
    source, target = fill(place("sqlite")), place("sqlite")
    open_store(target, limits=PATIENT).close()
    with closing(sqlite3.connect(target.database)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreNewer, match="later version"):
        copied(source, target)


def test_a_target_that_cannot_be_reached_is_named(place):
    source = fill(place("sqlite"))
    target = Settings(home=source.home, database_url=SecretStr("clickhouse://127.0.0.1:1/team"))
    with pytest.raises(StoreError, match=r"ClickHouse at 127\.0\.0\.1:1 does not answer"):
        copied(source, target)
