import pytest
from msgspec.structs import replace


@pytest.fixture
def called(span):
    def build(known, own="get_time", *, source="mcp", **more):
        attributes = {"mcp.tool.name": known, "inspector.tool.source": source}
        return span(kind="tool", name=f"execute_tool {own}", tool=own, attributes=attributes, **more)

    return build


def test_tools_of_two_servers_with_one_name_have_that_of_their_server_before_it(inspector, write_spans, called, span):
    root = span(kind="agent", name="invoke_agent T")
    below = {"parent_id": root.span_id}
    write_spans(
        root,
        called("a__get_time", **below),
        called("b__get_time", **below),
        called("get_time", source="function", **below),
        called("a__list", "list", **below),
        called("a__list", "list", **below),
    )
    shown = inspector("show").stdout.decode()
    assert [line.split()[3] for line in shown.splitlines() if "execute_tool" in line] == [
        *("a__get_time", "b__get_time", "get_time", "list", "list"),
    ]


def test_a_tool_of_one_server_keeps_its_own_name(inspector, write_spans, called, span):
    root = span(kind="agent", name="invoke_agent T")
    write_spans(root, *(called("a__get_time", parent_id=root.span_id) for _ in range(3)))
    assert "a__get_time" not in inspector("show").stdout.decode()


def names_listed(inspector, *options):
    lines = inspector("events", "--kind", "tool", *options).stdout.decode().splitlines()
    return [line.split("execute_tool ")[1].split()[0] for line in lines if "execute_tool" in line]


def test_a_list_of_spans_has_them_so_too(inspector, write_spans, called):
    write_spans(called("a__get_time"), called("b__get_time"), called("a__list", "list"), called("a__list", "list"))
    assert names_listed(inspector) == ["list", "list", "b__get_time", "a__get_time"]
    assert names_listed(inspector, "--tool", "a__get_time") == ["get_time"]
    assert '"name":"execute_tool get_time"' in inspector("events", "--json").stdout.decode()


def test_a_duplicate_is_listed_under_the_name_of_the_call_it_is_one_of(inspector, write_spans, called, span):
    asked = called("a__get_time")
    asked = replace(asked, attributes={**asked.attributes, "gen_ai.tool.call.id": "c1", "inspector.emitter": "toolkit"})
    served = span(
        name=asked.name,
        tool=asked.tool,
        parent_id=asked.span_id,
        attributes={"mcp.tool.name": "get_time", "gen_ai.tool.call.id": "c1", "inspector.emitter": "mcp"},
    )
    write_spans(asked, served, called("b__get_time"))
    assert names_listed(inspector) == ["b__get_time", "a__get_time", "a__get_time"]


def test_where_only_the_server_is_recorded_its_name_stands_before_the_tools(inspector, write_spans, span):
    told = {"mcp.tool.name": "get_time", "inspector.tool.source": "mcp"}
    one, other = (
        span(kind="tool", name="execute_tool get_time", tool="get_time", attributes={**told, **more})
        for more in ({"inspector.tool.server": "a"}, {})
    )
    write_spans(one, other)
    assert sorted(names_listed(inspector)) == ["a__get_time", "get_time"]
    assert names_listed(inspector, "--tool", "a__get_time") == ["get_time"]
