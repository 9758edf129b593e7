import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.api.errors import RequestRefused
from inspector.api.queries.forms import unix_ns
from inspector.api.queries.parameters import EventsQuery, SessionsQuery, StatsQuery
from inspector.api.queries.query import read_query
from inspector.model import Filter


def refused(query, model=EventsQuery):
    with pytest.raises(RequestRefused) as caught:
        read_query(model, query.encode() if isinstance(query, str) else query)
    problem = caught.value.problem
    assert problem.status == 422
    assert problem.parameter
    assert problem.detail.startswith(problem.parameter)
    json.dumps(problem.detail).encode("ascii")
    return problem.parameter


@pytest.mark.parametrize(
    "query, detail",
    [
        ("name=", "name takes 1 to 1024 characters, none of them NUL"),
        ("q=%00", "q takes 1 to 2000 characters, none of them NUL"),
        ("cursor=!", "cursor takes 1 to 1024 letters, digits, '-' and '_'"),
        ("min_duration_ms=-1", "min_duration_ms takes a number from 0 to 1000000000000000"),
        ("limit=0", "limit takes an integer from 1 to 1000"),
    ],
)
def test_a_refusal_says_in_words_what_is_taken(query, detail):
    with pytest.raises(RequestRefused) as caught:
        read_query(EventsQuery, query.encode())
    assert caught.value.problem.detail == detail


@pytest.mark.parametrize(
    "path, headers, detail",
    [
        ("/sessions/", {}, "session_id takes 1 to 1024 characters, none of them NUL"),
        ("/sessions/%00", {}, "session_id takes 1 to 1024 characters, none of them NUL"),
        ("/traces/last", {}, "trace_id takes 32 lowercase hexadecimal digits"),
        ("/events/1", {}, "span_id takes 16 lowercase hexadecimal digits"),
        ("/events/stream", {"Last-Event-ID": "x"}, "Last-Event-ID takes an integer from 0 to 9223372036854775807"),
    ],
)
def test_what_stands_in_the_path_or_in_a_header_is_refused_in_the_same_words(client, path, headers, detail):
    answer = client.get(path, headers=headers)
    assert (answer.status_code, answer.json()["detail"]) == (422, detail)


def test_every_filter_reaches_the_store():
    query = read_query(
        EventsQuery,
        b"kind=tool&kind=llm&kind=tool&status=error&session_id=s%2F1&trace_id="
        + b"a" * 32
        + b"&parent_id="
        + b"b" * 16
        + b"&name=n&name_prefix=p&agent=a&model=m&tool=t&service=v&error_type=E&hook=tool_call"
        b"&since=5&until=1970-01-01T00:00:01Z&min_duration_ms=1.5&max_duration_ms=2e3&min_cost_usd=0&max_cost_usd=0.25&attr.a.b=1&attr.c=&q=two+words"
        b"&args.rows[0].id=7&args.invoice=INV-7&result.status=a%3Db"
        b"&sort=cost&order=asc&cursor=abc&limit=1000&full=true",
    )
    assert query.as_filter() == Filter(
        kinds=("tool", "llm"),
        statuses=("error",),
        session_id="s/1",
        trace_id="a" * 32,
        parent_id="b" * 16,
        name="n",
        name_prefix="p",
        agent="a",
        model="m",
        tool="t",
        service="v",
        error_type="E",
        hook="tool_call",
        since_ns=5,
        until_ns=1_000_000_000,
        min_duration_ms=1.5,
        max_duration_ms=2000.0,
        min_cost_usd=0.0,
        max_cost_usd=0.25,
        attributes=(("a.b", "1"), ("c", "")),
        arguments=(("rows[0].id", "7"), ("invoice", "INV-7")),
        results=(("status", "a=b"),),
        q="two words",
    )
    assert (query.sort, query.order, query.cursor, query.limit, query.full) == ("cost", "asc", "abc", 1000, True)


def test_without_a_query_nothing_is_narrowed():
    query = read_query(EventsQuery, b"")
    assert query.as_filter() == Filter()
    assert (query.sort, query.order, query.cursor, query.limit, query.full) == ("time", "desc", None, 50, False)


@pytest.mark.parametrize(
    "name",
    [
        "x",
        "",
        "Kind",
        "kind[]",
        "kind ",
        "limit%00",
        "__proto__",
        "attr",
        "attrs.x",
        "args",
        "result",
        "results.x",
        "filter_fields",
        "model_config",
        "buckets",
    ],
)
def test_an_unknown_parameter_is_refused(name):
    with pytest.raises(RequestRefused, match="is not a parameter here; known: agent, args.<path>, attr.<key>, cursor"):
        read_query(EventsQuery, f"{name}=1".encode())


@pytest.mark.parametrize(
    "query",
    [
        "limit=1&limit=1",
        "q=a&q=a",
        "attr.a=1&attr.a=1",
        "args.a=1&args.a=1",
        "full=true&full=false",
        "cursor=a&cursor=b",
    ],
)
def test_a_single_parameter_may_not_be_repeated(query):
    assert refused(query) == query.partition("=")[0]


