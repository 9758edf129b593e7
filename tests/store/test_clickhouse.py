import itertools
import socket
import subprocess
import sys
from contextlib import closing, contextmanager

import pytest
from clickhouse_server import served
from lists import walk
from loopback import Quiet, serving_http
from msgspec.structs import replace
from patience import PATIENT
from pydantic import SecretStr

from inspector.model import Filter, Loss, NewLabel
from inspector.settings import Settings
from inspector.store import SpoolMark, StoreBusy, StoreError, StoreMissing, StoreReadOnly, open_store
from inspector.store.clickhouse import ClickHouseStore, read_address, statements
from inspector.store.clickhouse.database import Database, Values
from inspector.store.values.words import words_of

COUNT = itertools.count(1)


@pytest.fixture(scope="module")
def server():
    with served() as host:
        yield host


@contextmanager
def answering(status, page, code=None):
    """A server of HTTP that gives one answer to whatever it is asked."""

    class Answering(Quiet):
        def do_POST(self):
            self.send_response(status)
            if code is not None:
                self.send_header("X-ClickHouse-Exception-Code", code)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

    with serving_http(Answering) as listening:
        yield f"127.0.0.1:{listening.server_port}"


@pytest.fixture
def broken_server():
    with answering(500, b"<h1>\nBad gateway\n</h1>\n") as host:
        yield host


@pytest.fixture
def address():
    return read_address(f"chdb://memory/own_{next(COUNT)}")


@pytest.fixture
def store(server, address):
    with closing(ClickHouseStore(address, limits=PATIENT)) as opened:
        yield opened


def rows_of(page):
    return sorted((event.trace_id, event.span_id, event.status) for event in page.items)


def test_the_engine_finds_the_words_that_a_text_is_stored_with_whatever_their_letters(store, address):
    letters = [chr(code) for code in range(0x3000) if not 0xD800 <= code < 0xE000]
    letters += [chr(code) for code in range(0x3000, sys.maxunicode, 97) if not 0xD800 <= code < 0xE000]
    with closing(Database(address, read_s=60)) as database:
        database.begin()
        for at in range(0, len(letters), 2000):
            some = letters[at : at + 2000]
            words = words_of(" ".join(f"x{letter}y{letter} {letter}" for letter in some))
            values = Values()
            found = database.row(f"SELECT tokens({values.text(words)}, 'splitByNonAlpha')", values)
            assert found[0] == words.split()


def test_an_address_names_all_that_is_needed():
    address = read_address("clickhouse://ada:se%20cret@box.example/team?secure=1")
    assert (address.hosts, address.user, address.password) == ((("box.example", 8443),), "ada", "se cret")
    assert (address.database, address.secure) == ("team", True)
    assert "cret" not in str(address) + repr(address)
    assert read_address("clickhouse://box.example/team").hosts == (("box.example", 8123),)
    several = read_address("clickhouse://ada:x@one.example,two.example:8124,[::1]/team")
    assert several.hosts == (("one.example", 8123), ("two.example", 8124), ("::1", 8123))


@pytest.mark.parametrize(
    "url",
    ["", "postgres://box/team", "clickhouse://box", "clickhouse:///team", "clickhouse://b:x/t", "clickhouse://a,/t"],
)
def test_what_is_no_address_is_refused_with_its_form(url):
    with pytest.raises(StoreError, match="clickhouse://user:password@host:8123/database"):
        read_address(url)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("secure=yes", r"has \?secure=yes; write \?secure=1 for TLS"),
        ("secure=", None),
        ("secure=True", None),
        ("ssl=1", r"unknown option ssl; the only one is \?secure=1"),
    ],
)
def test_an_option_that_is_not_understood_does_not_send_a_password_without_tls(option, said):
    url = f"clickhouse://ada:x@box.example/team?{option}"
    if said is None:
        assert read_address(url).secure is (option == "secure=True")
    else:
        with pytest.raises(StoreError, match=said):
            read_address(url)


def refused(address, kind=StoreBusy):
    """What is said where a store cannot be opened."""
    with pytest.raises(kind) as refusal:
        ClickHouseStore(address)
    return str(refusal.value)


def test_a_server_that_is_not_there_is_named_in_one_line_and_tried_again_later(caplog):
    with socket.socket() as taken:
        # Nobody listens, and nobody else can begin to.
        taken.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{taken.getsockname()[1]}"
        said = refused(read_address(f"clickhouse://127.0.0.1:{taken.getsockname()[1]}/team"))
    assert said == (
        f"the database team of ClickHouse at {host} does not answer (Connection refused): "
        "is it running, and is INSPECTOR_DATABASE_URL right?"
    )
    assert not caplog.records


