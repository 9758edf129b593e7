import io
import json
import re
from dataclasses import replace

import pytest
from msgspec import structs

from inspector.cli.drawing.shaping import TreeShape
from inspector.cli.drawing.trace import run_lines, tree_lines
from inspector.cli.drawing.tree import tree_rows
from inspector.cli.output.rows import run_table
from inspector.cli.output.terminal import Terminal
from inspector.model import SpanError

RUN = {"run": "abcd1234"}


def traces_of_one_run(span):
    """Two traces of one run, the later one recorded first; between them one of another program, after them one."""
    return [
        span(trace_id="c" * 32, name="execute_tool third", **RUN, start_ns=3_000, end_ns=4_000),
        span(trace_id="a" * 32, name="execute_tool first", **RUN, start_ns=1_000, end_ns=2_000),
        span(trace_id="b" * 32, name="execute_tool other", start_ns=2_000, end_ns=3_000),
        span(trace_id="d" * 32, name="execute_tool last", start_ns=5_000, end_ns=6_000),
    ]


def test_the_traces_of_a_run_are_drawn_in_the_order_they_began(inspector, write_spans, span):
    write_spans(*traces_of_one_run(span))
    for words in (("abcd1234",), ("abcd",), ("--run", "abcd1234")):
        facts, *tree = inspector("show", *words).stdout.decode().splitlines()
        assert facts.startswith("run abcd1234 · ")
        assert facts.endswith(" · 2 traces · 2 calls")
        assert [line.split()[2] for line in tree] == ["first", "third"]
        assert [line[-14:] for line in tree] == ["trace aaaaaaaa", "trace cccccccc"]


def test_the_last_run_is_that_which_began_a_trace_last_and_one_of_a_single_trace_is_drawn_as_that(
    inspector, write_spans, span
):
    write_spans(*traces_of_one_run(span))
    assert inspector("show").stdout == inspector("show", "d" * 32).stdout
    write_spans(span(trace_id="e" * 32, name="execute_tool late", start_ns=7_000, end_ns=8_000, **RUN))
    assert inspector("show", "last").stdout.decode().splitlines()[0].endswith(" · 3 traces · 3 calls")


def test_the_traces_of_a_run_are_a_list_of_what_one_trace_is(inspector, write_spans, span):
    write_spans(*traces_of_one_run(span))
    document = json.loads(inspector("show", "abcd1234", "--json", "--full").stdout)
    assert (document["run"]["run_id"], document["run"]["traces"]) == ("abcd1234", 2)
    assert [part["trace"]["trace_id"] for part in document["traces"]] == ["a" * 32, "c" * 32]
    assert document["traces"][0] == json.loads(inspector("show", "a" * 32, "--json", "--full").stdout)


@pytest.mark.slow
def test_more_traces_than_one_page_are_all_of_the_run(inspector, write_spans, span):
    write_spans(*(span(trace_id=f"{number:032x}", **RUN) for number in range(1, 1200)))
    assert len(json.loads(inspector("show", "--run", "last", "--json").stdout)["traces"]) == 1199


def test_a_run_that_is_not_recorded_is_told_of_in_a_line(inspector, write_spans, span):
    assert b"nothing has been recorded in " in inspector("show", "--run", "last").stderr
    write_spans(span())
    done = inspector("show", "--run", "none")
    assert done.returncode == 1
    assert done.stderr == b"inspector: no run none is recorded; list the runs with: inspector runs\n"


def test_a_part_of_several_ids_is_refused_with_some_of_them(inspector, write_spans, span):
    write_spans(*(span(trace_id=f"{at}" * 32, run=f"ab-{at}") for at in range(2)))
    done = inspector("show", "ab-")
    assert done.returncode == 1
    assert done.stderr == b"inspector: ab- is part of several ids: ab-1, ab-0; give more of it\n"


def test_a_run_is_asked_for_alone(inspector, write_spans, span):
    write_spans(span())
    for also in (["last"], ["--span", "0000000000000001"]):
        done = inspector("show", "--run", "last", *also)
        assert done.returncode == 2
        assert b"--run cannot be combined" in done.stderr


def test_all_traces_share_one_scale_of_time_and_say_what_failed(trace, event, a_run):
    later = [event(1, name="second", start_ms=500, end_ms=1000), event(2, 1, name="inner", start_ms=900, end_ms=1000)]
    parts = [(trace, [event(1, name="first", end_ms=500)]), (trace, later)]
    facts, asked, answered, *tree = run_lines(a_run, parts, Terminal(io.StringIO(), width=None, unicode=True))
    assert facts.endswith(" · 2 traces · 4 calls · 2 failed · 2 duplicates · 2 without a price · service planner")
    assert (asked, answered) == ("asked     Where is my parcel?", "answered  On its way.")
    assert tree == [
        "✓ first     ━━━━━━━━          500 ms  trace 4bf92f35",
        "✓ second            ━━━━━━━━  500 ms  trace 4bf92f35",
        "└─ ✓ inner                ━━  100 ms",
    ]