BAD = {
    "limit": [
        "",
        "0",
        "-1",
        "1001",
        "1.0",
        "1e2",
        "+5",
        " 5",
        "5 ",
        "0x10",
        "1_0",
        "٣",
        "%c2%b2",
        "9" * 20,
        "9" * 5000,
        str(2**63),
        "NaN",
        "null",
        "true",
    ],
    "min_cost_usd": [
        "",
        "-1",
        "NaN",
        "nan",
        "inf",
        "Infinity",
        "1e400",
        "1e10",
        "0x1",
        "1_0",
        " 1",
        ".5",
        "5.",
        "%ef%bc%91",
        "9" * 5000,
    ],
    "max_duration_ms": ["-0.1", "1e16", "abc"],
    "full": ["", "1", "0", "yes", "True", "TRUE", "null"],
    "kind": ["", "Tool", "tool,llm", "tool%00", "span"],
    "status": ["failed", "OK"],
    "sort": ["", "seq", "start_ns", "time;drop table spans", "time desc"],
    "order": ["descending", "DESC"],
    "trace_id": ["", "1", "g" * 32, "A" * 32, "a" * 33, "a" * 32 + "%0A", "../../etc/passwd"],
    "parent_id": ["a" * 15, "a" * 17],
    "since": [
        "",
        "now",
        "-1",
        "9" * 21,
        "1.5",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00%2B24:00",
        "2026-01-01T00:00:00+01:00",
        "٢٠٢٦-01-01T00:00:00Z",
    ],
    "q": ["", "%00", "a%00b", "x" * 2001],
    "name": ["", "%00", "x" * 1025],
    "session_id": ["%ff", "%ed%a0%80", "%c0%af", "%f4%90%80%80"],
    "cursor": ["", "a b", "a+b", "../x", "%00", "x" * 1025, "é"],
    "attr.k": ["%00", "x" * 1025, "%ff"],
    "args.k": ["%00", "x" * 1025, "%ff"],
    "result.k": ["%00"],
}


@pytest.mark.parametrize("name, value", [(name, value) for name, values in BAD.items() for value in values])
def test_what_is_not_of_the_form_is_refused_by_name(name, value):
    assert refused(f"{name}={value}") == name


@pytest.mark.parametrize("key", ["attr.", "attr.%00", "attr." + "k" * 252])
def test_an_attribute_key_that_none_can_have_is_refused(key):
    assert refused(f"{key}=1").startswith("attr.")


def test_more_attributes_than_any_question_needs_are_refused():
    assert read_query(EventsQuery, "&".join(f"attr.k{n}=1" for n in range(16)).encode()).attr
    assert refused("&".join(f"attr.k{n}=1" for n in range(17))) == "attr.<key>"


def test_hostile_attribute_keys_are_data():
    query = read_query(EventsQuery, b"attr.__proto__=x&attr.a'b\"c=1&attr.$[*]=2&attr.%3Cscript%3E=3")
    assert dict(query.as_filter().attributes) == {"__proto__": "x", "a'b\"c": "1", "$[*]": "2", "<script>": "3"}


@pytest.mark.parametrize(
    "query, name", [("buckets=501", "buckets"), ("buckets=-1", "buckets"), ("by=seq", "by"), ("limit=1", "limit")]
)
def test_figures_have_their_own_parameters(query, name):
    assert refused(query, StatsQuery) == name


def test_sessions_take_no_filter():
    assert refused("session_id=x", SessionsQuery) == "session_id"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("0", 0),
        ("18446744073709551615", 2**64 - 1),
        ("99999999999999999999", 2**64 - 1),
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59Z", 0),
        ("0000-02-29T00:00:00Z", 0),
        ("2026-11-22T00:00:00z", 1_795_305_600 * 10**9),
        ("2026-11-22t01:30:00+01:30", 1_795_305_600 * 10**9),
        ("2026-11-21T22:30:00-01:30", 1_795_305_600 * 10**9),
        ("2026-11-22T00:00:00.1Z", 1_795_305_600_100_000_000),
        ("2026-11-22T00:00:00.123456789987Z", 1_795_305_600_123_456_789),
        ("2016-12-31T23:59:60Z", 1_483_228_800 * 10**9),
        ("9999-12-31T23:59:59Z", 2**64 - 1),
    ],
)
def test_times_are_read_to_the_nanosecond(text, expected):
    assert unix_ns(text) == expected


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(query):
    try:
        read_query(EventsQuery, query)
    except RequestRefused as refusal:
        assert refusal.problem.status == 422
        assert refusal.problem.parameter is not None


@given(st.integers(min_value=86_400_000_000, max_value=16_725_225_600_000_000))
def test_dates_agree_with_the_standard_library(microseconds):
    when = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=microseconds)
    assert unix_ns(when.isoformat()) == microseconds * 1000
