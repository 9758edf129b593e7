import asyncio
import contextvars
import functools
import threading
import traceback
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from toolkit.call import ToolCall
from toolkit.content import TextContent
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid, ResultInvalid, ToolkitError
from toolkit.functions import FunctionTool, tool
from toolkit.result import ToolResult


@dataclass
class Stay:
    city: str
    nights: int = 1


class Total(TypedDict):
    price: float


def call(tool, /, context=None, **arguments):
    return asyncio.run(tool(arguments, context))


def test_a_decorated_function_is_a_tool_with_its_name_words_and_schema():
    @FunctionTool
    def web_search(query: str, num_results: int = 10) -> str:
        """A tool that performs a web search and returns the results."""
        return f"{num_results} for {query}"

    assert web_search.definition == ToolDefinition(
        name="web_search",
        description="A tool that performs a web search and returns the results.",
        input_schema={
            "type": "object",
            "properties": {"query": {"type": "string"}, "num_results": {"type": "integer", "default": 10}},
            "required": ["query"],
            "additionalProperties": False,
        },
    )
    result = asyncio.run(web_search(ToolCall("web_search", {"query": "tools"}), ToolContext()))
    assert result == ToolResult([TextContent("10 for tools")])
    assert web_search.function("x", 2) == "2 for x"


def test_tool_and_function_tool_are_one_with_and_without_options():
    def add(x: int, y: int) -> int:
        return x + y

    made = [tool(add), FunctionTool(add), tool()(add), tool(name="add")(add), FunctionTool(name="add")(add)]
    assert [each.definition for each in made] == [made[0].definition] * 5
    assert all(call(each, x=1, y=2).structured == 3 for each in made)


def test_everything_that_is_said_at_the_decorator_is_in_the_definition():
    @tool(name="find", description="Finds.", permissions=["read"], version="2", mcp_route="/find", strict=True)
    def search(query: str) -> str:
        """Searches."""
        return query

    definition = search.definition
    assert (definition.name, definition.description, definition.permissions) == ("find", "Finds.", ("read",))
    assert (definition.version, definition.mcp_route, definition.strict) == ("2", "/find", True)


def test_arguments_are_described_by_the_docstring_unless_the_hint_says_more():
    @tool
    def book(
        stay: Stay,
        when: Annotated[date, "the first night"],
        kind: Literal["single", "double"] = "single",
        note: str = Field("none", description="for the hotel", max_length=9),
    ) -> dict:
        """Book a room.

        Args:
            stay: Where and how long.
            when: Not this.
            kind: Of the room.
        """
        return {"stay": stay, "when": when, "kind": kind, "note": note}

    properties = book.definition.input_schema["properties"]
    assert {name: each.get("description") for name, each in properties.items()} == {
        "stay": "Where and how long.",
        "when": "the first night",
        "kind": "Of the room.",
        "note": "for the hotel",
    }
    assert properties["note"] == {
        "type": "string",
        "description": "for the hotel",
        "maxLength": 9,
        "default": "none",
    }
    result = call(book, stay={"city": "Bonn"}, when="2026-01-31")
    assert result.structured == {
        "stay": {"city": "Bonn", "nights": 1},
        "when": "2026-01-31",
        "kind": "single",
        "note": "none",
    }


def test_a_function_gets_the_values_it_declared():
    seen = []

    @tool
    async def book(stay: Stay, days: set[date], price: float | None = None) -> None:
        seen.append((stay, days, price))

    assert call(book, stay={"city": "Bonn", "nights": 2}, days=["2026-01-31"]).content == []
    assert seen == [(Stay("Bonn", 2), {date(2026, 1, 31)}, None)]


def test_arguments_that_do_not_fit_are_told_with_their_places_and_the_function_does_not_run():
    @tool
    def book(stay: Stay, rooms: int = 1) -> str:
        raise AssertionError("it ran")

    result = call(book, stay={"city": 5}, rooms="two", room=1)
    assert result.is_error
    assert isinstance(result.exception, ArgumentsInvalid)
    assert result.text == (
        "invalid arguments for book: stay.city: expected a string, found the number 5; rooms: expected an integer, "
        "found the string 'two'; unexpected 'room'; allowed: 'stay', 'rooms'"
    )
    assert [each.path for each in result.exception.problems] == ["stay.city", "rooms", ""]


