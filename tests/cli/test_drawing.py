import io
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.drawing.trace import trace_lines, tree_lines
from inspector.cli.output.terminal import Terminal
from inspector.cli.output.visible import is_safe, width
from inspector.model import STATUSES, SpanError


def draw(events, *, room=None, unicode=True, colour=False):
    return list(tree_lines(events, Terminal(io.StringIO(), width=room, unicode=unicode, colour=colour)))


def trip(event):
    return [
        event(1, name="invoke_workflow trip", start_ms=0, end_ms=2310),
        event(2, 1, name="invoke_agent researcher", start_ms=10, end_ms=1500),
        event(3, 2, name="chat gpt-5", start_ms=20, end_ms=420, input_tokens=1200, output_tokens=120, cost_usd=0.0041),
        event(4, 2, name="execute_tool weather", start_ms=430, end_ms=790),
        event(
            5,
            2,
            name="execute_tool book_hotel",
            status="error",
            start_ms=430,
            end_ms=842,
            error=SpanError("TimeoutError", "no answer from booking"),
        ),
        event(6, 1, name="execute_tool pay", start_ms=2200, end_ms=None),
    ]


def test_a_trace_is_drawn_with_signs_times_tokens_cost_and_what_failed(event):
    assert draw(trip(event)) == [
        "✓ invoke_workflow trip                    ━━━━━━━━━━━━━━━━  2.31 s  1,200 → 120 tok  $0.0041",
        "├─ ✓ invoke_agent researcher              ━━━━━━━━━━╸       1.49 s  1,200 → 120 tok  $0.0041",
        "│  ├─ ✓ chat gpt-5                        ━━━               400 ms  1,200 → 120 tok  $0.0041",
        "│  ├─ ✓ execute_tool weather                ╺━━╸            360 ms",
        "│  └─ ✗ execute_tool book_hotel  error      ╺━━━            412 ms  TimeoutError: no answer from booking",
        "└─ ● execute_tool pay            running                 ━",
    ]


def test_a_tool_or_an_agent_that_its_name_does_not_tell_stands_beside_it(event):
    events = [
        event(1, name="ai.generateText", kind="agent", agent="planner", end_ms=400),
        event(2, 1, name="ai.generateText.doGenerate", kind="llm", agent="planner", end_ms=200),
        event(3, 1, name="ai.toolCall", kind="tool", agent="planner", tool="pay", start_ms=200, end_ms=400),
    ]
    assert draw(events) == [
        "✓ ai.generateText                ━━━━━━━━━━━━━━━━  400 ms  planner",
        "├─ ✓ ai.generateText.doGenerate  ━━━━━━━━          200 ms",
        "└─ ✓ ai.toolCall                         ━━━━━━━━  200 ms  pay",
    ]


def with_duplicates(event):
    used = {"kind": "llm", "input_tokens": 1200, "output_tokens": 120, "cost_usd": 0.0041}
    counting = f"{2:016x}"
    return [
        event(1, name="invoke_agent planner", end_ms=400),
        event(2, 1, name="generate", start_ms=20, end_ms=200, **used),
        event(3, 2, name="chat gpt-5", start_ms=30, end_ms=190, folded_into=counting, **used),
        event(4, 1, name="execute_tool pay", start_ms=200, end_ms=400),
        event(
            5,
            4,
            name="pay",
            start_ms=200,
            end_ms=400,
            status="error",
            error=SpanError("a.Refused", "no"),
            folded_into=f"{4:016x}",
        ),
    ]