def test_a_server_that_is_no_clickhouse_is_told_of_in_one_line(broken_server, caplog):
    said = refused(read_address(f"clickhouse://ada:secret@{broken_server}/team"))
    assert said == (
        f"the database team of ClickHouse at {broken_server} answers as no ClickHouse does (HTTP status 500, "
        "server response: <h1> Bad gateway </h1>): is it running, and is INSPECTOR_DATABASE_URL right?"
    )
    assert not caplog.records


def test_a_server_that_does_not_speak_tls_is_said_to_need_another_port(broken_server):
    said = refused(read_address(f"clickhouse://ada:secret@{broken_server}/team?secure=1"))
    assert said.endswith("is the port for TLS? ?secure=1 needs one, usually 8443")


def test_a_server_that_hangs_up_is_said_to_want_tls_perhaps():
    class Hanging(Quiet):
        def do_POST(self):
            self.close_connection = True

    with serving_http(Hanging) as listening:
        said = refused(read_address(f"clickhouse://127.0.0.1:{listening.server_port}/team"))
    assert "does not answer (Remote end closed connection without response): is it running" in said
    assert said.endswith("needs ?secure=1")


def test_a_wrong_password_is_said_to_be_in_the_variable():
    page = b"Code: 516. DB::Exception: ada: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)"
    with answering(403, page, "516") as host:
        said = refused(read_address(f"clickhouse://ada:secret@{host}/team"), StoreError)
    assert said == (
        f"the database team of ClickHouse at {host}: ada: Authentication failed: password is incorrect. "
        "(AUTHENTICATION_FAILED); are user and password in INSPECTOR_DATABASE_URL right?"
    )


def test_a_setting_that_the_user_may_not_change_is_named():
    page = b"Code: 452. DB::Exception: Setting max_threads shouldn't be greater than 8. (SETTING_CONSTRAINT_VIOLATION)"
    with answering(500, page, "452") as host:
        said = refused(read_address(f"clickhouse://ada@{host}/team"), StoreError)
    assert said == (
        f"the database team of ClickHouse at {host}: Setting max_threads shouldn't be greater than 8. "
        "(SETTING_CONSTRAINT_VIOLATION); let the inspector's user change it, in its settings profile"
    )


def test_a_server_that_is_too_old_is_named_with_the_version_that_is_needed(server, monkeypatch):
    monkeypatch.setattr("inspector.store.clickhouse.database._OLDEST", "99.1")
    said = refused(read_address(f"clickhouse://default@{server}/team"), StoreError)
    assert said.startswith(f"the database team of ClickHouse at {server} has version 2")
    assert said.endswith("; ClickHouse must be 99.1 or newer")


def test_what_clickhouse_refuses_is_told_in_its_own_words_alone(store):
    with pytest.raises(StoreError) as refusal:
        store._database.rows("SELECT nothing FROM spans")
    assert str(refusal.value).startswith(f"{store._database.address}: Unknown expression identifier `nothing`")
    assert "\n" not in str(refusal.value)


def test_a_reader_is_told_how_tables_are_made(server, address):
    with pytest.raises(StoreError):
        ClickHouseStore(address, read_only=True)


@pytest.mark.slow
def test_batches_of_more_traces_than_a_value_has_room_for_are_stored(server, make_span, tmp_path):
    settings = Settings(home=tmp_path, database_url=SecretStr(f"clickhouse://default@{server}/large"))
    spans = [make_span(trace_id=f"{at:032x}", session_id="s") for at in range(1, 5_001)]
    with closing(open_store(settings, limits=PATIENT)) as store:
        store.write(spans)
        store.write([replace(span, span_id="2" * 16, start_ns=span.start_ns + 1) for span in spans])
        assert store.stats(Filter()).total.count == 10_000
        assert store.session("s").traces == 5_000


def test_many_ids_are_written_in_the_query_as_they_are(store):
    hostile = 'it\'s \\ "quoted"\n\t {v0:String} ü 100%'
    ids = [hostile, *(f"{at:032x}" for at in range(20_000))]
    values = Values()
    sql = f"SELECT count(), {values.integer(7)} FROM (SELECT arrayJoin({values.texts(ids)}) AS id) "
    sql += f"WHERE id IN {values.texts(ids[:10_001])} AND id = {values.text(hostile)}"
    assert store._database.rows(sql, values) == [(1, 7)]
    values = Values()
    numbers = [-(2**63), *range(20_000)]
    found = store._database.rows(f"SELECT arraySum({values.integers(numbers)}), {values.integer(1)}", values)
    assert found == [(sum(numbers), 1)]