def test_a_word_of_the_right_type_that_is_no_date_is_told_like_any_other_problem():
    @tool
    def on(days: list[date]) -> str: ...

    result = call(on, days=["2026-01-31", "someday"])
    assert result.text == (
        "invalid arguments for on: days[1]: expected a date as in '2026-01-31', found the string 'someday'"
    )
    assert isinstance(result.exception, ArgumentsInvalid)


def test_a_plain_function_runs_off_the_event_loop_with_the_callers_context_variables():
    who = contextvars.ContextVar("who", default="nobody")

    @tool
    def ask() -> dict:
        return {"who": who.get(), "thread": threading.current_thread() is threading.main_thread()}

    async def main():
        who.set("me")
        return await ask({})

    assert asyncio.run(main()).structured == {"who": "me", "thread": False}


def test_a_coroutine_function_runs_on_the_event_loop():
    @tool
    async def ask() -> bool:
        return threading.current_thread() is threading.main_thread()

    assert call(ask).structured is True


def test_three_plain_functions_wait_at_the_same_time():
    barrier = threading.Barrier(3, timeout=60)

    @tool
    def meet() -> str:
        barrier.wait()
        return "met"

    async def main():
        return await asyncio.gather(*(meet({}) for _ in range(3)))

    assert [each.text for each in asyncio.run(main())] == ["met"] * 3


def test_a_cancelled_call_of_a_plain_function_ends_at_once_and_its_thread_goes_on():
    started, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    @tool
    def slow() -> str:
        started.set()
        go_on.wait(60)
        ended.set()
        return "late"

    async def main():
        running = asyncio.create_task(slow({}))
        await asyncio.to_thread(started.wait, 60)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not ended.is_set()
        go_on.set()

    asyncio.run(main())
    assert ended.wait(60)


def test_a_plain_function_that_returns_an_awaitable_is_awaited_on_the_loop():
    async def later(x):
        return x + 1

    made = FunctionTool(lambda x: later(x), name="later")
    assert call(made, x=1).structured == 2


def test_stop_iteration_is_an_error_like_any_other():
    @tool
    def first() -> int:
        return next(iter(()))

    async def main():
        async with asyncio.timeout(20):
            return await first({})

    assert asyncio.run(main()).text == "RuntimeError: coroutine raised StopIteration"


@pytest.mark.parametrize("error", [TimeoutError("no answer"), ValueError("no answer")])
def test_what_a_plain_function_raises_keeps_its_traceback(error):
    def asked():
        raise error

    raised = asyncio.run(FunctionTool(asked)({})).exception
    assert raised is error
    assert traceback.extract_tb(raised.__traceback__)[-1].name == "asked"


def test_system_exit_is_the_applications():
    @tool
    async def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        call(leave)


def test_partials_keep_what_the_application_gave_out_of_the_models_sight():
    def search(base: str, query: str, *, key: str, limit: int = 3) -> str:
        """Search."""
        return f"{base} {query} {key} {limit}"

    made = FunctionTool(functools.partial(functools.partial(search, "http"), key="secret"))
    assert (made.name, made.description) == ("search", "Search.")
    assert list(made.input_schema["properties"]) == ["query", "limit"]
    assert "secret" not in str(made.definition)
    assert call(made, query="x").text == "http x secret 3"
    assert call(made, query="x", key="mine").is_error


def test_objects_that_can_be_called_are_tools_by_the_name_of_their_class():
    class Adder:
        """Not this."""

        def __init__(self, start):
            self.start = start

        def __call__(self, x: int) -> int:
            """Add."""
            return self.start + x

    class Waiter:
        async def __call__(self, x: int) -> int:
            return x

    made = FunctionTool(Adder(3))
    assert (made.name, made.description, list(made.input_schema["properties"])) == ("Adder", "Add.", ["x"])
    assert call(made, x=1).structured == 4
    assert call(FunctionTool(Waiter(), name="wait"), x=1).structured == 1


def test_bound_methods_are_tools():
    class Shop:
        def buy(self, what: str) -> str:
            return f"{what} bought"

    assert call(FunctionTool(Shop().buy), what="milk").text == "milk bought"


