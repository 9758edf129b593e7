import os
import sqlite3
import threading
import time

import pytest

from inspector.ingest import NothingRecorded, Owner, open_home
from inspector.ingest.times import Times
from inspector.model import Filter
from inspector.settings import Settings
from inspector.store import OwnedElsewhere, OwnerLock, StoreReadOnly


def wait_for(condition, timeout_s=60.0):
    give_up_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < give_up_s, "the condition did not come true in time"
        threading.Event().wait(0.005)


def count(store):
    return len(store.events(Filter(), limit=1000).items)


def test_the_thread_takes_in_what_is_written_and_tells_of_it(settings, spool, make_span, make_request):
    path = spool / "live.jsonl"
    with Owner(settings, url="http://127.0.0.1:7800") as owner:
        told = threading.Event()
        owner.on_commit(told.set)
        owner.start()
        path.write_bytes(make_request(make_span(), process=None) + b"\n")
        assert told.wait(10)
        wait_for(lambda: count(owner.store) == 1)
        # Listeners are told at the commit, before the pass over the spools is over and counted.
        wait_for(lambda: owner.totals().spans == 1)
        assert owner.problems() == ()
        owner.stop()
        with path.open("ab") as file:
            file.write(make_request(make_span(), process=None) + b"\n")
        assert count(owner.store) == 1
        owner.start()
        wait_for(lambda: count(owner.store) == 2)


def test_stopping_takes_in_what_is_there(settings, spool, make_span, make_request):
    with Owner(settings) as owner:
        owner.start()
        (spool / "last.jsonl").write_bytes(b"".join(make_request(make_span(), process=None) + b"\n" for _ in range(50)))
        owner.stop()
        assert count(owner.store) == 50


def test_the_log_gives_its_space_back_while_nothing_is_written(settings, spool, make_span, make_request):
    log = settings.database.with_name("inspector.db-wal")
    with Owner(settings, times=Times(idle_s=0.05)) as owner:
        owner.start()
        for number in range(2):
            call = make_span({"gen_ai.tool.call.arguments": "word " * 20_000})
            (spool / f"{number}.jsonl").write_bytes(make_request(call, process=None) + b"\n")
            wait_for(lambda number=number: count(owner.store) == number + 1)
            wait_for(lambda: log.stat().st_size == 0)
        assert count(owner.store) == 2
        assert owner.problems() == ()


def test_text_is_searchable_soon_after_it_was_taken_in(settings, spool, make_span, make_request):
    with Owner(settings) as owner:
        owner.start()
        call = make_span({"inspector.hook": "tool_call", "gen_ai.tool.call.arguments": '{"city":"Zanzibar"}'})
        (spool / "text.jsonl").write_bytes(make_request(call, process=None) + b"\n")
        wait_for(lambda: len(owner.store.events(Filter(q="zanzibar")).items) == 1)


def test_there_is_one_owner_and_it_is_named(settings):
    with Owner(settings, url="http://127.0.0.1:7800"):
        with pytest.raises(OwnedElsewhere) as refused:
            Owner(settings)
        assert (refused.value.pid, refused.value.url) == (os.getpid(), "http://127.0.0.1:7800")
    with Owner(settings) as second:
        second.announce("http://127.0.0.1:9")
        with pytest.raises(OwnedElsewhere, match="127.0.0.1:9"):
            Owner(settings)


def test_an_owner_that_cannot_open_the_database_lets_go_of_the_lock(settings):
    settings.home.mkdir()
    settings.database.write_bytes(b"this is no database" * 100)
    for _ in range(2):
        with pytest.raises(Exception) as refused:
            Owner(settings)
        assert not isinstance(refused.value, OwnedElsewhere)


def test_a_locked_database_is_a_problem_until_it_is_free_again(settings, spool, make_span, make_request):
    with Owner(settings) as owner:
        other = sqlite3.connect(settings.database, isolation_level=None)
        try:
            other.execute("BEGIN IMMEDIATE")
            (spool / "late.jsonl").write_bytes(make_request(make_span(), process=None) + b"\n")
            owner.start()
            wait_for(lambda: any("busy" in problem for problem in owner.problems()), timeout_s=30)
            other.execute("ROLLBACK")
            wait_for(lambda: count(owner.store) == 1 and owner.problems() == (), timeout_s=30)
        finally:
            other.close()


def test_the_thread_outlives_what_nobody_expected(settings, spool, make_span, make_request):
    broken = threading.Event()

    def clock():
        if broken.is_set():
            raise ZeroDivisionError("no time")
        return time.time_ns()

    with Owner(settings, now_ns=clock) as owner:
        broken.set()
        owner.start()
        wait_for(lambda: owner.problems() == ("ingest failed, retrying: ZeroDivisionError: no time",))
        broken.clear()
        (spool / "new.jsonl").write_bytes(make_request(make_span(), process=None) + b"\n")
        wait_for(lambda: count(owner.store) == 1 and owner.problems() == ())


def test_the_thread_goes_on_when_the_spool_goes_away_and_comes_back(settings, spool, make_span, make_request):
    with Owner(settings) as owner:
        (spool / "odd.jsonl").symlink_to("nowhere")
        owner.start()
        wait_for(lambda: any("symbolic link" in problem for problem in owner.problems()))
        spool.rename(spool.with_name("away"))
        spool.write_text("a file where the directory was")
        wait_for(lambda: owner.problems() == ())
        spool.unlink()
        spool.mkdir()
        (spool / "new.jsonl").write_bytes(make_request(make_span(), process=None) + b"\n")
        wait_for(lambda: count(owner.store) == 1)