def test_spans_go_over_http_and_come_back(server, make_span, tmp_path):
    settings = Settings(home=tmp_path, database_url=SecretStr(f"clickhouse://default@{server}/over_http"))
    hostile = 'it\'s \\ "quoted"\n\t\0 {v0:String} ü 100%'
    spans = [make_span(name=hostile, attributes={"said": hostile}), make_span(model="m1", kind="llm")]
    with closing(open_store(settings, limits=PATIENT)) as store:
        store.write(spans)
        assert len(store.events(Filter()).items) == 2
        (found,) = store.events(Filter(name=hostile, attributes=(("said", hostile),)), full=True).items
        assert found.span_id == spans[0].span_id
        assert store.stats(Filter(model="m1")).total.count == 1
        assert store.set_label(NewLabel(trace_id="a" * 32, span_id=spans[0].span_id, name="good", time_ns=1))
    with closing(open_store(settings, limits=PATIENT, read_only=True)) as reader:
        assert reader.trace("a" * 32).spans == 2
        with pytest.raises(StoreReadOnly):
            reader.write(spans)
    with closing(open_store(settings, limits=PATIENT)) as again:
        again.write([make_span(trace_id="b" * 32)])
        assert again.last_seq() == 3


@pytest.mark.sweep(1)
@pytest.mark.parametrize("table", ["spans", "traces", "notes", "marks"])
def test_a_batch_that_broke_off_anywhere_is_whole_when_it_is_sent_again(store, address, make_span, table):
    store.write([make_span(trace_id="b" * 32)])
    batch = [make_span(trace_id="b" * 32, session_id="s1"), make_span(trace_id="c" * 32, kind="llm", cost_usd=0.5)]
    marks = [SpoolMark("a.jsonl", 1, 10)]
    store._database.command(f"ALTER TABLE {table} ADD CONSTRAINT broken CHECK false")
    with pytest.raises(StoreError):
        store.write(batch, marks=marks)
    assert store.spools() == {}
    assert len(store.after(1, Filter())) == (3 if table == "marks" else 0)
    store._database.command(f"ALTER TABLE {table} DROP CONSTRAINT broken")
    store.close()
    with closing(ClickHouseStore(address, limits=PATIENT)) as restarted:
        restarted.write(batch, marks=marks)
        assert restarted.spools() == {"a.jsonl": marks[0]}
        assert [restarted.trace(each * 32).spans for each in "bc"] == [2, 1]
        assert {event.session_id for event in restarted.events(Filter(trace_id="b" * 32)).items} == {"s1"}
        assert restarted.session("s1").spans == 2
        assert len(restarted.events(Filter()).items) == 3
        assert len(restarted.after(1, Filter(trace_id="c" * 32))) == 1
        assert restarted.trace("c" * 32).cost_usd == 0.5


def test_what_is_missing_counts_once_though_its_mark_could_not_be_written(store):
    lost, marks = [Loss("p", None, None, "dropped", 3, 1, 2)], [SpoolMark("a.jsonl", 1, 10)]
    store._database.command("ALTER TABLE marks ADD CONSTRAINT broken CHECK false")
    with pytest.raises(StoreError):
        store.write((), marks=marks, losses=lost)
    store._database.command("ALTER TABLE marks DROP CONSTRAINT broken")
    store.write((), marks=marks, losses=lost)
    assert store.health().losses.dropped == 3
    store.write((), marks=[SpoolMark("a.jsonl", 1, 20)], losses=lost)
    assert store.health().losses.dropped == 6


def test_homes_that_share_a_database_keep_their_marks_apart(server, address):
    mine, theirs = SpoolMark("a.jsonl", 1, 10), SpoolMark("a.jsonl", 2, 20)
    with closing(ClickHouseStore(address, home="mine", limits=PATIENT)) as store:
        store.write((), marks=[mine])
    with closing(ClickHouseStore(address, home="theirs", limits=PATIENT)) as other:
        assert other.spools() == {}
        other.write((), marks=[theirs])
        other.forget_spools(["a.jsonl"])
        assert other.spools() == {}
    with closing(ClickHouseStore(address, home="mine", limits=PATIENT)) as again:
        assert again.spools() == {"a.jsonl": mine}
        again.write((), marks=[SpoolMark("a.jsonl", 1, 11)])
        assert again.spools()["a.jsonl"].offset == 11


def test_an_insert_that_is_repeated_with_its_token_is_there_once(store, make_span):
    store.write([make_span()])
    for _ in range(2):
        store._database.insert("losses", ("process", "reason", "count"), [("p", "dropped", 3)], token="the same")
    assert store.health().losses.dropped == 3


def test_numbers_are_not_given_out_again_after_what_had_them_is_deleted(store, address, make_span):
    store.write([make_span(), make_span(trace_id="b" * 32)])
    store.delete("trace", "b" * 32)
    store.close()
    with closing(ClickHouseStore(address, limits=PATIENT)) as again:
        assert again.last_seq() == 2
        again.write([make_span()])
        assert again.last_seq() == 3


