import contextlib
import io
import json
import os
import pty
import termios
import time

import pytest
from sent import request_of, span_of

from inspector.cli.output.rows import event_table
from inspector.cli.output.terminal import Terminal, wants_colour
from inspector.model import SpanError

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\b\u202e\u200b\u2066\ufeff\U000e0041\u2028"
OBEYED = {character for character in HOSTILE if not character.isprintable()}


@pytest.fixture
def on_terminal(environment, fork_python):
    def show(*arguments, **variables):
        leader, follower = pty.openpty()
        modes = termios.tcgetattr(follower)
        modes[1] &= ~termios.ONLCR
        termios.tcsetattr(follower, termios.TCSANOW, modes)
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), follower)
        process = fork_python("-m", "inspector.cli", *arguments, env=environment | variables, **streams)
        os.close(follower)
        with os.fdopen(leader, "rb", buffering=0) as shown:
            chunks = []
            # Linux says that the other end is closed by an error, others by nothing more.
            with contextlib.suppress(OSError):
                while chunk := shown.read(65536):
                    chunks.append(chunk)
        assert process.wait(timeout=30) == 0
        return b"".join(chunks).decode()

    return show


def test_the_run_of_events_and_figures_may_be_the_last_one_or_a_part_of_an_id(inspector, write_spans, span):
    write_spans(
        span(name="early", trace_id="a" * 32, run="w0n7bakv", start_ns=1), span(name="late", run="8r1x2ccq", start_ns=2)
    )

    def named(*arguments):
        done = inspector("events", "--json=name", *arguments)
        return [event["name"] for event in json.loads(done.stdout)["items"]], done.stderr.decode()

    assert named("--run-id", "last")[0] == named("--run-id", "8r1x2ccq")[0] == ["late"]
    assert named("--run-id", "w0n7")[0] == ["early"]
    assert json.loads(inspector("stats", "--run-id", "last", "--json").stdout)["total"]["count"] == 1
    done = inspector("events", "--run-id", "nope")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"inspector: no run nope is recorded; list the runs with: inspector runs\n"


def test_events_lists_the_newest_first_in_plain_columns(inspector, write_spans, span):
    write_spans(
        span(name="chat gpt-5", kind="llm", input_tokens=1234, output_tokens=56, cost_usd=0.0123),
        span(name="execute_tool book", status="error", error=SpanError("TimeoutError", "no answer")),
        span(name="execute_tool pay", status="running", end_ns=None),
    )
    done = inspector("events")
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    assert lines[0].split() == [
        "TIME",
        "STATUS",
        "KIND",
        "NAME",
        "DURATION",
        "TOKENS",
        "COST",
        "SPAN",
        "TRACE",
        "ERROR",
    ]
    assert "● running" in lines[1] and "execute_tool pay" in lines[1]
    assert "✗ error" in lines[2] and lines[2].endswith("TimeoutError: no answer")
    assert "312 ms  1,234 → 56  $0.0123" in lines[3]
    assert "0000000000000001  4bf92f3577b34da6a3ce929d0e0e4736" in lines[3]


def test_events_in_json_is_one_document_without_the_large_fields(inspector, write_spans, span):
    write_spans(span(name="a"), span(name="b"))
    page = json.loads(inspector("events", "--json").stdout)
    assert [item["name"] for item in page["items"]] == ["b", "a"]
    assert page["next_cursor"] is None
    assert "input" not in page["items"][0] and "attributes" not in page["items"][0]


def test_full_events_carry_what_was_recorded(inspector, write_spans, span):
    write_spans(
        span(
            attributes={"gen_ai.tool.call.arguments": '{"city":"Rome"}', "n": 5}, input_key="gen_ai.tool.call.arguments"
        )
    )
    (item,) = json.loads(inspector("events", "--full").stdout)["items"]
    assert item["input"] == {"city": "Rome"}
    assert item["attributes"]["n"] == 5


