import pytest

from inspector.model import Filter
from inspector.toolnames import own_names, unsafe_names

OTHER = "b" * 32


@pytest.fixture
def called(store, make_span):
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


def test_a_tool_is_found_as_models_are_told_of_it_where_they_take_no_dot_or_slash(store, called):
    shell, web, _ = called(*[(each, each) for each in ("shell.execute", "web/search", "execute")])
    assert (found(store, "shell__execute"), found(store, "web__search")) == ([shell], [web])
    assert found(store, "sh__execute") == []


def test_a_tool_whose_client_says_only_its_server_is_found_by_both_names_joined(store, make_span):
    first, second = (
        make_span(kind="tool", tool="get_time", attributes={"mcp.tool.name": "get_time", "inspector.tool.server": each})
        for each in ("a", "my_b")
    )
    store.write([first, second])
    assert found(store, "a__get_time") == found(store, "a.get_time") == [first.span_id]
    assert found(store, "my_b_get_time") == [second.span_id]
    assert found(store, "b__get_time") == found(store, "a__time") == []


def test_a_name_with_several_joints_may_have_had_a_dot_at_each_or_at_the_first():
    assert unsafe_names("a__b__c") == ("a.b__c", "a.b.c", "a/b__c", "a/b/c")
    assert unsafe_names("get_time") == ()


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
