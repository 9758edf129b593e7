import pytest

from toolkit.errors import DefinitionInvalid, ToolUnknown
from toolkit.functions import FunctionTool
from toolkit.node.registry import Registry


def made(name, *, version="", description="", route=None):
    return FunctionTool(lambda: name, name=name, version=version, description=description, mcp_route=route)


def test_tools_are_found_by_name_in_the_order_of_their_registration():
    one, two = made("one"), made("two")
    registry = Registry([two])
    registry.register(one)
    assert list(registry) == [two, one]
    assert registry.get("one") is one
    assert [each.name for each in registry] == ["two", "one"]


def test_a_tool_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ToolUnknown, match=r"there is no tool 'ones'; did you mean 'one'\? \(there are: 'one', 'two'\)"):
        Registry([made("one"), made("two", version="2")]).get("ones")
    with pytest.raises(ToolUnknown, match="there are: none"):
        Registry().get("x")


def test_two_tools_of_one_name_are_refused_and_both_are_named():
    with pytest.raises(DefinitionInvalid, match="two tools are called 'one': 'First.' and 'Second.'"):
        Registry([made("one", description="First.\nMore."), made("one", description="Second.")])
    with pytest.raises(DefinitionInvalid, match="'one' version '1': one without a description and"):
        Registry([made("one", version="1"), made("one", version="1")])


def test_the_version_registered_last_is_meant_unless_another_is_asked_for():
    tools = {version: made("one", version=version) for version in ["", "1.10", "1.9"]}
    registry = Registry(tools.values())
    assert registry.get("one") is tools["1.9"]
    assert registry.get("one@1.10") is tools["1.10"]
    assert list(registry) == [tools["1.9"]]
    for version in ("1.9", "1.10"):
        assert registry.get("one") is tools[version]
        registry.unregister(f"one@{version}")
    assert registry.get("one") is tools[""]
    with pytest.raises(ToolUnknown, match="there is no tool 'one@3'"):
        registry.get("one@3")


def test_tools_go_whole_or_by_version_while_others_iterate():
    registry = Registry([made("one", version="1"), made("one", version="2"), made("two")])
    seen = []
    for each in registry:
        seen.append(each.name)
        if each.name == "one":
            registry.unregister("one@2")
            registry.unregister("two")
    assert seen == ["one", "two"]
    assert [each.definition.version for each in registry] == ["1"]
    registry.unregister("one")
    assert list(registry) == []
    for name in ("one", "one@1"):
        with pytest.raises(ToolUnknown):
            registry.unregister(name)


def test_a_tool_is_found_by_the_name_that_models_know():
    dotted = made("time.get")
    registry = Registry([dotted])
    assert registry.get("time__get") is dotted
    registry.unregister("time__get")
    assert list(registry) == []


def test_names_that_models_cannot_tell_apart_are_refused():
    with pytest.raises(DefinitionInvalid, match="models cannot tell 'a.b' from 'a/b': both are 'a__b'"):
        Registry([made("a.b"), made("a/b")])


def test_routes_are_unique_but_for_versions_of_one_tool():
    Registry([made("one", version="1", route="/x"), made("one", version="2", route="/x")])
    with pytest.raises(DefinitionInvalid, match="'one' and 'two' have the same route '/x'"):
        Registry([made("one", route="/x"), made("two", route="/x")])
