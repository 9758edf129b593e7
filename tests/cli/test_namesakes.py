"""``inspector show``: tools of one name from two servers."""

import pytest


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
