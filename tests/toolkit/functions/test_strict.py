import pytest

from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.formats import offer
from toolkit.functions import FunctionTool


def test_a_strict_tool_requires_all_its_arguments():
    def search(query: str, limit: int) -> str: ...

    definition = FunctionTool(search, strict=True).definition
    assert definition.strict
    assert offer(definition)["function"]["strict"] is True
    assert definition.input_schema["required"] == ["query", "limit"]
    assert definition.input_schema["additionalProperties"] is False


def test_an_optional_argument_of_a_strict_tool_is_named():
    def search(query: str, limit: int = 10, page: int = 1) -> str: ...

    with pytest.raises(DefinitionInvalid, match="search is strict, so no argument may be optional: 'limit', 'page'"):
        FunctionTool(search, strict=True)


def test_a_strict_tool_takes_no_other_arguments():
    with pytest.raises(DefinitionInvalid, match=r"additionalProperties: false for the arguments"):
        ToolDefinition(name="x", strict=True)


def test_what_is_injected_may_have_a_default_in_a_strict_tool():
    def search(query: str, tool_call_id: str | None = None) -> str: ...

    assert FunctionTool(search, strict=True).definition.strict