def test_a_span_that_ends_another_day_is_one_span(store, make_span):
    day_ns = 86_400 * 10**9
    begun = make_span(status="running")
    store.write([begun])
    store.write([replace(begun, status="ok", start_ns=begun.start_ns - day_ns, end_ns=begun.start_ns)])
    assert rows_of(store.events(Filter())) == [(begun.trace_id, begun.span_id, "ok")]


@pytest.mark.slow
def test_size_is_kept_by_removing_the_oldest(store, make_span):
    for at in range(8):
        store.write([make_span(trace_id=f"{at:032x}", attributes={"x": f"{at}" * 20_000})])
    used = store.used_bytes()
    pruned = store.prune(max_bytes=used // 2)
    left = [trace.trace_id for trace in store.traces(Filter()).items]
    assert 0 < pruned.traces < 8
    assert left == [f"{at:032x}" for at in reversed(range(pruned.traces, 8))]


def test_the_statements_name_the_database_whatever_it_is_called():
    assert all("`te``am`" in each or "`te\\`am`" in each for each in statements("te`am"))


def test_a_missing_database_is_said_to_be_missing(server):
    with pytest.raises(StoreMissing, match="inspector db create"):
        ClickHouseStore(read_address(f"clickhouse://default@{server}/nothing_here"), read_only=True)


@pytest.mark.slow
def test_programs_started_beside_the_engine_in_process_still_end_by_a_broken_pipe():
    code = """
import signal
from inspector.store.clickhouse import ClickHouseStore, read_address
ClickHouseStore(read_address("chdb://memory/own"))
print(signal.SIGPIPE in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.slow
def test_the_latest_are_the_same_whether_all_are_looked_at_or_the_last_minutes_alone(store, make_span):
    minute = 60 * 10**9
    begun = [make_span(start_ns=10**18 + at * minute // 7, end_ns=None, status="running") for at in range(120)]
    store.write(begun)
    # Of those that lie last in the table most are found to be something else.
    running = begun[::10]
    ended = [replace(span, status="ok", end_ns=span.start_ns + 1) for span in begun if span not in running]
    store.write(ended)
    for where, expected in (
        (Filter(), begun),
        (Filter(statuses=("running",)), running),
        (Filter(statuses=("ok",)), ended),
    ):
        found = [event.span_id for event in walk(store.events, where)]
        assert found == [span.span_id for span in reversed(expected)]


@pytest.mark.slow
def test_the_latest_runs_and_traces_are_the_same_however_far_back_their_spans_lie(store, make_span):
    minute = 60 * 10**9
    # Runs of one trace, and between them those of a long session, which is as old as its first.
    spans = [
        make_span(
            trace_id=f"{at:032x}",
            start_ns=10**18 + at * minute,
            session_id="long" if at % 4 == 1 else f"s{at}",
            status="error" if at % 50 == 7 else "ok",
        )
        for at in range(300)
    ]
    # What is written again began at another time than its minute says.
    spans += [replace(spans[290], start_ns=10**18, status="error", end_ns=10**18 + 1)]
    store.write(spans[:300])
    store.write(spans[300:])
    # Small pages where few meet the filter, so that some lie further back than one step of the search.
    pages = ((Filter(), 12), (Filter(statuses=("error",)), 3), (Filter(since_ns=10**18 + 280 * minute), 3))
    for where, limit in pages:
        for ask, own in ((store.runs, "run_id"), (store.traces, "trace_id")):
            everything = [getattr(each, own) for each in ask(where, limit=1000, order="asc").items]
            assert [getattr(each, own) for each in walk(ask, where, limit=limit)] == everything[::-1]


def test_a_trace_is_read_where_its_spans_lie_and_nowhere_else(store, make_span):
    day = 86400 * 10**9
    one, two = [make_span(start_ns=10**18 + at * 3 * day) for at in range(2)]
    other = make_span(trace_id="b" * 32, start_ns=10**18 + day)
    store.write([other])
    store.write([two])
    store.write([one, replace(other, status="error", end_ns=other.start_ns + 1, error=None)])
    assert [event.span_id for event in store.events(Filter(trace_id=one.trace_id)).items] == [two.span_id, one.span_id]
    assert [event.span_id for event in store.events(Filter(run_id=other.trace_id)).items] == [other.span_id]
    assert store.event(two.span_id, trace_id=two.trace_id) and store.event(two.span_id, trace_id="b" * 32) is None
    assert store._database.rows("SELECT trace_id, first_slot, last_slot FROM traces FINAL ORDER BY trace_id") == [
        (one.trace_id, one.start_ns // (60 * 10**9), two.start_ns // (60 * 10**9)),
        (other.trace_id, *[other.start_ns // (60 * 10**9)] * 2),
    ]