def test_options_narrow_and_order_the_list(inspector, write_spans, span):
    write_spans(
        span(name="chat", kind="llm", session_id="trip-1", cost_usd=0.02, attributes={"team": "a=b"}),
        span(name="book", tool="book", status="error", error=SpanError("TimeoutError", "no room in Rome")),
        span(name="researcher", kind="agent", end_ns=1_795_000_009_000_000_000),
    )
    for options, names in (
        ("--kind=llm --kind=agent --order=asc", ["chat", "researcher"]),
        ("--status=error --error-type=TimeoutError --tool=book --q=Rome", ["book"]),
        ("--attr=team=a=b --min-cost-usd=0.01 --session-id=trip-1", ["chat"]),
        ("--sort=duration --since=1795000002000000000", ["researcher", "book"]),
    ):
        page = json.loads(inspector("events", "--json", *options.split()).stdout)
        assert [item["name"] for item in page["items"]] == names


def test_a_page_says_how_to_get_the_next(inspector, write_spans, span):
    write_spans(span(name="a"), span(name="b"), span(name="c"))
    assert inspector("events", "--limit", "2").stderr == b"more: --page 2\n"
    second = inspector("events", "--limit", "2", "--page", "2")
    assert (second.stdout.count(b"\n"), second.stderr) == (2, b"")
    assert b"  a  " in second.stdout
    beyond = inspector("events", "--limit", "2", "--page", "3")
    assert (beyond.returncode, beyond.stdout, beyond.stderr) == (0, b"", b"the list ends on page 2\n")
    cursor = json.loads(inspector("events", "--limit", "2", "--json").stdout)["next_cursor"]
    second = inspector("events", "--limit", "2", "--cursor", cursor, "--json")
    assert [item["name"] for item in json.loads(second.stdout)["items"]] == ["a"]
    for command in ("events", "sessions", "runs"):
        wrong = inspector(command, "--cursor", "nonsense")
        assert (wrong.returncode, wrong.stderr.count(b"\n")) == (1, 1)
        assert wrong.stderr.startswith(b"inspector: --cursor: ")


def test_nothing_that_matches_is_said_beside_the_output(inspector, write_spans, span):
    write_spans(span())
    done = inspector("events", "--kind", "llm")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"no span matches\n")


def test_an_empty_home_says_how_to_record(inspector, home):
    for command in (["events"], ["show"], ["sessions"], ["prune", "--older-than", "1d", "--yes"]):
        done = inspector(*command)
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"attach" in done.stderr
        assert done.stderr.count(b"\n") <= 2
    assert not home.exists()


def test_show_draws_the_last_trace_and_finds_others_by_the_beginning_of_their_id(inspector, write_spans, span):
    root = span(name="invoke_workflow trip", kind="workflow")
    tool = span(
        name="execute_tool book", parent_id=root.span_id, status="error", error=SpanError("TimeoutError", "no answer")
    )
    other = span(name="another", trace_id="a" * 32)
    write_spans(root, tool, other)
    assert b"another" in inspector("show").stdout
    lines = inspector("show", "4bf9").stdout.decode().splitlines()
    assert lines[0].startswith("trace 4bf92f3577b34da6a3ce929d0e0e4736 · ")
    assert lines[1].startswith("✓ invoke_workflow trip")
    assert lines[2].startswith("└─ ✗ execute_tool book")
    assert lines[2].endswith("TimeoutError: no answer")
    document = json.loads(inspector("show", "4bf92f3577b34da6a3ce929d0e0e4736", "--json").stdout)
    assert list(document) == ["trace", "items", "next_cursor"]
    assert [item["name"] for item in document["items"]] == ["invoke_workflow trip", "execute_tool book"]
    assert "attributes" not in document["items"][0]
    whole = json.loads(inspector("show", "4bf9", "--full").stdout)
    assert "attributes" in whole["items"][0]