@pytest.mark.parametrize(("second_ms", "answer"), [(50, "yes"), (200, "no")])
def test_an_answer_is_beside_its_own_question_where_traces_ran_at_once(inspector, write_spans, span, second_ms, answer):
    ends = [(0, 100, "Is it blue?", "yes"), (second_ms, 300, "Is it red?", "no")]
    write_spans(
        *(
            span(
                trace_id=f"{at}" * 32,
                kind="llm",
                start_ns=start * 10**6,
                end_ns=end * 10**6,
                run="both",
                attributes={"asked": asked, "said": said},
                input_key="asked",
                output_key="said",
            )
            for at, (start, end, asked, said) in enumerate(ends, 1)
        )
    )
    shown = inspector("show", "--run", "both").stdout.decode().splitlines()
    assert shown[1:3] == ["asked     Is it blue?", f"answered  {answer}"]


def test_runs_are_listed_with_what_was_asked_and_answered(inspector, write_spans, span):
    said = {"attributes": {"asked": "Where is my parcel?", "said": "On its way."}, "input_key": "asked"}
    write_spans(
        span(
            trace_id="a" * 32,
            kind="llm",
            service="shop.py",
            output_key="said",
            run="20261122T120000-7-0123abcd",
            **said,
        ),
        span(trace_id="b" * 32, service="shop.py", run="20261122T120000-7-0123abcd"),
        span(trace_id="c" * 32, run="job-17", hook="run", name="nightly", status="running", end_ns=None),
    )
    head, job, shop = inspector("runs").stdout.decode().splitlines()
    assert head.split()[:5] == ["RUN", "STARTED", "STATUS", "NAME", "ASKED"]
    assert job.split()[0] == "job-17"
    assert "1 open" in job and " nightly " in job
    assert shop.split()[0] == "20261122T120000-7-0123abcd"
    assert "Where is my parcel?  On its way." in shop
    narrow = inspector("runs", COLUMNS="80").stdout.decode().splitlines()
    assert max(map(len, narrow)) <= 80 or narrow[0] == head
    items = json.loads(inspector("runs", "--json", "name,traces", "--kind", "llm").stdout)["items"]
    assert items == [{"name": "shop.py", "traces": 2}]


def test_a_part_of_an_id_as_the_list_shows_it_finds_the_run(inspector, write_spans, span):
    write_spans(*(span(trace_id=f"{at}" * 32, run="20261122T120000-7-0123abcd") for at in range(2)))
    assert inspector("show", "0123abcd").stdout.startswith(b"run 20261122T120000-7-0123abcd ")


def test_a_run_is_exported_and_deleted_whole(inspector, write_spans, span, tmp_path):
    write_spans(*traces_of_one_run(span))
    assert b"exported 2 spans of 2 traces" in inspector("export", "abcd1234", "-o", str(tmp_path / "a.jsonl")).stderr
    assert b"deleted 2 traces with 2 spans, " in inspector("prune", "--run", "abcd", "--yes").stdout
    assert b"no run abcd1234 is recorded" in inspector("prune", "--run", "abcd1234", "--yes").stderr


ASKED_AND_ANSWERED = [["│", "asked", "Send"], ["│", "answered", "It"]]
ASKED, ANSWERED = "gen_ai.input.messages", "gen_ai.output.messages"


def said(role, *parts):
    return {"role": role, "parts": list(parts)}


def loop_of(span, *, content=True):
    """A hand-written loop of two model calls; the tool between them, which no span tells of, failed."""
    wants = {"type": "tool_call", "id": "c1", "name": "send_mail", "arguments": {"to": "ann"}}
    gave = {"type": "tool_call_response", "id": "c1", "response": "KeyError: 'ann'"}
    talk = [said("user", {"type": "text", "content": "Send it"})]
    answers = [said("assistant", wants), said("assistant", {"type": "text", "content": "It is sent."})]
    for at, answer in enumerate(answers):
        attributes = {ASKED: json.dumps(talk), ANSWERED: json.dumps([answer])} if content else {}
        keys = {"input_key": ASKED, "output_key": ANSWERED} if content else {}
        began = 10**9 * (1 + at)
        times = {"start_ns": began, "end_ns": began + 10**8}
        yield span(trace_id=f"{at:032x}", kind="llm", name="chat m", attributes=attributes, **keys, **times, **RUN)
        talk = [*talk, answer, said("tool", gave)]