def test_a_listener_that_fails_hurts_nobody(settings, spool, make_span, make_request, caplog):
    heard = []

    def fail():
        raise RuntimeError("no")

    with Owner(settings) as owner:
        owner.on_commit(fail)
        owner.on_commit(lambda: heard.append(1))
        (spool / "a.jsonl").write_bytes(make_request(make_span(), process=None) + b"\n")
        assert owner.ingest_spools().spans == 1
    assert heard == [1]
    assert "a listener to commits failed" in caplog.text


def test_deleting_tells_the_listeners(settings, spool, make_span, make_request):
    heard = []
    session = {"inspector.hook": "tool_call", "session.id": "s"}
    lines = [make_span(session), make_span(traceId="ab" * 16)]
    (spool / "a.jsonl").write_bytes(make_request(*lines, process=None) + b"\n")
    with Owner(settings) as owner:
        owner.ingest_spools()
        owner.on_commit(lambda: heard.append(count(owner.store)))
        assert owner.delete("trace", "ab" * 16) == 1
        assert owner.delete("session", "s") == 1
        assert owner.delete("session", "s") == 0
    assert heard == [1, 0]


def test_spools_are_taken_in_and_a_stop_is_heard_while_much_is_pruned(settings, spool, make_span, make_request):
    day_ns = 86_400 * 10**9
    was_there, stops = [], []

    def later():
        """Has another trace come after the first look at what is too old, and the owner stop once it is there."""
        if threading.current_thread().name == "inspector-owner":
            was_there.append(owner.store.trace("ab" * 16) is not None)
            if len(was_there) == 1:
                new = make_request(make_span(traceId="ab" * 16), process=None)
                (spool / "b.jsonl").write_bytes(new + b"\n")
            elif was_there.count(True) == 1:
                stop = threading.Thread(target=owner.stop)
                stop.start()
                stops.append(stop)
        return 20_002 * day_ns

    old = [make_span(traceId=f"{at:032x}") for at in range(1, 4_000)]
    (spool / "a.jsonl").write_bytes(make_request(*old, process=None) + b"\n")
    with Owner(settings, now_ns=lambda: 20_000 * day_ns) as owner:
        owner.ingest_spools()
    with Owner(Settings(home=settings.home, retention_days=1), now_ns=later, times=Times(prune_s=0.0)) as owner:
        owner.start()
        wait_for(lambda: stops)
        stops[0].join(10)
        assert 1 < owner.store.health().spans < 4_000


def test_nothing_recorded_says_how_to_record(tmp_path):
    home = tmp_path / "none"
    with pytest.raises(NothingRecorded, match=r"inspector.attach\(\)") as refused, open_home(Settings(home=home)):
        pass
    assert str(home) in str(refused.value)
    assert not home.exists()


def test_opening_a_home_takes_in_everything_first(settings, spool, make_span, make_request):
    call = make_span({"inspector.hook": "tool_call", "gen_ai.tool.call.arguments": '{"city":"Zanzibar"}'})
    (spool / "a.jsonl").write_bytes(make_request(call, make_span(), process=None) + b"\n")
    with open_home(settings) as store:
        assert count(store) == 2
        assert len(store.events(Filter(q="zanzibar")).items) == 1
    with open_home(settings) as store:
        assert count(store) == 2


def test_a_followed_home_goes_on_taking_in(settings, spool, make_span, make_request):
    path = spool / "a.jsonl"
    path.write_bytes(make_request(make_span(), process=None) + b"\n")
    with open_home(settings, follow=True) as store:
        with path.open("ab") as file:
            file.write(make_request(make_span(), process=None) + b"\n")
        wait_for(lambda: count(store) == 2)


def test_a_home_that_a_server_owns_is_read_beside_it(settings, spool, make_span, make_request):
    (spool / "a.jsonl").write_bytes(make_request(make_span(), process=None) + b"\n")
    with Owner(settings, url="http://127.0.0.1:7800") as owner:
        owner.ingest_spools()
        with open_home(settings) as store:
            assert count(store) == 1
            with pytest.raises(StoreReadOnly):
                store.delete("trace", "ab" * 16)


def test_a_short_command_is_waited_for(settings, spool, make_span, make_request):
    (spool / "a.jsonl").write_bytes(make_request(make_span(), process=None) + b"\n")
    lock = OwnerLock(settings.lock_file)
    lock.acquire()
    release = threading.Timer(0.2, lock.release)
    release.start()
    try:
        with open_home(settings) as store:
            assert count(store) == 1
    finally:
        release.join()


def test_what_is_deleted_while_it_is_pruned_has_its_space_given_back_by_another_pass(settings, spool):
    looks = []

    def clock():
        # The pass asks the time at its beginning.
        looks.append(1)
        if owner is not None and len(looks) == asked + 1:
            owner.delete("trace", "unknown")
        return time.time_ns()

    owner, asked = None, 0
    with Owner(settings, now_ns=clock) as opened:
        owner, asked = opened, len(looks)
        passes = []
        for _ in range(3):
            before = len(looks)
            owner._step()
            passes.append(len(looks) > before)
    assert passes == [True, True, False]
