import threading

import pytest

from inspector.ingest import Intake, IntakeFull
from inspector.model import Filter
from inspector.otlp import Decoded, DecodedSpan, ReadAnew, Scope
from inspector.store import StoreBusy
from inspector.store.sqlite import SqliteStore


def decoded(*numbers, **fields):
    given = {
        "trace_id": f"{1:032x}",
        "parent_id": None,
        "name": "s",
        "kind": 1,
        "start_ns": 1,
        "end_ns": 2,
        "status_code": 0,
        "status_message": None,
        "events": (),
        "links": (),
        "resource": {},
        "scope": Scope(),
    } | fields
    return Decoded([DecodedSpan(span_id=f"{number:016x}", attributes={}, **given) for number in numbers])


class Watched(SqliteStore):
    """A real store whose writes are counted, can be held up, and can fail."""

    def __init__(self, path):
        super().__init__(path)
        self.batches = []
        self.entered = threading.Event()
        self.open = threading.Event()
        self.open.set()
        self.error = None
        self.unloved = None
        self.before_write = lambda: None

    def write(self, spans, **others):
        self.before_write()
        self.entered.set()
        assert self.open.wait(10)
        if self.error is not None:
            raise self.error
        if any(span.span_id == self.unloved for span in spans):
            raise ZeroDivisionError("this span")
        super().write(spans, **others)
        self.batches.append(len(spans))


@pytest.fixture
def store(tmp_path):
    made = Watched(tmp_path / "inspector.db")
    yield made
    made.close()


@pytest.fixture
def told():
    return []


@pytest.fixture
def make_intake(store, told):
    made = []

    def make(**limits):
        made.append(Intake(store, lambda: told.append(len(store.batches)), **limits))
        return made[-1]

    yield make
    store.open.set()
    for each in made:
        each.close()


@pytest.fixture
def intake(make_intake):
    return make_intake()


def stored(store):
    return {int(event.span_id, 16) for event in store.after(0, Filter(), limit=1000)}


def hold(store, intake):
    """Let the thread stop inside a write, so that all that follows has to wait."""
    store.open.clear()
    held = intake.deliver(lambda: decoded(1), 1)
    assert store.entered.wait(10)
    return held


def test_a_receipt_comes_after_the_commit_and_the_listener(store, intake, told):
    receipt = intake.deliver(lambda: decoded(1, 2), 1).result(10)
    assert receipt.spans == 2
    assert (store.batches, told, stored(store)) == ([2], [1], {1, 2})


def test_what_waits_is_committed_together(store, intake):
    hold(store, intake)
    waiting = [intake.deliver(lambda number=number: decoded(number), 1) for number in range(2, 12)]
    store.open.set()
    assert [each.result(10).spans for each in waiting] == [1] * 10
    assert store.batches == [1, 10]


def test_more_than_fits_into_memory_is_not_taken(store, make_intake):
    intake = make_intake(most_waiting=2, most_waiting_bytes=10)
    hold(store, intake)
    large = intake.deliver(lambda: decoded(2), 1000)
    with pytest.raises(IntakeFull):
        intake.deliver(lambda: decoded(3), 1)
    store.open.set()
    assert large.result(10).spans == 1
    assert intake.deliver(lambda: decoded(3), 1).result(10).spans == 1


def test_a_store_that_is_busy_turns_all_away_at_once(store, intake):
    store.error = StoreBusy("locked")
    first = hold(store, intake)
    waiting = [intake.deliver(lambda: decoded(2), 1) for _ in range(3)]
    store.open.set()
    for each in (first, *waiting):
        with pytest.raises(StoreBusy):
            each.result(10)
    store.error = None
    assert intake.deliver(lambda: decoded(3), 1).result(10).spans == 1
    assert stored(store) == {3}


def test_a_span_that_the_store_cannot_take_costs_itself_alone(store, intake):
    store.unloved = f"{3:016x}"
    hold(store, intake)
    bad, good = intake.deliver(lambda: decoded(2, 3, 4), 1), intake.deliver(lambda: decoded(5), 1)
    store.open.set()
    assert (bad.result(10).spans, bad.result().rejected) == (2, {"unstorable": 1})
    assert (good.result(10).spans, good.result().rejected) == (1, {})
    assert stored(store) == {1, 2, 4, 5}


def test_a_span_that_the_store_cannot_take_is_found_among_many_in_few_writes(store, intake):
    store.unloved = f"{700:016x}"
    receipt = intake.deliver(lambda: decoded(*range(1, 1025)), 1).result(10)
    assert (receipt.spans, receipt.rejected) == (1023, {"unstorable": 1})
    # Of two halves one is stored each time.
    assert sorted(store.batches) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]


