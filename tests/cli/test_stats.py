import json

import pytest

from inspector.model import SpanError


@pytest.fixture
def recorded_calls(write_spans, span):
    """Three tool calls of two tools, one of which failed, and a model call that two recorders saw."""
    used = {"kind": "llm", "model": "gpt-5", "input_tokens": 1200, "output_tokens": 120, "cost_usd": 0.25}
    outer = span(name="generate", attributes={"otel.scope.name": "framework"}, **used)
    sdk = {"otel.scope.name": "opentelemetry.instrumentation.openai_v2"}
    write_spans(
        span(tool="book_hotel", name="execute_tool book_hotel"),
        span(tool="book_hotel", status="error", error=SpanError("TimeoutError", "no answer")),
        span(tool="weather"),
        outer,
        span(name="chat gpt-5", parent_id=outer.span_id, dialect="gen_ai/2", attributes=sdk, **used),
    )


def rows(done):
    assert (done.returncode, done.stderr) == (0, b"")
    return [line.split() for line in done.stdout.decode().splitlines()]


def test_calls_are_summed_up_by_kind_each_once(recorded_calls, inspector):
    assert rows(inspector("stats")) == [
        ["KIND", "CALLS", "ERRORS", "P50", "P95", "P99", "TOKENS", "COST"],
        ["tool", "3", "1", *["312", "ms"] * 3],
        ["llm", "1", "0", *["312", "ms"] * 3, "1,200", "→", "120", "$0.2500"],
        ["total", "4", "1", "1,200", "→", "120", "$0.2500"],
    ]


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ("tool", ["book_hotel", "weather", "–"]),
        ("model", ["gpt-5", "–"]),
        ("status", ["ok", "error"]),
        ("error_type", ["TimeoutError"]),
        ("agent", ["–"]),
    ],
)
def test_they_are_told_apart_by_the_field_that_is_named(recorded_calls, inspector, by, keys):
    assert [row[0] for row in rows(inspector("stats", "--by", by))[1:-1]] == keys


def test_filters_narrow_what_is_counted(recorded_calls, inspector):
    assert [row[:3] for row in rows(inspector("stats", "--by=tool", "--tool=book_hotel", "--status=error"))[1:]] == [
        ["book_hotel", "1", "1"],
        ["total", "1", "1"],
    ]
    assert inspector("stats", "--tool", "none").stderr == b"no call matches\n"


def test_whole_traces_are_counted_where_they_are_wanted(recorded_calls, inspector):
    title, *_, total = rows(inspector("stats", "--traces", "--by", "status"))
    assert title[1] == "TRACES"
    assert total[:2] == ["total", "1"]


def test_rows_are_ordered_by_what_counts_and_cut_with_a_word(write_spans, span, inspector):
    write_spans(
        *(span(tool="often") for _ in range(2)),
        span(tool="failed", status="error", error=SpanError("E", "")),
    )
    done = inspector("stats", "--by", "tool", "--sort", "errors", "--limit", "1")
    assert [line.split()[0] for line in done.stdout.decode().splitlines()] == ["TOOL", "failed", "total"]
    assert done.stderr == b"more: --limit 2\n"


def test_json_is_what_the_api_answers(recorded_calls, inspector):
    document = json.loads(inspector("stats", "--by", "tool", "--json").stdout)
    assert list(document) == ["total", "groups", "buckets", "complete", "replays_left_out"]
    assert document["total"]["count"] == 4
    assert [group["key"] for group in document["groups"]] == ["book_hotel", "weather", None]


def test_replays_are_left_out_with_a_word_until_they_are_asked_for(recorded_calls, write_spans, span, inspector):
    replayed = {"inspector.replay.run": "first"}
    write_spans(
        span(trace_id="b" * 32, tool="weather", attributes=replayed),
        span(trace_id="b" * 32, tool="weather", attributes={**replayed, "inspector.replay.live": True}),
    )
    assert inspector("stats", "--since", "1970-01-01").stderr == b"1 replay is left out; --replays counts them\n"
    done = inspector("stats", "--by", "tool", "--tool", "weather")
    assert done.stderr == b"replays are left out (the time range has 1); --replays counts them\n"
    assert done.stdout.decode().splitlines()[1].split()[:2] == ["weather", "2"]
    assert rows(inspector("stats", "--by", "tool", "--tool", "weather", "--replays"))[1][:2] == ["weather", "3"]
    assert inspector("stats", "--runs", "--tool", "weather", "--no-replays").stderr == done.stderr


def test_tools_of_one_name_are_told_apart_by_their_servers(write_spans, span, inspector):
    for server, count in (("work", 2), ("home", 1)):
        served = {"attributes": {"inspector.tool.server": server}}
        write_spans(
            *(span(tool="search", trace_id=f"{server:0<32}".encode().hex()[:32], **served) for _ in range(count))
        )
    write_spans(span(tool="search"))
    told = ["work/search", "2"], ["home/search", "1"], ["search", "1"]
    assert [row[:2] for row in rows(inspector("stats", "--by", "tool"))[1:-1]] == list(told)
    for key, count in told:
        found = rows(inspector("stats", "--by", "tool", "--tool", key))[-1]
        assert found[:2] == ["total", "4" if key == "search" else count]