def test_an_unknown_or_ambiguous_id_names_the_way_on(inspector, write_spans, span):
    write_spans(span(trace_id="a" * 32), span(trace_id="ab" * 16))
    for trace, told in (
        ("ffff", b"no run or trace ffff"),
        ("a", b"a is part of several ids"),
        ("'; --", b"no run or trace '; --"),
    ):
        done = inspector("show", trace)
        assert (done.returncode, done.stdout) == (1, b"")
        assert told in done.stderr
    done = inspector("show", "--span", "ffffffffffffffff")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"inspector events" in done.stderr


def test_one_event_is_shown_whole(inspector, write_spans, span):
    write_spans(
        span(
            name="execute_tool book",
            status="error",
            error=SpanError(
                "booking.TimeoutError", "no answer", "Traceback (most recent call last):\n  File x\nTimeoutError"
            ),
            attributes={"gen_ai.tool.call.arguments": '{"city": "Rome", "nights": [1, 2]}', "plain": "text"},
            input_key="gen_ai.tool.call.arguments",
            events=({"name": "exception", "time_unix_nano": 5, "attributes": {}},),
        )
    )
    shown = inspector("show", "--span", "0000000000000001").stdout.decode()
    assert "✗ execute_tool book  error" in shown
    assert "error\n  booking.TimeoutError: no answer\n" in shown
    assert "traceback\n  Traceback (most recent call last):\n    File x\n  TimeoutError\n" in shown
    assert 'input\n  {\n    "city": "Rome",\n    "nights": [\n      1,' in shown
    assert "  plain = text\n" in shown
    assert json.loads(inspector("show", "--span", "0000000000000001", "--json").stdout)["input"]["city"] == "Rome"


def test_an_event_of_a_call_that_counts_elsewhere_says_where(inspector, write_spans, span):
    used = {"kind": "llm", "input_tokens": 1200, "output_tokens": 120, "cost_usd": 0.25}
    outer = span(name="generate", attributes={"otel.scope.name": "framework"}, **used)
    sdk = {"otel.scope.name": "opentelemetry.instrumentation.openai_v2"}
    write_spans(outer, span(name="chat gpt-5", parent_id=outer.span_id, dialect="gen_ai/2", attributes=sdk, **used))
    tree = inspector("show").stdout.decode().splitlines()
    assert tree[1].endswith("  1,200 → 120 tok    $0.2500")
    assert tree[2].endswith("(1,200 → 120 tok)  ($0.2500)  duplicate")
    sheet = inspector("show", "--span", "0000000000000002").stdout.decode()
    assert "duplicate  of 0000000000000001, which counts\n" in sheet
    assert "dialect    gen_ai/2\n" in sheet
    counted, _, duplicates = inspector("show", "--span", "0000000000000001").stdout.decode().partition("\n\n")
    assert "duplicate" not in counted
    heads, other = duplicates.splitlines()
    assert heads.startswith("TIME")
    assert "  chat gpt-5  " in other
    assert "  0000000000000002  " in other
    assert "TIME" not in sheet
    late, early = inspector("events").stdout.decode().splitlines()[1:]
    assert late.endswith("  duplicate")
    assert "  (1,200 → 120)  ($0.2500)  " in late
    assert "  1,200 → 120    $0.2500  " in early
    assert json.loads(inspector("show", "--json").stdout)["trace"]["input_tokens"] == 1200


def test_sessions_are_listed_with_their_sums(inspector, write_spans, span):
    write_spans(span(session_id="trip-1"), span(session_id="trip-1", status="error", input_tokens=5, output_tokens=1))
    lines = inspector("sessions").stdout.decode().splitlines()
    assert lines[0].split() == ["SESSION", "STARTED", "STATUS", "DURATION", "TRACES", "CALLS", "ERRORS", "TOKENS"]
    assert lines[1].startswith("trip-1")
    (item,) = json.loads(inspector("sessions", "--json").stdout)["items"]
    assert (item["session_id"], item["spans"], item["errors"]) == ("trip-1", 2, 1)