def test_an_event_of_a_call_that_counts_elsewhere_says_so_and_has_its_figures_in_parentheses(event):
    assert draw(with_duplicates(event)) == [
        "✓ invoke_agent planner         ━━━━━━━━━━━━━━━━  400 ms    1,200 → 120 tok    $0.0041",
        "├─ ✓ generate                  ╺━━━━━━━          180 ms    1,200 → 120 tok    $0.0041",
        "│  └─ ✓ chat gpt-5              ━━━━━━━          160 ms  (1,200 → 120 tok)  ($0.0041)  duplicate",
        "└─ ✓ execute_tool pay                  ━━━━━━━━  200 ms",
        "   └─ ✗ pay             error          ━━━━━━━━  200 ms  duplicate  Refused: no",
    ]
    assert draw(with_duplicates(event), unicode=False)[2].endswith("(1,200 > 120 tok)  ($0.0041)  duplicate")


def test_an_event_of_a_call_that_counts_elsewhere_is_dim(event):
    lines = draw(with_duplicates(event), colour=True)
    assert "\x1b[2mchat gpt-5" in lines[2]
    assert "\x1b[2mduplicate" in lines[2]
    assert "\x1b[2mgenerate" not in lines[1]


def test_without_utf_8_the_tree_is_plain_ascii(event):
    shown = draw(trip(event), unicode=False)
    assert all(line.isascii() for line in shown)
    assert shown[4:] == [
        "|  `- x execute_tool book_hotel  error      ====            412 ms  TimeoutError: no answer from booking",
        "`- > execute_tool pay            running                 =",
    ]


def test_every_status_but_ok_is_told_by_a_sign_and_a_word(event):
    shown = draw([event(number, name="x", status=status) for number, status in enumerate(STATUSES)])
    assert [line.split()[:3] for line in shown if "✓" not in line] == [
        ["●", "x", "running"],
        ["✗", "x", "error"],
        ["⊖", "x", "denied"],
        ["⊘", "x", "cancelled"],
        ["◌", "x", "abandoned"],
        ["?", "x", "lost"],
    ]


def test_no_line_is_wider_than_the_terminal(event):
    for room in range(20, 140, 7):
        for colour in (False, True):
            for line in draw(trip(event), room=room, colour=colour):
                plain = line.replace("\x1b[0m", "")
                for code in ("1", "2", "31", "32", "33", "36"):
                    plain = plain.replace(f"\x1b[{code}m", "")
                assert width(plain) <= room


def test_deep_levels_say_how_deep_they_are_instead_of_pushing_the_name_out(event):
    chain = [event(1), *(event(number, number - 1, name=f"n{number}", start_ms=number) for number in range(2, 200))]
    shown = draw(chain, room=80)
    assert any(line.startswith("…198 ") and "✓ n199" in line for line in shown)


def test_colour_is_the_only_difference_between_a_coloured_and_a_plain_tree(event):
    assert draw(trip(event), room=200, colour=True) != draw(trip(event), room=200)
    stripped = draw(trip(event), room=200, colour=True)
    for code in ("0", "1", "2", "31", "32", "33", "36"):
        stripped = [line.replace(f"\x1b[{code}m", "") for line in stripped]
    assert [line.rstrip() for line in stripped] == draw(trip(event), room=200)


def test_the_type_of_an_error_is_shown_without_its_module(event):
    for recorded, shown in (("mcp.server.ToolError", "ToolError"), ("tool_error", "tool_error"), ("4.04", "4.04")):
        (line,) = draw([event(1, status="error", error=SpanError(recorded, "no answer"))])
        assert line.endswith(f"  {shown}: no answer")


def test_times_that_run_backwards_are_drawn(event):
    skewed = [event(1, start_ms=0, end_ms=100), event(2, 1, start_ms=50, end_ms=10)]
    assert "\u221240.0 ms" in draw(skewed)[1]


@given(text=st.text(), unicode=st.booleans())
def test_nothing_recorded_reaches_the_terminal_unseen(event, trace, text, unicode):
    events = [event(1, name=text, error=SpanError(text, text))]
    hostile = replace(trace, service=text, session_id=text, trace_id=text)
    for line in trace_lines(hostile, events, Terminal(io.StringIO(), width=80, unicode=unicode)):
        assert is_safe(line)
        assert unicode or line.isascii()
