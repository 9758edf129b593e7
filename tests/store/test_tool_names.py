"""A tool of a server is found by its own name and by the one that models know it by."""

import pytest

from inspector.model import Filter
from inspector.toolnames import own_names

OTHER = "b" * 32


@pytest.fixture
def called(store, make_span):
    """Write calls of tools: the own name, and the one that the model knows."""

    def write(*names):
        spans = [
            make_span(kind="tool", tool=own, name=f"execute_tool {own}", attributes={"mcp.tool.name": known})
            for own, known in names
        ]
        store.write(spans)
        return [each.span_id for each in spans]

    return write


def found(store, name):
    return sorted(each.span_id for each in store.events(Filter(tool=name)).items)


def test_tools_of_two_servers_with_one_name_are_told_apart_by_what_models_call_them(store, called):
    first, second, agent = called(("get_time", "a__get_time"), ("get_time", "b__get_time"), ("Writer", "agent__Writer"))
    assert found(store, "get_time") == sorted([first, second])
    assert found(store, "a__get_time") == [first]
    assert found(store, "b__get_time") == [second]
    assert found(store, "agent__Writer") == [agent]
    assert found(store, "c__get_time") == found(store, "a__get") == []


def test_figures_and_traces_are_narrowed_by_what_models_call_a_tool(store, called, make_span):
    called(("get_time", "b__get_time"))
    store.write([make_span(trace_id=OTHER, tool="get_time", attributes={"mcp.tool.name": "a__get_time"})])
    assert store.stats(Filter(tool="a__get_time")).total.count == 1
    assert [each.trace_id for each in store.traces(Filter(tool="a__get_time")).items] == [OTHER]
    assert len(store.traces(Filter(tool="get_time")).items) == 2


def test_a_name_that_calls_are_recorded_under_is_their_own(store, called):
    own, _ = called(("a__get_time", "a__get_time"), ("get_time", "a__get_time"))
    assert found(store, "a__get_time") == [own]


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("desk.read_file", {"read_file", "file"}),
        ("agent__Writer", {"_Writer", "Writer"}),
        ("get", set()),
        ("_get", set()),
        ("get_", set()),
        ("", set()),
    ],
)
def test_a_tools_own_name_may_be_what_follows_any_joint(name, own):
    assert set(own_names(name)) == own