def hostile_span(span):
    return span(
        name=HOSTILE,
        session_id=HOSTILE,
        service=HOSTILE,
        status="error",
        error=SpanError(HOSTILE, HOSTILE, HOSTILE),
        attributes={HOSTILE: HOSTILE, "in": json.dumps({HOSTILE: [HOSTILE]}, ensure_ascii=False), "out": HOSTILE},
        input_key="in",
        output_key="out",
        events=({"name": HOSTILE, "time_unix_nano": 1, "attributes": {HOSTILE: HOSTILE}},),
    )


COMMANDS = (
    ["events"],
    ["events", "--json"],
    ["events", "--full"],
    ["show"],
    ["show", "--json", "--full"],
    ["show", "--span", "0000000000000001"],
    ["sessions"],
    ["sessions", "--json"],
)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_recorded_text_never_controls_a_pipe(inspector, write_spans, span, command):
    write_spans(hostile_span(span))
    done = inspector(*command)
    assert done.returncode == 0
    text = done.stdout.decode()
    assert not OBEYED & set(text)
    assert not any(ord(character) < 0x20 for character in text.replace("\n", ""))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_recorded_text_never_controls_a_terminal_and_every_line_fits_it(on_terminal, write_spans, span, command):
    write_spans(hostile_span(span), span(name="日本語のホテル予約 " * 20))
    output = on_terminal(*command, COLUMNS="72")
    for code in ("0", "1", "2", "31", "32", "33", "36"):
        output = output.replace(f"\x1b[{code}m", "")
    assert not OBEYED & set(output)
    if command in (["events"], ["show"], ["sessions"]):
        assert all(len(line) <= 72 for line in output.splitlines())


def test_colours_are_for_terminals_unless_the_usual_variables_say_otherwise(on_terminal, inspector, write_spans, span):
    write_spans(span())
    assert "\x1b[" in on_terminal("events")
    assert "\x1b[" not in on_terminal("events", NO_COLOR="1")
    assert b"\x1b[" not in inspector("events").stdout
    assert b"\x1b[" in inspector("events", FORCE_COLOR="1").stdout
    assert inspector("events", "--json", FORCE_COLOR="1").stdout == inspector("events", "--json").stdout


@pytest.mark.parametrize(
    ("variables", "on_a_terminal", "in_a_pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": ""}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, False, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"CLICOLOR_FORCE": "1", "CLICOLOR": "0"}, True, True),
        ({"CLICOLOR_FORCE": "0"}, True, False),
        ({"CLICOLOR": "0"}, False, False),
        ({"CLICOLOR": "1"}, True, False),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_the_usual_variables_decide_about_colours(variables, on_a_terminal, in_a_pipe):
    assert wants_colour(variables, is_terminal=True) is on_a_terminal
    assert wants_colour(variables, is_terminal=False) is in_a_pipe


@pytest.mark.parametrize("day_ns", [0, 86_400 * 10**9], ids=["a day", "another day"])
def test_eighty_columns_show_what_a_failed_call_was_and_ids_that_show_takes(on_terminal, write_spans, span, day_ns):
    write_spans(
        span(name="chat gpt-5", kind="llm", span_id="beef" * 4, input_tokens=1234, output_tokens=56, cost_usd=0.0123),
        span(
            name="execute_tool book_hotel",
            span_id="cafe0123456789ab",
            status="error",
            start_ns=1_795_000_000_000_000_000 - day_ns,
            end_ns=1_795_000_000_000_000_001,
            error=SpanError("mcp.server.exceptions.ToolError", "Hotel Miradouro did not answer in time"),
        ),
    )
    narrow = {"COLUMNS": "80", "NO_COLOR": "1"}
    lines = on_terminal("events", **narrow).splitlines()
    line = next(line for line in lines if "✗" in line)
    assert " tool  book_hotel " in line
    assert "  cafe0123  ToolError: Ho" in line
    assert max(map(len, lines)) <= 80
    assert "span       cafe0123456789ab\n" in on_terminal("show", "cafe0123", **narrow)


