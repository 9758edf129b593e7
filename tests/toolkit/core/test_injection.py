import asyncio
from typing import Annotated, Any, Literal, NewType, Optional

import pytest

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.functions import FunctionTool, Inject, tool


class Database:
    name = "db"


class Backup(Database):
    name = "backup"


class State:
    def __init__(self):
        self.said = []


def call(tool, arguments=None, **context):
    return asyncio.run(tool(ToolCall(tool.name, arguments or {}, "call-7"), ToolContext(**context)))


def names(tool):
    return list(tool.input_schema["properties"])


def test_the_call_id_and_the_state_are_injected_by_name_and_never_shown():
    @tool
    def get_weather(city: str, tool_call_id: str | None = None, state: State | None = None) -> dict:
        state.said.append(city)
        return {"city": city, "id": tool_call_id}

    state = State()
    assert names(get_weather) == ["city"]
    assert call(get_weather, {"city": "Paris"}, state=state).structured == {"city": "Paris", "id": "call-7"}
    assert state.said == ["Paris"]


def test_the_context_is_injected_by_name_or_by_type():
    @tool
    def by_name(context) -> str:
        return context.agent_name

    @tool
    def by_type(where: ToolContext | None, context: "ToolContext") -> bool:
        return where is context

    assert names(by_name) == names(by_type) == []
    assert call(by_name, agent_name="PMO").text == "PMO"
    assert call(by_type).structured is True


@pytest.mark.parametrize(
    "hint",
    [
        Inject[Database],
        Annotated[Database, Inject],
        Inject[Database] | None,
        Optional[Inject[Database]],  # noqa: UP045 - both spellings are read
    ],
)
def test_a_dependency_is_injected_by_its_type(hint):
    def ask(db: Any = None) -> str:
        return db.name

    ask.__annotations__["db"] = hint
    made = FunctionTool(ask)
    assert names(made) == []
    assert call(made, dependencies={Database: Database()}).text == "db"
    assert call(made, dependencies={"any name": Backup()}).text == "backup"


def test_two_dependencies_of_one_type_are_told_apart_by_a_type_of_their_own():
    second = NewType("second", Database)

    def ask(db: Any) -> str:
        return db.name

    ask.__annotations__["db"] = Inject[second]
    assert call(FunctionTool(ask), dependencies={Database: Database(), second: Backup()}).text == "backup"


def test_a_dependency_that_is_not_there_is_named_unless_there_is_a_default():
    @tool
    def ask(db: Inject[Database]) -> str: ...

    @tool
    def maybe(db: Inject[Database] | None) -> str:
        return str(db)

    @tool
    def other(db: Inject[Database] = 5) -> str:
        return str(db)

    assert str(call(ask).exception) == (
        "argument 'db': no dependency 'Database'; pass it as ToolContext(dependencies={Database: …})"
    )
    assert call(maybe).text == "None"
    assert call(other).text == "5"


@pytest.mark.parametrize("name", ["tool_call_id", "state", "context", "db"])
def test_a_model_never_sets_what_is_injected(name):
    def ask(tool_call_id: str, state: Any, context: ToolContext, db: Inject[Database]) -> dict:
        raise AssertionError(tool_call_id, state, context, db)

    result = call(FunctionTool(ask), {name: "the model's"}, dependencies={Database: Database()})
    assert result.text == f"invalid arguments for ask: unexpected '{name}'; allowed: nothing"


@pytest.mark.parametrize("hint", [str, int, Literal["BY", "NW"], str | None, Annotated[str, "of the union"]])
def test_a_state_that_is_a_word_is_an_argument_like_any_other(hint):
    def tax(state): ...

    tax.__annotations__["state"] = hint
    assert names(FunctionTool(tax)) == ["state"]


def test_a_context_that_is_a_word_is_an_argument_like_any_other():
    @tool
    def answer(question: str, context: str) -> str:
        return context

    assert names(answer) == ["question", "context"]
    assert call(answer, {"question": "", "context": "here"}).text == "here"


def test_a_dependency_may_be_written_as_the_default():
    @tool
    def typed(x: int, db: Database = Inject[Database]) -> list[Any]:
        return [x, db.name]

    @tool
    def untyped(x: int, db=Inject[Database]) -> list[Any]:
        return [x, db.name]

    for each in (typed, untyped):
        assert names(each) == ["x"]
        assert call(each, {"x": 1}, dependencies={Database: Database()}).structured == [1, "db"]
        assert "no dependency 'Database'" in str(call(each, {"x": 1}).exception)


def test_a_dependency_without_a_mark_says_how_to_write_it():
    def query(db: Database) -> str: ...

    with pytest.raises(
        DefinitionInvalid, match="argument 'db': no JSON stands for Database; if the program gives it, write db: Inject"
    ):
        tool(query)