def test_what_pydantic_makes_by_a_default_factory_is_made_for_each_call():
    @tool
    def note(words: list[str] = Field(default_factory=list)) -> int:  # noqa: B008 - as pydantic's users write it
        words.append("x")
        return len(words)

    assert "default" not in note.input_schema["properties"]["words"]
    assert [call(note).structured, call(note).structured] == [1, 1]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda: 1, "a lambda has no name"),
        (int, "a tool has to be a function; <class 'int'> is a class"),
        ("x", "a tool has to be a function; 'x' is a str"),
        (tool(asyncio.all_tasks, name="tasks"), "tasks is a tool already"),
    ],
)
def test_what_is_no_function_is_refused(function, said):
    with pytest.raises(DefinitionInvalid, match=said):
        FunctionTool(function)


def test_functions_that_json_cannot_call_are_refused_and_the_argument_is_named():
    def many(*values: int): ...

    def label(**labels: int): ...

    def power(base: int, /): ...

    def handle(at: memoryview): ...

    def generate():
        yield 1

    async def stream():
        yield 1

    with pytest.raises(DefinitionInvalid, match=r"many: \*values: int cannot be given by name; make it a list"):
        FunctionTool(many)
    with pytest.raises(DefinitionInvalid, match=r"label: \*\*labels: int cannot be given by name; make it a dict"):
        FunctionTool(label)
    with pytest.raises(DefinitionInvalid, match=r"power: base: int cannot be given by name; leave out the '/'"):
        FunctionTool(power)
    with pytest.raises(DefinitionInvalid, match="handle, argument 'at': no JSON stands for memoryview"):
        FunctionTool(handle)
    for each in (generate, stream):
        with pytest.raises(DefinitionInvalid, match="is a generator; return a list"):
            FunctionTool(each)


class Model(BaseModel):
    at: date


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (Stay, {"type": "object",
                "properties": {"city": {"type": "string"}, "nights": {"type": "integer", "default": 1}},
                "required": ["city", "nights"]}),
        (Total, {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}),
        (dict, {"type": "object"}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (str, None),
        (None, None),
        (Any, None),
        (str | dict, None),
        (ToolResult, None),
        (list[TextContent], None),
        (memoryview, None),
    ],
)  # fmt: skip
def test_what_is_structured_has_an_output_schema(hint, schema):
    def give(): ...

    give.__annotations__["return"] = hint
    assert FunctionTool(give).output_schema == schema


def test_a_result_that_breaks_its_promise_is_an_error():
    @tool
    def total() -> Total:
        return {"price": "much"}

    result = call(total)
    assert isinstance(result.exception, ResultInvalid)
    assert result.text == (
        "total returned what its output schema does not allow: price: expected a number, found the string 'much'"
    )


@pytest.mark.parametrize("value", [Stay("Bonn", 2), {"city": "Bonn", "nights": 2}])
def test_a_returned_record_is_structured_output(value):
    @tool
    def stay() -> Stay:
        return value

    assert call(stay).structured == {"city": "Bonn", "nights": 2}


def test_a_returned_model_fits_its_own_schema():
    @tool
    def model() -> Model:
        return Model(at=date(2026, 1, 31))

    assert call(model).structured == {"at": "2026-01-31"}


def test_a_failure_may_be_returned_where_something_else_is_promised():
    @tool
    def total() -> Total:
        return ToolResult.error("no price")

    assert call(total).text == "no price"


def test_a_hint_that_is_defined_further_down_is_found_at_the_first_use():
    namespace = {"tool": tool, "__name__": "later"}
    exec("@tool\ndef plan(stay: 'Later') -> str:\n    return stay.city\n", namespace)
    early = namespace["plan"]
    with pytest.raises(DefinitionInvalid, match="plan: a type hint is not defined: name 'Later'"):
        _ = early.definition
    with pytest.raises(DefinitionInvalid, match="plan: a type hint is not defined"):
        call(early, stay={"city": "Bonn"})
    namespace["Later"] = Stay
    assert early.definition.input_schema["properties"]["stay"]["required"] == ["city"]
    assert call(early, stay={"city": "Bonn"}).text == "Bonn"


def test_calling_a_tool_like_its_function_says_what_to_do():
    @tool
    def ask(x: int) -> int: ...

    with pytest.raises(ToolkitError, match="ask is a tool: call it with a ToolCall or a mapping of arguments, not int"):
        asyncio.run(ask(3))
