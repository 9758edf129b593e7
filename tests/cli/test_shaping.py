import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.app import run as command
from inspector.cli.drawing.shaping import Repeat, TreeShape
from inspector.cli.drawing.trace import tree_lines
from inspector.cli.drawing.tree import tree_rows
from inspector.cli.output.terminal import Terminal
from inspector.model import SpanError


def names(events, shape):
    return [row.event.name for row in tree_rows(events, shape=shape)]


def loop(event, turns):
    """An agent whose turns are a model call and a tool call each."""
    calls = [
        event(at * 10 + part, 1, name=name, start_ms=at * 10 + part)
        for at in range(1, turns + 1)
        for part, name in enumerate(("chat", "read"))
    ]
    return [event(1, name="agent"), *calls]


def test_errors_are_drawn_with_the_way_to_them(event):
    failed = {"status": "error", "error": SpanError("KeyError", "'x'")}
    events = [
        event(1, name="root"),
        event(2, 1, name="well", start_ms=1),
        event(3, 1, name="agent", start_ms=2),
        event(4, 3, name="fails", start_ms=3, **failed),
        event(5, 4, name="inside", start_ms=4),
        event(6, name="another root", start_ms=5),
    ]
    assert names(events, TreeShape(errors=True)) == ["root", "agent", "fails"]


def test_levels_end_with_a_count_of_what_is_below(event):
    events = [event(1, name="root"), event(2, 1, name="agent"), event(3, 2, name="a"), event(4, 3, name="b")]
    rows = tree_rows(events, shape=TreeShape(depth=2))
    assert [(row.event.name, row.hidden) for row in rows] == [("root", 0), ("agent", 2)]


def test_equal_neighbours_are_drawn_once_with_their_number(event):
    events = [event(1, name="root"), *(event(at, 1, name="poll", start_ms=at) for at in range(2, 12))]
    rows = tree_rows(events, shape=TreeShape(fold=True))
    assert [(row.event.name, row.repeat) for row in rows] == [("root", None), ("poll", Repeat(10, 1))]


def test_different_tools_of_one_name_are_not_equal_neighbours(event):
    tools = ("read", "read", "pay")
    events = [event(1, name="root")]
    events += [event(at, 1, name="ai.toolCall", tool=tool, start_ms=at) for at, tool in enumerate(tools, start=2)]
    rows = tree_rows(events, shape=TreeShape(fold=True))
    assert [(row.event.tool, row.repeat) for row in rows] == [(None, None), ("read", Repeat(2, 1)), ("pay", None)]


def test_a_repeating_cycle_is_drawn_once_with_its_number(event):
    shown = list(tree_lines(loop(event, 200), Terminal(io.StringIO()), TreeShape(fold=True)))
    assert [line.split("  ")[0] for line in shown] == ["✓ agent", "├─ ✓ chat", "└─ ✓ read"]
    assert shown[1].endswith("× 200 with the next 1")


def test_a_failure_within_a_cycle_stays_in_sight(event):
    events = loop(event, 9)
    events[10] = event(51, 1, name="read", start_ms=51, status="error", error=SpanError("KeyError", "'x'"))
    assert "error" in [row.event.status for row in tree_rows(events, shape=TreeShape(fold=True))]


def test_what_is_not_drawn_still_counts_in_the_sums(event):
    used = {"kind": "llm", "input_tokens": 10, "output_tokens": 1}
    events = [event(1, name="root"), *(event(at, 1, name="chat", start_ms=at, **used) for at in range(2, 7))]
    for shape in (TreeShape(depth=1), TreeShape(fold=True), TreeShape(errors=False)):
        assert tree_rows(events, shape=shape)[0].usage.input_tokens == 50


@given(st.lists(st.sampled_from("abc"), max_size=24))
def test_folding_loses_no_span(kinds):
    from inspector.cli.drawing.shaping import shaped

    class Leaf:
        error, folded_into, status, kind, tool, agent = None, None, "ok", "tool", None, None

        def __init__(self, at, name):
            self.span_id, self.name = str(at), name

    leaves = [Leaf(at, name) for at, name in enumerate(kinds)]
    part = shaped(leaves, {}, TreeShape(fold=True))
    unfolded, at = "", 0
    while at < len(part.tops):
        repeat = part.repeats.get(part.tops[at].span_id, Repeat(1, 1))
        unfolded += "".join(leaf.name for leaf in part.tops[at : at + repeat.length]) * repeat.times
        at += repeat.length
    assert unfolded == "".join(kinds)


@pytest.mark.parametrize("option", [["--errors"], ["--fold"], ["--depth", "2"]])
def test_shapes_are_for_drawings(option, home, capsys):
    assert command(["show", *option, "--json", "--home", str(home)]) == 2
    assert "inspector events --status error" in capsys.readouterr().err


def test_show_says_when_nothing_failed(home, write_spans, span, capsys):
    write_spans(span())
    assert command(["show", "--errors", "--home", str(home)]) == 0
    assert capsys.readouterr().err == "no span of it failed\n"
