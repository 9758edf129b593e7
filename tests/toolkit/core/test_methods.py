import asyncio
import copy
import functools

import pytest

from toolkit.errors import DefinitionInvalid
from toolkit.functions import definitions, mcp_route, tool, tools_of
from toolkit.middleware.guardrails import Refuse


class Shop:
    def __init__(self, name="shop"):
        self.name = name

    @tool
    async def analyze_text(self, text: str) -> dict:
        """Analyze text content."""
        return {"by": self.name, "length": len(text)}

    @tool(name="search_docs")
    @mcp_route("/search", permissions=["read"])
    def search_documents(self, query: str, limit: int = 10) -> dict:
        """Search documents with query."""
        return {"by": self.name, "query": query, "limit": limit}

    @mcp_route("/count", permissions="read")
    @tool(permissions=["count"])
    @staticmethod
    def count(text: str) -> int:
        return len(text)

    @tool
    @classmethod
    def kind(cls) -> str:
        return cls.__name__


class Bakery(Shop):
    @tool
    async def analyze_text(self, text: str) -> dict:
        """Analyze dough."""
        return {"by": self.name, "dough": text}

    kind = None

    @tool
    def bake(self) -> str:
        return "bread"


def call(tool, **arguments):
    result = asyncio.run(tool(arguments))
    assert not result.is_error, result.text
    return result.text if result.structured is None else result.structured


def test_a_tool_of_an_instance_is_bound_to_it_and_self_is_no_argument():
    one, other = Shop("one"), Shop("other")
    assert list(one.search_documents.input_schema["properties"]) == ["query", "limit"]
    assert call(one.search_documents, query="x") == {"by": "one", "query": "x", "limit": 10}
    assert call(other.analyze_text, text="abc") == {"by": "other", "length": 3}
    assert call(one.analyze_text, text="abc")["by"] == "one"
    assert one.search_documents.function("y")["query"] == "y"


def test_a_copy_of_an_instance_has_tools_of_its_own():
    one = Shop("one")
    _ = one.analyze_text
    twin = copy.copy(one)
    twin.name = "twin"
    assert call(twin.analyze_text, text="")["by"] == "twin"


def test_static_and_class_methods_are_tools():
    assert call(Shop.count, text="abc") == call(Shop().count, text="abc") == 3
    assert call(Shop.kind) == call(Shop().kind) == "Shop"


def test_a_tool_of_the_class_is_described_but_not_called():
    assert Shop.analyze_text.description == "Analyze text content."
    result = asyncio.run(Shop.analyze_text({"text": "x"}))
    assert result.text == "analyze_text is a method; call the tool of an instance"


def test_a_route_stands_above_or_below_the_tool():
    search, count = Shop.search_documents.definition, Shop.count.definition
    assert (search.name, search.mcp_route, search.permissions) == ("search_docs", "/search", ("read",))
    assert (count.mcp_route, count.permissions) == ("/count", ("count", "read"))


@pytest.mark.parametrize("path", ["search", "", "/", "/a b", "/a/../b", "//x", "/a?b", "/a/", "http://x/y"])
def test_what_is_no_path_is_no_route(path):
    with pytest.raises(DefinitionInvalid, match="is not a route; expected a path such as '/search'"):
        mcp_route(path)


def test_what_is_added_to_a_bound_tool_holds_for_all_instances():
    class Fresh:
        @tool
        def ask(self) -> str:
            return "asked"

    one = Fresh()
    one.ask.add_input_guardrails([lambda _call, _context: Refuse("not now")])
    assert asyncio.run(one.ask({})).text == asyncio.run(Fresh().ask({})).text == "not now"


def test_the_tools_of_an_object_come_as_declared_and_bound():
    shop = Shop("mine")
    assert [each.name for each in tools_of(shop)] == ["analyze_text", "search_docs", "count", "kind"]
    assert call(tools_of(shop)[0], text="")["by"] == "mine"
    assert [each.name for each in definitions(Shop)] == ["analyze_text", "search_docs", "count", "kind"]


def test_a_subclass_replaces_removes_and_adds():
    bakery = Bakery("mine")
    assert [each.name for each in definitions(bakery)] == ["analyze_text", "search_docs", "count", "bake"]
    assert tools_of(bakery)[0].description == "Analyze dough."
    assert call(tools_of(bakery)[3]) == "bread"


def test_class_methods_with_the_tool_inside_are_found():
    class Inside:
        @classmethod
        @tool
        def kind(cls) -> str:
            return cls.__name__

        @staticmethod
        @tool
        def count(text: str) -> int:
            return len(text)

    kind, count = tools_of(Inside())
    assert call(kind) == "Inside"
    assert call(count, text="ab") == 2


def test_the_tools_of_modules_collections_and_attributes_are_found():
    import types

    @tool
    def one() -> str: ...

    @tool
    def two() -> str: ...

    module = types.ModuleType("module")
    module.two, module.one, module.again, module.other = two, one, two, "x"
    assert tools_of(module) == (two, one)
    assert tools_of([two, one, two]) == tools_of({"b": two, "a": one}) == (two, one)
    assert tools_of(one) == (one,)
    shop = Shop()
    shop.extra = one
    assert tools_of([shop, two])[-2:] == (one, two)
    assert tools_of(object()) == ()
    with pytest.raises(DefinitionInvalid, match="'x' is not a tool and has none; declare it with @tool"):
        tools_of([one, "x"])


def test_an_object_that_yields_itself_has_no_tools():
    class Endless:
        def __iter__(self):
            return iter([self])

    assert tools_of(Endless()) == ()
    assert tools_of("text") == ()


def test_a_decorator_between_that_keeps_the_name_is_seen_through():
    def logged(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            return function(*args, **kwargs).upper()

        return inner

    class Loud:
        @tool
        @logged
        def say(self, words: str) -> str:
            """Say it."""
            return words

    assert list(Loud.say.input_schema["properties"]) == ["words"]
    assert call(Loud().say, words="hey") == "HEY"
