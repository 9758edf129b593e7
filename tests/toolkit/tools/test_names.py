import asyncio
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.definition import ToolDefinition
from toolkit.formats import offer
from toolkit.node import ToolNode
from toolkit.tools.filesystem import filesystem_tools


@given(name=st.text("abcXYZ019_-./", min_size=1, max_size=128))
def test_every_name_has_one_that_providers_take(name: str) -> None:
    definition = ToolDefinition(name=name)
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", definition.model_name)
    assert offer(definition)["function"]["name"] == definition.model_name
    assert offer(definition, "mcp")["name"] == name


def test_long_names_that_begin_alike_stay_apart() -> None:
    first, second = (ToolDefinition(name=f"{'x' * 70}{end}").model_name for end in "ab")
    assert first != second
    assert first[:55] == second[:55] == "x" * 55


@pytest.mark.parametrize("name", ["filesystem.read", "filesystem__read"])
def test_a_node_finds_a_tool_by_either_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "a").write_text("inside")
    node = ToolNode(filesystem_tools(tmp_path))
    (result,) = asyncio.run(node.invoke([{"function": {"name": name, "arguments": '{"path": "a"}'}}]))
    assert (result.text, result.is_error) == ("inside", False)
