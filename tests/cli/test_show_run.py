"""``inspector show --run``: everything that one program did."""

import io
import json

from inspector.cli.drawing import run_lines
from inspector.cli.terminal import Terminal

RUN = {"inspector.run.id": "abcd1234"}


def traces_of_one_run(span):
    """Two traces of one run, the later one recorded first; between them one of another program, after them one."""
    return [
        span(trace_id="c" * 32, name="execute_tool third", attributes=RUN, start_ns=3_000, end_ns=4_000),
        span(trace_id="a" * 32, name="execute_tool first", attributes=RUN, start_ns=1_000, end_ns=2_000),
        span(trace_id="b" * 32, name="execute_tool other", start_ns=2_000, end_ns=3_000),
        span(trace_id="d" * 32, name="execute_tool last", start_ns=5_000, end_ns=6_000),
    ]


def test_the_traces_of_a_run_are_drawn_in_the_order_they_began(inspector, write_spans, span):
    write_spans(*traces_of_one_run(span))
    for run in ("abcd1234", "last"):
        facts, *tree = inspector("show", "--run", run).stdout.decode().splitlines()
        assert facts.startswith("run abcd1234 · ")
        assert facts.endswith(" · 2 traces · 2 calls")
        assert [line.split()[2] for line in tree] == ["first", "third"]
        assert [line[-14:] for line in tree] == ["trace aaaaaaaa", "trace cccccccc"]


def test_the_traces_of_a_run_are_a_list_of_what_one_trace_is(inspector, write_spans, span):
    write_spans(*traces_of_one_run(span))
    document = json.loads(inspector("show", "--run", "last", "--json", "--full").stdout)
    assert document["run_id"] == "abcd1234"
    assert [part["trace"]["trace_id"] for part in document["traces"]] == ["a" * 32, "c" * 32]
    assert document["traces"][0] == json.loads(inspector("show", "a" * 32, "--json", "--full").stdout)


def test_more_traces_than_one_page_are_all_of_the_run(inspector, write_spans, span):
    write_spans(*(span(trace_id=f"{number:032x}", attributes=RUN) for number in range(1, 1200)))
    assert len(json.loads(inspector("show", "--run", "last", "--json").stdout)["traces"]) == 1199


def test_a_run_that_is_not_recorded_is_told_of_in_a_line(inspector, write_spans, span):
    write_spans(span())
    done = inspector("show", "--run", "none")
    assert done.returncode == 1
    assert done.stderr.startswith(b"inspector: no run none is recorded; ")
    assert b"'inspector run' started none of the newest 1,000 traces; " in inspector("show", "--run", "last").stderr


def test_a_run_is_asked_for_alone(inspector, write_spans, span):
    write_spans(span())
    for also in (["last"], ["--span", "0000000000000001"]):
        done = inspector("show", "--run", "last", *also)
        assert done.returncode == 2
        assert b"--run stands alone" in done.stderr


def test_all_traces_share_one_scale_of_time_and_say_what_failed(trace, event):
    later = [event(1, name="second", start_ms=500, end_ms=1000), event(2, 1, name="inner", start_ms=900, end_ms=1000)]
    parts = [(trace, [event(1, name="first", end_ms=500)]), (trace, later)]
    facts, *tree = run_lines("abcd", parts, Terminal(io.StringIO(), width=None, unicode=True))
    assert facts.endswith(" · 2 traces · 4 calls · 2 failed · 2 duplicates · 2 without a price · service planner")
    assert tree == [
        "✓ first     ━━━━━━━━          500 ms  trace 4bf92f35",
        "✓ second            ━━━━━━━━  500 ms  trace 4bf92f35",
        "└─ ✓ inner                ━━  100 ms",
    ]
