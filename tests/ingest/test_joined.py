"""Logs become events of their stored span, and give it the meaning that events have, in whatever order they come."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.model import Filter, Log
from inspector.otlp import MAX_EVENTS, decode
from inspector.reading.dialects import read_span
from inspector.reading.joined import with_logs
from inspector.store.sqlite import SqliteStore

TRACE, SPAN = f"{1:032x}", f"{2:016x}"
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o"}


@pytest.fixture
def new_store(tmp_path_factory):
    opened = []

    def new_store():
        opened.append(SqliteStore(tmp_path_factory.mktemp("home") / "inspector.db"))
        return opened[-1]

    yield new_store
    for store in opened:
        store.close()


@pytest.fixture
def call(make_span, make_request):
    """A foreign span as it is read when it arrives."""

    def call(attributes=CHAT, **fields):
        fields = {"traceId": TRACE, "spanId": SPAN} | fields
        [decoded] = decode(make_request(make_span(attributes, **fields), process=None)).spans
        return read_span(decoded)

    return call


def log(name, time=5, /, **attributes):
    attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    return Log(TRACE, SPAN, {"name": name, "time_unix_nano": str(time), "attributes": attributes})


def stored(store):
    return store.event(SPAN, trace_id=TRACE, raw=True)


def joined(store, *logs):
    """The stored span, once these logs are joined to it."""
    store.write_again([with_logs(stored(store), logs)])
    return stored(store)


def names(event):
    return [each["name"] for each in json.loads(bytes(event.events))]


def test_messages_of_logs_are_those_of_the_call(new_store, call):
    (store := new_store()).write([call()])
    event = joined(
        store,
        log("gen_ai.choice", 2, log__message={"message": {"role": "assistant", "content": "To Rome."}}),
        log("gen_ai.user.message", 1, log__message='{"content": "Where to?"}'),
    )
    assert b"Where to?" in bytes(event.input)
    assert b"To Rome." in bytes(event.output)
    assert names(event) == ["gen_ai.user.message", "gen_ai.choice"]


def test_a_plain_text_is_no_message(new_store, call):
    (store := new_store()).write([call()])
    event = joined(
        store, log("gen_ai.user.message", log__message="claude_code.user_prompt"), log("log", log__message="x")
    )
    assert (event.input, event.output) == (None, None)
    assert len(names(event)) == 2


@pytest.mark.parametrize("name", ["exception", "gen_ai.client.operation.exception"])
def test_an_exception_is_the_error_of_its_call(new_store, call, name):
    (store := new_store()).write([call()])
    event = joined(store, log(name, exception__type="ValueError", exception__message="no", exception__stacktrace="at"))
    assert (event.status, event.error.type, event.error.message) == ("error", "ValueError", "no")
    assert event.error.traceback == "at"


def test_a_logged_exception_that_is_only_mentioned_is_no_error(new_store, call):
    (store := new_store()).write([call()])
    assert joined(store, log("log", exception__type="ValueError", log__message="retrying")).status == "ok"


@pytest.mark.parametrize("status", ["denied", "cancelled", "abandoned", "lost"])
def test_an_exception_does_not_change_how_a_call_ended_otherwise(new_store, call, status):
    (store := new_store()).write([call(CHAT | {"inspector.status": status})])
    assert joined(store, log("exception", exception__message="no")).status == status


def test_what_its_own_recorder_says_of_the_end_holds(new_store, call):
    recorded = {"inspector.hook": "llm_generate", "inspector.status": "ok", "mcp.llm.model": "gpt-4o"}
    (store := new_store()).write([call(recorded | {"mcp.llm.prompt_json": '{"messages": []}'})])
    assert joined(store, log("exception", exception__message="no")).status == "ok"


def test_a_log_that_is_among_the_events_already_is_not_added_again(new_store, call):
    own = {"name": "e", "timeUnixNano": "5", "attributes": [{"key": "a", "value": {"stringValue": "b"}}]}
    (store := new_store()).write([call(events=[own, own])])
    assert names(joined(store, log("e", a="b"), log("e", a="c"), log("e", a="c"))) == ["e", "e", "e"]


def test_a_span_has_at_most_as_many_events_as_one_that_is_sent(new_store, call):
    own = [{"name": f"own-{at}", "timeUnixNano": str(2 * at)} for at in range(MAX_EVENTS)]
    (store := new_store()).write([call(events=own)])
    event = joined(store, *(log(f"log-{at}", 2 * at + 1) for at in range(MAX_EVENTS)))
    assert names(event) == [f"{kind}-{at}" for at in range(MAX_EVENTS // 2) for kind in ("own", "log")]


_LOGS = st.builds(
    lambda name, time, attributes: Log(
        TRACE, SPAN, {"name": name, "time_unix_nano": str(time), "attributes": attributes}
    ),
    st.sampled_from(["gen_ai.user.message", "gen_ai.choice", "log", "exception"]),
    st.integers(0, 3),
    st.fixed_dictionaries(
        {"exception.type": st.sampled_from(["A", "B"]), "exception.message": st.sampled_from(["one", "two"])},
        optional={"log.message": st.sampled_from(["text", {"content": "a\0b"}, {"content": "c", "n": 2**63}, [1.5]])},
    ),
)


@given(
    logs=st.lists(_LOGS, max_size=6), cuts=st.lists(st.integers(0, 6), max_size=3), status=st.sampled_from([0, 1, 2])
)
def test_any_order_and_grouping_ends_in_the_same_span(new_store, call, logs, cuts, status):
    span = call(events=[{"name": "own", "timeUnixNano": "1"}], status={"code": status, "message": "why"})
    together, apart = new_store(), new_store()
    for store in (together, apart):
        store.write([span])
    expected = joined(together, *logs)
    so_far: list[Log] = []
    for start, stop in pairwise([0, *sorted(cuts), len(logs)]):
        so_far += logs[::-1][start:stop]
        joined(apart, *so_far)
    found = joined(apart, *so_far, *logs)
    assert plain(found) == plain(expected)
    assert all_of(apart) == all_of(together)


def plain(event):
    def value(name):
        found = getattr(event, name)
        return bytes(found) if name in ("input", "output", "attributes", "events", "links") and found else found

    return {name: value(name) for name in event.__dataclass_fields__ if name != "seq"}


def all_of(store):
    return [each.span for each in store.stored([trace.trace_id for trace in store.traces(Filter()).items])]
