import asyncio
import math
from dataclasses import dataclass
from typing import Annotated, Any, Optional

import pytest
from annotated_types import Le
from pydantic import BaseModel, Field

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ToolRefused
from toolkit.formats import call_of, calls_of
from toolkit.functions import FunctionTool, Inject, tool
from toolkit.middleware.guardrails import Refuse, Rewrite
from toolkit.result import ToolResult


def test_a_function_gets_lists_of_its_own(call):
    @tool
    async def empty(words: list[str], more: Any) -> str:
        words.clear()
        more["deep"].clear()
        return "emptied"

    given = {"words": ["a"], "more": {"deep": [1]}}
    assert call(empty, **given).text == "emptied"
    assert given == {"words": ["a"], "more": {"deep": [1]}}


def test_pydantics_defaults_are_made_for_each_call_and_never_called(call):
    @tool
    def note(words: list[str] = Field(default=["a"]), kind: Any = Field(default=dict)) -> list[Any]:  # noqa: B008 - as pydantic's users write it
        words.append("x")
        return [len(words), kind is dict]

    assert [call(note).structured for _ in range(2)] == [[2, True], [2, True]]


def test_numbers_that_are_no_json_are_refused_on_their_way_in(call):
    @tool
    async def pay(amount: Annotated[float, Le(10)]) -> str:
        return f"paid {amount}"

    def written(arguments):
        [asked] = calls_of({"type": "function", "function": {"name": "pay", "arguments": arguments}})
        return call_of(pay, asked)

    def call_of(tool, asked):

        return asyncio.run(tool(asked)).text

    assert written('{"amount": NaN}').startswith("the arguments are not valid JSON: NaN is not JSON")
    assert (
        written('{"amount": -1e999}') == "invalid arguments for pay: amount: expected a number, found the number -inf"
    )
    for value in (math.nan, -math.inf):
        assert "expected a number" in call_of(pay, ToolCall("pay", {"amount": value}))
    assert call(pay, amount=10**400 * 0).text == "paid 0.0"


class Weight(BaseModel):
    kilos: float


@dataclass
class Box:
    weight: float


@pytest.mark.parametrize("value", [{"x": math.nan}, {"x": [math.inf]}, Weight(kilos=math.nan), Box(-math.inf)])
def test_numbers_that_are_no_json_go_out_as_null(call, value):
    @tool
    async def measure():
        return value

    result = call(measure)
    assert "null" in result.text and "N" not in result.text
    assert list(result.structured.values()) in ([None], [[None]])


@pytest.mark.parametrize("value", ["a\ud800é", {"a\ud800é": ["a\ud800é"]}, FileNotFoundError("a\ud800é")])
def test_what_no_text_can_carry_is_replaced_in_results(call, value):
    @tool
    async def names():
        if isinstance(value, Exception):
            raise value
        return value

    result = call(names)
    assert "a?é" in result.text
    assert str(result.snapshot()).encode()


def test_a_context_of_ones_own_class_stays_one(call):
    @dataclass(frozen=True, kw_only=True)
    class Desk(ToolContext):
        room: int = 1

    class Plain(ToolContext):
        room = 2

    @tool
    async def where(context: ToolContext) -> str:
        return f"{type(context).__name__} {context.room} {context.call.name}"

    assert call(where, Desk(room=7)).text == "Desk 7 where"
    assert call(where, Plain()).text == "Plain 2 where"


class Store:
    pass


@pytest.mark.parametrize("hint", [Inject[Store | None], Inject[Optional[Store]], Optional[Inject[Store]]])  # noqa: UP045 - both ways to write it
def test_a_dependency_may_be_missing_where_its_hint_says_so(call, hint):
    async def look(store=None) -> str:
        return type(store).__name__

    look.__annotations__["store"] = hint
    made = FunctionTool(look)
    assert made.input_schema["properties"] == {}
    assert call(made, ToolContext(dependencies={Store: Store()})).text == "Store"
    assert call(made).text == "NoneType"


def test_output_guardrails_see_failures_too(call):
    def no_secrets(result, context):
        return Refuse("withheld") if "secret" in result.text else Rewrite(ToolResult.of(f"{result.text}!"))

    @tool(output_guardrails=[no_secrets])
    async def tell(what: str) -> str:
        raise ValueError(f"the {what} is 42")

    assert call(tell, what="secret").text == "withheld"
    assert isinstance(call(tell, what="secret").exception, ToolRefused)
    failure = call(tell, what="answer")
    assert (failure.is_error, failure.text) == (True, "ValueError: the answer is 42")
    assert call(tell, secret=1).text == "withheld"


def test_arguments_that_could_not_be_read_never_reach_middleware():
    seen = []

    async def see(ctx, args, call_next):
        seen.append({**args})
        return await call_next(args)

    @tool
    async def look(city: str) -> str:
        return city

    asked = call_of({"function": {"name": "look", "arguments": '{"city": '}})
    result = asyncio.run(look(asked, ToolContext(tool_hooks=[see])))
    assert result.text.startswith("the arguments are not valid JSON") and seen == []


def endless():
    found = []
    found.append(found)
    return found


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: (each for each in range(3)),
            "the returned generator cannot be written as JSON: return a list, a dictionary, a dataclass or text",
        ),
        (object, "the returned object cannot be written as JSON: return a list"),
        (endless, "the returned list cannot be written as JSON: contains itself, or is nested too deeply"),
        (lambda: ValueError("no"), "ValueError: no"),
    ],
)
def test_what_has_no_json_is_a_failure(call, make, said):
    async def give():
        return make()

    result = call(FunctionTool(give))
    assert result.is_error and said in result.text


def test_a_coroutine_that_a_tool_returns_is_to_be_awaited(call):
    @tool
    async def double(x: int) -> int:
        return 2 * x

    waiting = double({"x": 2})

    @tool
    async def forgets():
        return waiting

    assert call(forgets).text == "the returned coroutine cannot be written as JSON: await it"
    assert asyncio.run(waiting).structured == 4


def test_a_result_of_the_wrong_type_is_named_as_what_it_was(call):
    @tool
    def count() -> int:
        return "no int"

    assert call(count).text.endswith("expected an integer, found the string 'no int'")


def test_an_on_error_func_that_could_not_be_called_is_refused_at_once():
    with pytest.raises(
        DefinitionInvalid, match=r"on_error_func <lambda> has to take two arguments: \(error, context\)"
    ):

        @tool(on_error_func=lambda error: "sorry")
        def f() -> str:
            return "x"

    late = FunctionTool(lambda: "x", name="late")
    with pytest.raises(DefinitionInvalid, match="on_error_func <lambda> has to take"):
        late.add_on_error_func(lambda: "sorry")
