import pytest

from toolkit.errors import DefinitionInvalid, ToolUnknown
from toolkit.functions import FunctionTool
from toolkit.node.registry import Registry


def made(name, *, version="", description="", route=None):
    return FunctionTool(lambda: name, name=name, version=version, description=description, mcp_route=route)


def test_tools_are_found_by_name_in_the_order_of_their_registration():
    one, two = made("one"), made("two")
    registry = Registry([two])
    assert registry.register(one) is one
    assert list(registry) == [two, one]
    assert registry.get("one") is one
    assert [each.name for each in registry.definitions()] == ["two", "one"]
    assert (len(registry), "one" in registry, "three" in registry, 3 in registry) == (2, True, False, False)


def test_a_tool_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ToolUnknown, match="unknown tool 'three'; registered: 'one', 'two@2'"):
        Registry([made("one"), made("two", version="2")]).get("three")
    with pytest.raises(ToolUnknown, match="registered: none"):
        Registry().get("x")


def test_two_tools_of_one_name_are_refused_and_both_are_named():
    with pytest.raises(DefinitionInvalid, match="two tools are called 'one': 'First.' and 'Second.'"):
        Registry([made("one", description="First.\nMore."), made("one", description="Second.")])
    with pytest.raises(DefinitionInvalid, match="'one' version '1': one without a description and"):
        Registry([made("one", version="1"), made("one", version="1")])


def test_a_tool_can_take_the_place_of_another():
    old, new = made("one"), made("one")
    registry = Registry([old, made("two")])
    registry.register(new, replace=True)
    assert list(registry)[0] is new


def test_the_latest_version_is_meant_unless_another_is_asked_for():
    versions = ["1.9", "1.10", "1.10-rc1", ""]
    tools = {version: made("one", version=version) for version in versions}
    registry = Registry(tools.values())
    assert len(registry) == 1
    assert registry.get("one") is tools["1.10"]
    assert registry.get("one@1.9") is tools["1.9"]
    assert list(registry) == [tools["1.10"]]
    assert [each.definition.version for each in registry.versions("one")] == ["1.10", "1.10-rc1", "1.9", ""]
    with pytest.raises(ToolUnknown, match="unknown tool 'one@3'"):
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


def test_every_change_is_seen_by_the_revision():
    registry = Registry()
    revisions = [registry.revision]
    registry.register(made("one"))
    revisions.append(registry.revision)
    registry.unregister("one")
    revisions.append(registry.revision)
    assert revisions == sorted(set(revisions))


def test_a_tool_is_found_by_the_name_that_models_know():
    dotted = made("time.get")
    registry = Registry([dotted])
    assert registry.get("time__get") is dotted
    registry.unregister("time__get")
    assert len(registry) == 0


def test_names_that_models_cannot_tell_apart_are_refused():
    with pytest.raises(DefinitionInvalid, match="models cannot tell 'a.b' from 'a/b': both are 'a__b'"):
        Registry([made("a.b"), made("a/b")])


def test_routes_are_unique_but_for_versions_of_one_tool():
    Registry([made("one", version="1", route="/x"), made("one", version="2", route="/x")])
    with pytest.raises(DefinitionInvalid, match="'one' and 'two' have the same route '/x'"):
        Registry([made("one", route="/x"), made("two", route="/x")])