def test_eighty_columns_have_room_for_duplicates_durations_and_errors(event):
    failed = {"status": "error", "error": SpanError("ToolError", "no room left in the hotel that was asked for")}
    now = {"start_time_unix_nano": str(time.time_ns()), "span_id": "cafe0123456789ab"}
    events = [event(1, **now, **failed), event(2, **now, **failed, folded_into="f" * 16), event(3, **now, kind="llm")]
    title, _, duplicate, _ = event_table(events, Terminal(io.StringIO(), width=80))
    assert title.split() == ["TIME", "STATUS", "KIND", "NAME", "DURATION", "SPAN", "DUP", "ERROR"]
    assert "  1.00 ms  cafe0123  dup  ToolError: no r" in duplicate
    assert len(duplicate) <= 80


def test_a_wide_terminal_shows_ids_whole_and_a_pipe_names_too(on_terminal, inspector, write_spans, span):
    write_spans(span(name="execute_tool book_hotel", span_id="cafe0123456789ab"))
    wide = on_terminal("events", COLUMNS="140", NO_COLOR="1")
    assert " tool  book_hotel    312 ms  cafe0123456789ab  4bf92f35\n" in wide
    assert b" tool  execute_tool book_hotel    312 ms  cafe0123456789ab  4bf92f3577b34da6" in inspector("events").stdout


def test_a_span_is_found_by_the_beginning_of_its_id(inspector, write_spans, span):
    write_spans(
        span(span_id="cafe000000000001", name="ended"),
        span(span_id="cafe000000000002", name="open", status="running", end_ns=None),
        span(span_id="dead000000000003", name="cafe00000000 in its text"),
        span(span_id="dead000000000003", name="another", trace_id="a" * 32),
    )
    for arguments in (["cafe000000000001"], ["CAFE000000000001"], ["--span", "cafe000000000001"]):
        assert inspector("show", *arguments).stdout.startswith("✓ ended\n".encode())
    assert inspector("show", "cafe000000000002").stdout.startswith("● open  running\n".encode())
    several = inspector("show", "cafe")
    assert (several.returncode, several.stdout) == (1, b"")
    assert b"several spans begin with cafe: cafe00000000000" in several.stderr
    assert inspector("show", "aaaa", "--span", "dead").stdout.startswith("✓ another\n".encode())
    assert b"no span dea1 is recorded" in inspector("show", "--span", "dea1").stderr
    assert b"no run or trace dea1 is recorded" in inspector("show", "dea1").stderr


@pytest.mark.slow
def test_an_encoding_that_is_not_utf_8_gets_ascii(inspector, inspector_anew, write_spans, span):
    write_spans(span(name="日本 é", status="error", error=SpanError("E", "→")), span(status="running", end_ns=None))
    for command in COMMANDS:
        done = inspector(*command, PYTHONIOENCODING="latin-1")
        assert done.returncode == 0
        assert done.stdout.isascii()
    assert (
        json.loads(inspector_anew("events", "--json", PYTHONIOENCODING="ascii").stdout)["items"][1]["name"] == "日本 é"
    )


def test_what_stands_in_spool_files_is_taken_in_first(inspector, home):
    spool = home / "spool"
    spool.mkdir(mode=0o700, parents=True)
    home.chmod(0o700)
    line = request_of(span_of("d" * 16, name="execute_tool spooled"))
    (spool / "20261122T000000-1-00000000.000001.jsonl").write_text(json.dumps(line) + "\n")
    done = inspector("events")
    assert done.returncode == 0, done.stderr
    assert b"execute_tool spooled" in done.stdout
    assert b"312 ms" in done.stdout


def test_a_call_without_a_cost_says_why(inspector, write_spans, span):
    why = "no price for gpt-5-mini of provider 'scripted': provider unknown"
    write_spans(span(kind="llm", input_tokens=5, attributes={"inspector.unpriced": why}))
    assert f"cost       not known: {why}\n" in inspector("show", "--span", "0000000000000001").stdout.decode()
    assert " · 1 without a price · " in inspector("show").stdout.decode().splitlines()[0] + " · "