def test_a_hand_written_loop_is_drawn_with_the_tools_that_its_messages_tell_of(inspector, write_spans, span):
    write_spans(*loop_of(span))
    facts, _, _, top, asked, answered, *calls = inspector("show", "abcd1234").stdout.decode().splitlines()
    assert " · 2 calls" in facts and "failed" not in facts
    assert top.startswith("✓ conversation ") and top.endswith("  trace 00000000  inferred: 2 turns")
    assert (asked, answered) == ("│  asked     Send it", "│  answered  It is sent.")
    first, tool, last = calls
    assert first.split()[:4] == ["├─", "✓", "chat", "m"]
    assert last.split()[:4] == ["└─", "✓", "chat", "m"]
    assert tool.startswith("├─ ✗ send_mail ")
    assert tool.endswith("""900 ms  inferred  {"to":"ann"}  KeyError: 'ann'""")


def test_a_loop_of_one_trace_is_drawn_the_same(inspector, write_spans, span):
    write_spans(*(structs.replace(each, trace_id="a" * 32, run=None) for each in loop_of(span)))
    _, top, asked, _, first, tool, last = inspector("show", "a" * 32).stdout.decode().splitlines()
    assert top.endswith("  inferred: 2 turns")
    assert asked == "│  asked     Send it"
    assert [line.split()[2] for line in (first, tool, last)] == ["chat", "send_mail", "chat"]


def test_what_failed_in_a_loop_is_drawn_although_no_span_failed(inspector, write_spans, span):
    write_spans(*loop_of(span))
    shown = inspector("show", "abcd1234", "--errors")
    names = [line.split()[:3] for line in shown.stdout.decode().splitlines()[3:]]
    assert names == [["✓", "conversation", "━━━━━━━━━━━━━━━━"], *ASKED_AND_ANSWERED, ["└─", "✗", "send_mail"]]
    assert shown.stderr == b""


def test_a_loop_without_messages_says_why_it_has_no_conversation(inspector, write_spans, span):
    write_spans(*loop_of(span, content=False))
    shown = inspector("show", "abcd1234")
    assert "conversation of" not in shown.stdout.decode()
    assert "recorded without their messages" in shown.stderr.decode()


def mcp_run(span):
    """A client without an agent: four messages that keep its connection going, and a call that fails on both sides."""
    message = "Error executing tool pay: the card of the customer was refused by the bank, twice"
    failed = {"status": "error", "error": SpanError("tool_error", message)}
    for at, name in enumerate(("initialize", "tools/list", "ping", "tools/list")):
        yield span(trace_id=f"{at:032x}", kind="rpc", name=name, **RUN, start_ns=at * 10, end_ns=at * 10 + 5)
    call = span(trace_id="f" * 32, name="execute_tool pay", **RUN, start_ns=100, end_ns=200, **failed)
    below = {"kind": "rpc", "parent_id": call.span_id, "start_ns": 110, "end_ns": 190}
    yield call
    yield span(trace_id="f" * 32, name="tools/call pay", **RUN, **below, **failed)


def test_plumbing_of_mcp_is_one_row_until_all_is_asked_for(inspector, write_spans, span):
    write_spans(*mcp_run(span))
    for words, names in (
        ((), ["MCP: 4 messages", "execute_tool pay", "tools/call pay"]),
        (("--errors",), ["execute_tool pay", "tools/call pay"]),
        (("--all",), ["initialize", "tools/list", "ping", "tools/list", "execute_tool pay", "tools/call pay"]),
        (("--depth", "1"), ["initialize", "tools/list", "ping", "tools/list", "execute_tool pay"]),
    ):
        drawn = inspector("show", "abcd1234", *words).stdout.decode().splitlines()[1:]
        assert [re.split("  +", line.lstrip("└─ ✓✗"))[0] for line in drawn] == names


def test_the_other_sides_of_a_message_are_left_out_until_all_is_asked_for(event):
    folded = {"folded_into": f"{1:016x}"}
    events = [
        event(1, name="execute_tool pay"),
        event(2, 1, name="tools/call pay", kind="rpc", **folded),
        event(3, 2, name="execute_tool pay", **folded),
        event(4, name="generate", kind="llm"),
        # Another recorder's, and no message of MCP.
        event(5, 4, name="chat gpt-5", kind="llm", folded_into=f"{4:016x}"),
    ]
    rows = tree_rows(events, shape=TreeShape(everything=False))
    assert [row.event.name for row in rows] == ["execute_tool pay", "generate", "chat gpt-5"]
    assert len(tree_rows(events)) == 5


