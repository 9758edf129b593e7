import asyncio

import pytest

from instrument import control
from instrument.control import Answer, Denied, Proceed
from instrument.testing import capture
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import EndRun, ToolkitError
from toolkit.models.asking import generate
from toolkit.models.model import ModelRequest, ModelResponse
from toolkit.result import ToolResult
from toolkit.tool_class import Tool


class Book(Tool):
    def __init__(self, **options):
        super().__init__(ToolDefinition(name="book", permissions=("travel",)), **options)
        self.booked = []

    async def run(self, call, context):
        self.booked.append(call.arguments)
        return f"booked {call.arguments['seats']}"


class Echo:
    name, provider = "echo-1", "local"

    def __init__(self):
        self.requests = []

    async def generate(self, request):
        self.requests.append(request)
        return ModelResponse({"role": "assistant", "content": request.messages[-1]["content"]})


def call(tool, decide, arguments=None, context=None):
    with control.install(decide, name="gate"), capture() as emitted:
        result = asyncio.run(tool(ToolCall("book", arguments or {"seats": 4}), context))
    return result, emitted


def ask(model, decide, request):
    with control.install(decide, name="gate"), capture() as emitted:
        response = asyncio.run(generate(model, request))
    return response, emitted


def asked(text="hi", **more):
    return ModelRequest([{"role": "user", "content": text}], settings={"temperature": 0}, **more)


def test_a_tool_runs_with_the_arguments_that_the_controller_gives_it():
    tool, given = Book(), {"seats": 4}
    result, [_, (after, keywords)] = call(tool, lambda call: Proceed({**call.args, "seats": 2}), given)
    assert (result.text, tool.booked, given) == ("booked 2", [{"seats": 2}], {"seats": 4})
    assert (after, keywords["args"]) == ("after_tool_call", {"seats": 4})
    assert keywords["controlled"]["args"] == {"before": {"seats": 4}, "after": {"seats": 2}}


def test_a_tool_that_the_controller_answers_for_does_not_run_nor_does_anything_around_it():
    tool, reached = Book(), []

    async def hook(ctx, args, call_next):
        reached.append(args)
        return await call_next(args)

    context = ToolContext(tool_hooks=(hook,), permissions=frozenset())
    result, [_, (after, keywords)] = call(tool, lambda _: Answer({"seats": 9}), context=context)
    assert (result.structured, tool.booked, reached) == ({"seats": 9}, [], [])
    assert (after, keywords["controlled"]["did"]) == ("after_tool_call", "answered")


def test_a_whole_result_may_be_the_answer():
    failed = ToolResult.error("sold out")
    result, _ = call(Book(), lambda _: Answer(failed))
    assert result is failed


def test_a_refusal_is_told_to_the_model_and_ends_the_call_by_its_error_hook():
    tool = Book()

    def deny(_call):
        raise Denied("nobody travels")

    result, [_, (error, keywords)] = call(tool, deny)
    assert (result.is_error, result.text, tool.booked) == (True, "Denied: nobody travels", [])
    assert (error, keywords["controlled"]["did"]) == ("error_tool_call", "denied")


def test_what_a_controller_raises_comes_to_the_tools_own_on_error():
    def fail(_call):
        raise TimeoutError("as planned")

    result, _ = call(Book(on_error_func=lambda error, _: f"sorry: {error}"), fail)
    assert result.text == "sorry: as planned"


def test_a_controller_may_end_the_run():
    def end(_call):
        raise EndRun("enough")

    with pytest.raises(EndRun):
        call(Book(), end)


def test_what_the_controller_lets_go_on_is_still_held_against_permissions():
    tool = Book()
    result, _ = call(tool, lambda _: Proceed(), context=ToolContext(permissions=frozenset()))
    assert (result.is_error, tool.booked) == (True, [])


def test_arguments_that_are_no_mapping_are_refused_with_their_type():
    tool = Book()
    result, _ = call(tool, lambda _: Proceed([1]))
    assert result.text == "the controller changed the arguments of book to list; pass a mapping"
    assert tool.booked == []


def test_a_controller_is_asked_about_a_tool_though_nobody_watches():
    with control.install(lambda _: Answer("42")):
        assert asyncio.run(Book()({"seats": 1})).text == "42"


def test_a_controller_is_given_the_tool_itself():
    tool, subjects = Book(), []
    call(tool, lambda call: subjects.append(call.subject))
    assert subjects == [tool]


def test_a_model_is_asked_what_the_controller_makes_of_the_request():
    model, request = Echo(), asked()

    def change(call):
        return Proceed({**call.args, "messages": [{"role": "user", "content": "bye"}], "temperature": 1})

    response, [_, (_, keywords)] = ask(model, change, request)
    assert response.message["content"] == "bye"
    assert model.requests[0].settings == {"temperature": 1}
    assert request.messages == [{"role": "user", "content": "hi"}]
    assert keywords["controlled"]["args"]["before"]["messages"] == request.messages


def test_tools_can_be_taken_from_a_request():
    model, tools = Echo(), [ToolDefinition(name="a"), ToolDefinition(name="b")]

    def without_b(call):
        return Proceed({**call.args, "tools": [each for each in call.args["tools"] if each["function"]["name"] == "a"]})

    ask(model, without_b, asked(tools=tools))
    assert model.requests[0].tools == tools[:1]


def test_another_model_cannot_be_asked():
    with pytest.raises(ToolkitError, match="changed the model 'echo-1' to 'echo-2'"):
        ask(Echo(), lambda call: Proceed({**call.args, "model": "echo-2"}), asked())


@pytest.mark.parametrize("shape", ["ModelResponse", "chat completion"])
def test_a_model_that_the_controller_answers_for_is_not_asked_and_the_words_are_streamed(shape):
    model, pieces = Echo(), []
    response = ModelResponse({"role": "assistant", "content": "planned"}, {"total_tokens": 3}, "stop", "echo-1", "r1")
    value = response if shape == "ModelResponse" else response.body()
    answered, [_, (after, keywords)] = ask(model, lambda _: Answer(value), asked(on_text=pieces.append))
    assert (answered, model.requests, pieces) == (response, [], ["planned"])
    assert (after, keywords["response"]) == ("after_llm_generate", response.body())


@pytest.mark.parametrize("value", ["words", {}, {"choices": []}, {"choices": [{}]}, None])
def test_what_is_no_answer_of_a_model_is_refused_with_its_type(value):
    kind = type(value).__name__
    with pytest.raises(ToolkitError, match=f"answered echo-1 with {kind}; pass a ModelResponse or a chat completion"):
        ask(Echo(), lambda _: Answer(value), asked())


def test_a_model_call_that_is_refused_raises_the_refusal():
    def deny(_call):
        raise Denied("the budget is spent")

    with pytest.raises(Denied, match="the budget is spent"):
        ask(Echo(), deny, asked())


@pytest.mark.parametrize("annotations", [{"readOnlyHint": True}, {}])
def test_a_controller_is_told_of_a_tool_that_says_it_changes_nothing(annotations):
    class Look(Tool):
        def __init__(self):
            super().__init__(ToolDefinition(name="look", annotations=annotations))

        async def run(self, call, context):
            return "seen"

    said = []
    call(Look(), lambda proposal: said.append(proposal.read_only))
    assert said == [bool(annotations)]