def test_what_cannot_be_decoded_costs_itself_alone(store, intake):
    hold(store, intake)
    broken = intake.deliver(lambda: Decoded(malformed="why", too_large=True), 1)
    good = intake.deliver(lambda: decoded(2), 1)
    store.open.set()
    assert (broken.result(10).malformed, broken.result().too_large) == ("why", True)
    assert good.result(10).spans == 1


@pytest.mark.parametrize("stage", ["decode", "redact"])
def test_a_request_that_breaks_its_reader_is_refused_and_the_queue_goes_on(store, make_intake, stage, caplog):
    def stumble(request):
        if len(request.spans) == 2:
            raise RecursionError
        return request

    intake = make_intake(redact=stumble if stage == "redact" else lambda request: request)
    hold(store, intake)
    broken = intake.deliver(lambda: stumble(decoded(2, 3)) if stage == "decode" else decoded(2, 3), 1)
    good = intake.deliver(lambda: decoded(4), 1)
    store.open.set()
    assert "could not be read" in broken.result(10).malformed
    assert good.result(10).spans == 1
    assert "RecursionError" in caplog.text


def test_a_large_request_is_committed_in_parts(store, make_intake):
    intake = make_intake(group_spans=10)
    assert intake.deliver(lambda: decoded(*range(1, 36)), 1).result(10).spans == 35
    assert store.batches == [10, 10, 10, 5]


def test_a_large_request_is_read_part_by_part_as_it_is_written(store, make_intake):
    read = []

    def one_by_one():
        for span in decoded(*range(1, 36)).spans:
            read.append(span)
            yield span

    read_before = []
    store.before_write = lambda: read_before.append(len(read))
    intake = make_intake(group_spans=10)
    receipt = intake.deliver(lambda: Decoded(ReadAnew(35, one_by_one), {"trace_id": 2}), 1).result(10)
    assert (receipt.spans, receipt.rejected) == (35, {"trace_id": 2})
    assert read_before == [10, 20, 30, 35]
    assert stored(store) == {*range(1, 36)}


def test_a_span_of_a_large_request_that_the_store_cannot_take_costs_itself_alone(store, make_intake):
    store.unloved = f"{13:016x}"
    receipt = make_intake(group_spans=10).deliver(lambda: decoded(*range(1, 36)), 1).result(10)
    assert (receipt.spans, receipt.rejected) == (34, {"unstorable": 1})
    assert stored(store) == {*range(1, 36)} - {13}


def test_what_waits_before_a_large_request_is_committed_with_it(store, make_intake):
    intake = make_intake(group_spans=10)
    hold(store, intake)
    waiting = [intake.deliver(lambda: decoded(2, 3), 1), intake.deliver(lambda: decoded(*range(4, 29)), 1)]
    waiting.append(intake.deliver(lambda: decoded(29), 1))
    store.open.set()
    assert [each.result(10).spans for each in waiting] == [2, 25, 1]
    assert store.batches == [1, 2, 10, 10, 5, 1]


def test_a_store_that_becomes_busy_turns_a_large_request_away(store, make_intake):
    def busy_from_now():
        if store.batches:
            store.error = StoreBusy("locked")

    store.before_write = busy_from_now
    with pytest.raises(StoreBusy):
        make_intake(group_spans=10).deliver(lambda: decoded(*range(1, 36)), 1).result(10)
    assert stored(store) == {*range(1, 11)}


def test_a_large_request_that_breaks_its_reader_is_refused_and_the_queue_goes_on(store, make_intake, caplog):
    def stumble(request):
        if request.spans[0].span_id == f"{11:016x}":
            raise RecursionError
        return request

    intake = make_intake(group_spans=10, redact=stumble)
    broken = intake.deliver(lambda: decoded(*range(1, 36)), 1)
    assert "could not be read" in broken.result(10).malformed
    assert intake.deliver(lambda: decoded(40), 1).result(10).spans == 1
    assert "RecursionError" in caplog.text
    assert stored(store) == {*range(1, 11), 40}


def test_closing_stores_what_waits_and_takes_no_more(store, intake):
    hold(store, intake)
    waiting = intake.deliver(lambda: decoded(2), 1)
    closing = threading.Thread(target=intake.close)
    closing.start()
    store.open.set()
    closing.join(10)
    assert waiting.result(0).spans == 1
    with pytest.raises(IntakeFull):
        intake.deliver(lambda: decoded(3), 1)
    assert stored(store) == {1, 2}


def test_idle_is_waited_for_and_not_longer(store, intake):
    assert intake.wait_idle(0)
    hold(store, intake)
    assert not intake.wait_idle(0)
    store.open.set()
    assert intake.wait_idle(10)