def test_a_long_error_is_told_where_it_is_met_first(inspector, write_spans, span):
    write_spans(*mcp_run(span))
    *_, call, rpc = inspector("show", "abcd1234", "--all").stdout.decode().splitlines()
    assert call.endswith(
        "tool_error: Error executing tool pay: the card of the customer was refused by the bank, twice"
    )
    assert rpc.endswith("tool_error: …")


def test_a_terminal_has_names_without_the_word_for_what_is_done(event):
    events = [
        event(1, name="invoke_workflow trip"),
        event(2, 1, name="invoke_agent planner"),
        event(3, 2, name="chat gpt-5"),
        event(4, 2, name="execute_tool weather"),
        event(5, 2, name="execute_tool"),
    ]
    drawn = tree_lines(events, Terminal(io.StringIO(), width=80, unicode=True))
    assert [re.split("  +", line.lstrip("├└─│ ✓"))[0] for line in drawn] == [
        "workflow trip",
        "agent planner",
        "chat gpt-5",
        "weather",
        "execute_tool",
    ]


def test_eighty_columns_have_room_for_what_was_asked_and_answered(a_run):
    run = replace(a_run, run_id="20261122T120000-7-0123abcd", input_tokens=0, output_tokens=0)
    titles, line = run_table([run], Terminal(io.StringIO(), width=80, unicode=True))
    assert titles.split()[:6] == ["RUN", "STARTED", "STATUS", "NAME", "ASKED", "ANSWERED"]
    assert "Where is" in line and "On its w" in line
    assert len(line) <= 80


def test_failed_runs_are_listed_with_the_error_of_their_last_failed_call(inspector, write_spans, span):
    def failed(at, error):
        return {"status": "error", "error": SpanError(error, "no room"), "start_ns": at, "end_ns": at + 1}

    write_spans(
        span(trace_id="a" * 32, run="good"),
        span(trace_id="b" * 32, span_id="1" * 16, run="bad", **failed(20, "KeyError")),
        span(trace_id="b" * 32, span_id="2" * 16, parent_id="1" * 16, run="bad", **failed(30, "shop.Full")),
    )
    listed = inspector("runs").stdout.decode().splitlines()
    assert listed[0].endswith("  ERROR")
    assert sorted(line.endswith("  Full: no room") for line in listed[1:]) == [False, True]
    assert b"no room" not in inspector("runs", "--json").stdout


def test_a_run_that_an_exception_ended_is_drawn_with_it_also_if_it_has_one_trace(inspector, write_spans, span):
    boom = {"hook": "uncaught", "kind": "other", "name": "uncaught exception", "status": "error"}
    write_spans(
        span(trace_id="a" * 32, run="r", start_ns=1, end_ns=2),
        span(trace_id="b" * 32, run="r", start_ns=3, end_ns=3, error=SpanError("KeyError", "x"), **boom),
    )
    for words in (["r"], ["last"], []):
        assert b"uncaught exception" in inspector("show", *words).stdout
    assert b"uncaught exception" not in inspector("show", "a" * 32).stdout


def test_replays_are_marked_with_the_run_that_they_replay(inspector, write_spans, span):
    original, again = "20261122T120000-7-0123abcd", "20261122T120500-8-4567abcd"
    made = {"hook": "tool_call", "attributes": {"inspector.replay.run": original}}
    write_spans(
        span(trace_id="a" * 32, run=original, start_ns=1_000, end_ns=2_000),
        span(trace_id="b" * 32, run=again, start_ns=3_000, end_ns=4_000, **made),
    )
    head, replay, first = inspector("runs").stdout.decode().splitlines()
    at = head.index("REPLAY OF")
    assert replay[at:].split()[0] == original
    assert not first[at : at + len(original)].strip()
    assert inspector("runs", "--json", "replay_of").stdout.count(b"replay_of") == 1


def test_a_terminal_has_of_the_original_the_part_that_show_takes(a_run):
    run = replace(a_run, replay_of="20261122T120000-7-0123abcd")
    titles, line = run_table([run], Terminal(io.StringIO(), width=200, unicode=True))
    assert line[titles.index("REPLAY OF") :].startswith("0123abcd ")


def test_tokens_that_no_call_told_of_are_a_dash(a_run):
    runs = [replace(a_run, input_tokens=used, output_tokens=0) for used in (0, 7)]
    titles, *lines = run_table(runs, Terminal(io.StringIO(), width=None, unicode=True))
    at = titles.index("TOKENS")
    assert [line[at : at + len("TOKENS")].strip() for line in lines] == ["\u2013", "7 \u2192 0"]
