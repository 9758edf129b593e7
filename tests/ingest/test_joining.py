"""Logs that are due are joined to their spans: once, whole, whatever happens meanwhile, and in any order of arrival."""

import json
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.ingest.joining import Joining
from inspector.model import Filter, Log
from inspector.otlp import decode
from inspector.reading.dialects import read_span
from inspector.store import StoreBusy
from inspector.store.sqlite import SqliteStore

TRACE = f"{1:032x}"


class Troubled(SqliteStore):
    """A real store in which something happens between reading and writing, and which refuses some spans."""

    def __init__(self, path):
        super().__init__(path)
        self.meanwhile = None
        self.refused = None
        self.error = ValueError

    def event(self, *args, **others):
        found = super().event(*args, **others)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return found

    def write_again(self, spans, **others):
        if any(span.span_id == self.refused for span in spans):
            raise self.error("refused")
        return super().write_again(spans, **others)


@pytest.fixture
def new_store(tmp_path_factory):
    opened = []

    def new_store():
        opened.append(Troubled(tmp_path_factory.mktemp("home") / "inspector.db"))
        return opened[-1]

    yield new_store
    for store in opened:
        store.close()


@pytest.fixture
def store(new_store):
    return new_store()


@pytest.fixture
def call(make_span, make_request):
    def call(number=1, **fields):
        fields = {"traceId": TRACE, "spanId": f"{number:016x}"} | fields
        line = make_request(make_span({"gen_ai.operation.name": "chat"}, **fields), process=None)
        return read_span(decode(line).spans[0])

    return call


def log(number=1, name="a", time="5", **attributes):
    return Log(TRACE, f"{number:016x}", {"name": name, "time_unix_nano": time, "attributes": attributes})


def names(store, number=1):
    event = SqliteStore.event(store, f"{number:016x}", trace_id=TRACE)
    return [each["name"] for each in json.loads(bytes(event.events))] if event.events else []


def test_logs_are_joined_once(store, call):
    told = []
    joining = Joining(store, lambda: told.append(names(store)))
    store.write([call()], logs=[log(name="b"), log(name="a")])
    assert not joining.join()
    assert told == [["a", "b"]]
    seq = store.last_seq()
    store.write([], logs=[log(name="a")])
    assert not joining.join()
    assert (store.last_seq(), len(told)) == (seq, 1)


def test_logs_wait_until_their_span_has_ended(store, call):
    store.write([], logs=[log()])
    store.write([call(endTimeUnixNano=None)])
    assert not Joining(store).join()
    assert names(store) == []
    store.write([call()])
    Joining(store).join()
    assert names(store) == ["a"]


def test_a_span_that_is_sent_again_without_its_logs_gets_them_again(store, call):
    store.write([call()], logs=[log()])
    Joining(store).join()
    store.write([call(events=[{"name": "own", "timeUnixNano": "9"}])])
    Joining(store).join()
    assert names(store) == ["a", "own"]


def test_a_span_that_changes_while_it_is_read_is_read_again(store, call):
    store.write([call()], logs=[log()])
    store.meanwhile = lambda: store.write([replace(call(), name="newer")])
    # It may change all the time, so it waits for the next time.
    Joining(store).join()
    assert names(store) == []
    Joining(store).join()
    assert names(store) == ["a"]
    assert SqliteStore.event(store, f"{1:016x}", trace_id=TRACE).name == "newer"


def test_a_log_that_comes_while_its_span_is_read_is_joined_too(store, call):
    store.write([call()], logs=[log(name="a")])
    store.meanwhile = lambda: store.write([], logs=[log(name="b")])
    Joining(store).join()
    assert names(store) == ["a", "b"]


def test_a_span_that_is_deleted_meanwhile_is_left_alone(store, call):
    store.write([call()], logs=[log()])
    store.meanwhile = lambda: store.delete("trace", TRACE)
    assert not Joining(store).join()
    assert store.events(Filter()).items == ()
    assert store.due_logs(10) in ((), [])


def test_logs_that_cannot_be_read_cost_themselves_alone(store, call, caplog):
    store.write([call(1), call(2)], logs=[log(1, time="soon"), log(2)])
    assert not Joining(store).join()
    assert (names(store, 1), names(store, 2)) == ([], ["a"])
    assert "could not be read with its logs" in caplog.text


def test_a_span_that_the_store_cannot_take_costs_itself_alone(store, call, caplog):
    store.write([call(1), call(2)], logs=[log(1), log(2)])
    store.refused = f"{1:016x}"
    assert not Joining(store).join()
    assert (names(store, 1), names(store, 2)) == ([], ["a"])
    assert "was refused with its logs" in caplog.text
    store.refused = None
    assert not Joining(store).join()


def test_what_a_busy_store_does_not_take_stays_due(store, call):
    store.write([call()], logs=[log()])
    store.refused, store.error = f"{1:016x}", StoreBusy
    with pytest.raises(StoreBusy):
        Joining(store).join()
    store.refused = None
    Joining(store).join()
    assert names(store) == ["a"]


def test_what_is_left_at_a_deadline_is_joined_next_time(store, call):
    store.write([call(number) for number in range(1, 250)], logs=[log(number) for number in range(1, 250)])
    rounds = 1
    while Joining(store).join(deadline_s=0.0):
        rounds += 1
    assert rounds > 2
    assert all(names(store, number) == ["a"] for number in range(1, 250))


def test_a_later_process_joins_what_was_due(call, tmp_path):
    with closing(SqliteStore(tmp_path / "inspector.db")) as first:
        first.write([call()], logs=[log()])
    with closing(SqliteStore(tmp_path / "inspector.db")) as store:
        Joining(store).join()
        assert names(store) == ["a"]


_ARRIVALS = st.lists(st.sampled_from(["start", "span", "join", 0, 1, 2, 3]), max_size=10)
_LOGS = (
    log(name="gen_ai.user.message", time="2", **{"log.message": {"content": "a\0b"}}),
    log(name="gen_ai.choice", time="3", **{"log.message": '{"message": {"content": "c"}}'}),
    log(name="exception", time="3", **{"exception.type": "E", "exception.message": "\ud800"}),
    log(name="log", time="0", n=2**63, x=0.1, none=None),
)


@pytest.mark.slow
@given(arrivals=st.lists(_ARRIVALS, max_size=4))
def test_any_order_and_grouping_of_arrival_ends_in_the_same_span(new_store, call, arrivals):
    """Each inner list is one write; all of it arrives in the end."""
    span, start = call(events=[{"name": "own", "timeUnixNano": "1"}]), call(endTimeUnixNano=None)
    expected, store = new_store(), new_store()
    expected.write([span])
    expected.write([], logs=_LOGS)
    Joining(expected).join()
    for group in [*arrivals, ["span", 3, 1], [2, 0]]:
        spans = [{"span": span, "start": start}[each] for each in group if each in ("span", "start")]
        store.write(spans, logs=[_LOGS[each] for each in group if isinstance(each, int)])
        if "join" in group:
            Joining(store).join()
    Joining(store).join()
    assert plain(store) == plain(expected)
    assert not store.due_logs(10)


def plain(store):
    [event] = store.events(Filter(), full=True, raw=True).items
    return {name: getattr(event, name) for name in event.__dataclass_fields__ if name != "seq"}
