import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.drawing.tree import tree_rows


def shape(rows):
    return [(row.event.name, row.guides, row.mark) for row in rows]


def test_children_follow_their_parent_in_the_order_they_began(event):
    rows = tree_rows(
        [
            event(4, 2, name="late", start_ms=9),
            event(3, 2, name="early", start_ms=3),
            event(2, 1, name="agent", start_ms=2),
            event(5, 1, name="last", start_ms=10),
            event(1, name="root"),
        ]
    )
    assert shape(rows) == [
        ("root", "", ""),
        ("agent", "├─ ", ""),
        ("early", "│  ├─ ", ""),
        ("late", "│  └─ ", ""),
        ("last", "└─ ", ""),
    ]


def test_an_event_whose_parent_is_missing_stands_at_the_top_with_a_mark(event):
    rows = tree_rows(
        [event(1, name="root"), event(2, 99, name="stray", start_ms=1), event(3, 2, name="child", start_ms=2)]
    )
    assert shape(rows) == [("root", "", ""), ("stray", "", "orphan"), ("child", "└─ ", "")]


def test_a_loop_of_parents_is_drawn_once_from_its_earliest_event(event):
    rows = tree_rows(
        [
            event(1, 3, name="a", start_ms=1),
            event(2, 1, name="b", start_ms=2),
            event(3, 2, name="c"),
            event(4, 4, name="self", start_ms=9),
        ]
    )
    assert shape(rows) == [("c", "", "cycle"), ("a", "└─ ", ""), ("b", "   └─ ", ""), ("self", "", "cycle")]


def test_tokens_and_cost_are_summed_where_an_event_has_none_of_its_own(event):
    rows = tree_rows(
        [
            event(1, name="workflow"),
            event(2, 1, name="agent", input_tokens=7),
            event(3, 2, name="llm", input_tokens=100, output_tokens=10, cost_usd=0.25),
            event(4, 1, name="llm", input_tokens=50, output_tokens=5, cost_usd=0.5),
            event(5, 1, name="tool"),
        ]
    )
    found = {row.event.seq: (row.usage.input_tokens, row.usage.output_tokens, row.usage.cost_usd) for row in rows}
    assert found == {1: (57, 15, 0.75), 2: (7, 10, 0.25), 3: (100, 10, 0.25), 4: (50, 5, 0.5), 5: (None, None, None)}


def test_a_call_that_several_events_tell_of_counts_once_in_every_sum_above_it(event):
    llm = {"kind": "llm", "input_tokens": 100, "output_tokens": 10, "cost_usd": 0.25}
    rows = tree_rows(
        [
            event(1, kind="agent"),
            event(2, 1, start_ms=1, **llm),
            event(3, 2, start_ms=2, folded_into=f"{2:016x}", **llm),
            event(4, 1, kind="llm", start_ms=3, folded_into=f"{5:016x}"),
            event(5, 4, start_ms=4, **llm),
            event(6, 1, start_ms=5, **llm),
            event(7, 6, kind="tool", start_ms=6),
            event(8, 7, start_ms=7, **llm),
        ]
    )
    found = {row.event.seq: (row.usage.input_tokens, row.usage.cost_usd, row.counts_elsewhere) for row in rows}
    assert found == {
        1: (400, 1.0, False),
        2: (100, 0.25, False),
        3: (100, 0.25, True),
        4: (100, 0.25, False),
        5: (100, 0.25, False),
        6: (100, 0.25, False),
        7: (100, 0.25, False),
        8: (100, 0.25, False),
    }


@pytest.mark.slow
def test_a_hundred_thousand_levels_are_arranged_without_recursion_and_with_short_guides(event):
    rows = tree_rows([event(1), *(event(number, number - 1) for number in range(2, 100_001))])
    assert [row.depth for row in rows] == list(range(100_000))
    assert max(len(row.guides) for row in rows) <= 40 * 3


@given(claims=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)), min_size=1, max_size=30))
def test_every_event_is_drawn_exactly_once_whatever_its_parent_claims(event, claims):
    events = [event(number, parent, start_ms=start) for number, (parent, start) in enumerate(claims)]
    rows = tree_rows(events)
    assert sorted(row.event.span_id for row in rows) == sorted(each.span_id for each in events)
    drawn: set[str] = set()
    for row in rows:
        if row.depth:
            assert row.event.parent_id in drawn
        drawn.add(row.event.span_id)
