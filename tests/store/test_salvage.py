import json
import random
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from inspector.model import Filter, Log, Span
from inspector.store import StoreMissing
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.salvage import salvaged
from inspector.store.sqlite.salvage.pages import Pages
from inspector.store.sqlite.salvage.rows import is_span

PAGE = 16384
TRACES, SPANS = 60, 12


def spans_of(number):
    """A run of model calls that resend what was said; every third has more than fits into a page."""
    ids, chance, said = count(number * SPANS + 1), random.Random(number), []
    for at, span in enumerate(ids, number * SPANS + 1):
        if len(said) == SPANS:
            return
        said.append({"role": "user", "content": f"turn {at} " + chance.randbytes(400).hex()})
        result = chance.randbytes(12_000 if at % 3 == 0 else 200).hex()
        yield Span(
            trace_id=random.Random(-number).randbytes(16).hex(),
            span_id=f"{span:016x}",
            name=f"chat {at}",
            kind="llm",
            status="error" if at % 5 == 0 else "ok",
            start_ns=10**18 + at * 1000,
            end_ns=10**18 + at * 1000 + 500,
            session_id=f"session {number % 7}" if number % 3 else None,
            attributes={"result": result, "gen_ai.input.messages": json.dumps(said)},
        )


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A closed database: its path, its bytes, and for each span the pages that hold its record."""
    path = tmp_path_factory.mktemp("sound") / "inspector.db"
    with closing(SqliteStore(path)) as store:
        for number in range(TRACES):
            store.write(list(spans_of(number)))
        while store.index():
            pass
    with closing(WatchedPages(path)) as pages:
        places = dict(pages.places())
    assert len(places) == TRACES * SPANS
    return Sound(path, path.read_bytes(), places)


class Sound:
    """Not a tuple, since Hypothesis shows what a test is called with wherever something watches it: 15 MB of bytes."""

    def __init__(self, path, content, places):
        self._parts = path, content, places

    def __iter__(self):
        return iter(self._parts)


class WatchedPages(Pages):
    """Remembers which pages were asked for."""

    def _page(self, number):
        self.asked.add(number)
        return super()._page(number)

    asked: set[int] = set()

    def places(self):
        for number in range(1, self.count + 1):
            self.asked = set()
            records = self._records_of(number, self._page(number))
            for record in records:
                if record is not None and is_span(record):
                    yield record.values[3], frozenset(self.asked)
                self.asked = {number}


def span_ids(store):
    return {event.span_id for event in every_event(store)}


def every_event(store):
    for trace in store.traces(Filter(), limit=1000).items:
        yield from store.events(Filter(trace_id=trace.trace_id), limit=1000, full=True).items


@pytest.mark.slow
def test_all_of_a_sound_database_is_read_as_sqlite_reads_it(sound):
    path, _, _ = sound
    with closing(SqliteStore(path, read_only=True)) as store, salvaged(path) as found:
        assert (found.spans, found.lost, found.without_messages, found.renamed_traces) == (TRACES * SPANS, 0, 0, 0)
        assert list(every_event(found.store)) == list(every_event(store))
        assert found.store.sessions(limit=1000) == store.sessions(limit=1000)
        traces = zip(found.store.traces(Filter()).items, store.traces(Filter()).items, strict=True)
        for ours, theirs in traces:
            assert ours == theirs


def test_logs_are_taken_for_nothing_else(open_store, path, tmp_path):
    spans = list(spans_of(1))
    logs = [Log(span.trace_id, span.span_id, {"name": "log", "attributes": {"text": "x" * 9000}}) for span in spans]
    store = open_store(path)
    store.write(spans, logs=logs)
    with salvaged(path) as found:
        assert (found.spans, found.lost, found.without_messages, found.renamed_traces) == (SPANS, 0, 0, 0)
        assert list(every_event(found.store)) == list(every_event(store))


def damage(content, kind, page, chance):
    """Breaks a page of the bytes in place."""
    start, last = page * PAGE, len(content) // PAGE - 1
    other = chance.randrange(last + 1) * PAGE
    new = {
        "random": lambda: chance.randbytes(PAGE),
        "zeros": lambda: bytes(PAGE),
        "other": lambda: bytes(content[other : other + PAGE]),
        "half": lambda: bytes(content[start : start + PAGE // 2]) + chance.randbytes(PAGE // 2),
    }[kind]()
    content[start : start + PAGE] = new


breaks = st.lists(
    st.tuples(st.sampled_from(["random", "zeros", "other", "half"]), st.floats(0, 0.999)), min_size=1, max_size=40
)


# The same examples each time, and none made smaller: each takes a third of a second, and says itself what broke.
@pytest.mark.slow
@settings(
    max_examples=settings.default.max_examples // 2,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(breaks=breaks, cut=st.one_of(st.none(), st.floats(0.05, 1)), seed=st.integers(0, 2**32))
def test_every_span_whose_record_lies_in_sound_pages_is_saved(sound, tmp_path, breaks, cut, seed):
    _, whole, places = sound
    content, chance, broken = bytearray(whole), random.Random(seed), set()
    for kind, where in breaks:
        page = int(where * (len(whole) // PAGE))
        damage(content, kind, page, chance)
        broken.add(page + 1)
    if cut is not None:
        del content[int(cut * len(content)) :]
        broken.update(range(len(content) // PAGE + 1, len(whole) // PAGE + 1))
    (tmp_path / "inspector.db").write_bytes(content)
    with salvaged(tmp_path / "inspector.db") as found:
        expected = {span_id for span_id, pages in places.items() if not pages & broken}
        assert expected <= span_ids(found.store) <= places.keys()
        assert found.lost <= len(places) - found.spans


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", range(6))
def test_three_broken_pages_cost_what_was_in_them(sound, tmp_path, seed):
    _, whole, places = sound
    chance, content = random.Random(seed), bytearray(whole)
    pages = [chance.randrange(1, len(whole) // PAGE) for _ in range(3)]
    for page in pages:
        damage(content, "random", page, chance)
    (tmp_path / "inspector.db").write_bytes(content)
    with salvaged(tmp_path / "inspector.db") as found:
        lost = {span_id for span_id, held in places.items() if held & {page + 1 for page in pages}}
        assert span_ids(found.store) == places.keys() - lost
        assert found.spans == len(places) - len(lost)


def test_a_trace_keeps_its_id_when_its_row_is_lost_and_gets_another_when_the_index_is_too(sound, tmp_path):
    path, whole, _ = sound
    content, ids = bytearray(whole), {next(iter(spans_of(number))).trace_id for number in range(TRACES)}
    with closing(Pages(path)) as pages:
        held = {"rows": set(), "index": set()}
        for record in pages.records():
            values = () if record is None else record.values
            if values[1:2] and values[1] in ids and record.row_id is not None:
                held["rows"].add(record.page)
            if values[:1] and values[0] in ids:
                held["index"].add(record.page)
    for where, renamed in (("rows", 0), ("index", TRACES)):
        for page in held[where]:
            content[(page - 1) * PAGE : page * PAGE] = bytes(PAGE)
        (tmp_path / "inspector.db").write_bytes(content)
        with salvaged(tmp_path / "inspector.db") as found:
            assert (found.spans, found.renamed_traces) == (TRACES * SPANS, renamed)
            assert ({trace.trace_id for trace in found.store.traces(Filter(), limit=100).items} == ids) == (not renamed)


def test_what_only_the_log_holds_is_saved(tmp_path):
    path = tmp_path / "inspector.db"
    store = SqliteStore(path)
    for number in range(3):
        store.write(list(spans_of(number)))
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("inspector.db", "inspector.db-wal"):
        (copy / name).write_bytes((tmp_path / name).read_bytes())
    store.close()
    with salvaged(copy / "inspector.db") as found:
        assert found.spans == 3 * SPANS
    log = copy / "inspector.db-wal"
    log.write_bytes(log.read_bytes()[:-1])
    with salvaged(copy / "inspector.db") as found:
        assert found.spans == 2 * SPANS


def test_deleted_spans_do_not_come_back(sound, tmp_path):
    path = tmp_path / "inspector.db"
    _, whole, _ = sound
    path.write_bytes(whole)
    with closing(SqliteStore(path)) as store:
        for trace in store.traces(Filter(), limit=1000).items[5:]:
            store.delete("trace", trace.trace_id)
    with salvaged(path) as found:
        assert (found.spans, found.lost) == (5 * SPANS, 0)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("content", [b"", b"x" * 5, bytes(40_000), b"\xff" * 40_000, b"SQLite format 3\0" * 3000])
def test_a_file_that_is_no_database_holds_nothing(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with salvaged(tmp_path / "file") as found:
        assert found.spans == 0
    with pytest.raises(StoreMissing), salvaged(Path(tmp_path / "none")):
        pass


def test_the_damaged_file_is_left_as_it_is(sound, tmp_path):
    path = tmp_path / "inspector.db"
    _, whole, _ = sound
    path.write_bytes(whole)
    with salvaged(path):
        pass
    assert path.read_bytes() == whole
    assert [each.name for each in tmp_path.iterdir()] == ["inspector.db"]


def test_a_page_that_the_map_has_no_entry_for_belongs_to_nothing(sound):
    path, _, _ = sound
    with closing(Pages(path)) as pages:
        assert [pages.root_of(number) for number in (0, 1, 2, pages.count + 10_000_000)] == [None] * 4
