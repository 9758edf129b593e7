import asyncio

import pytest

from instrument.testing import capture
from toolkit import Tool, ToolContext, ToolResult
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.middleware import Refuse, Rewrite


class Lookup(Tool):
    name = "lookup"
    description = "Look a word up."
    input_schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}

    async def run(self, call, context):
        if call.arguments["word"] == "gone":
            raise TimeoutError("no answer")
        return f"the secret of {call.arguments['word']}"


class Overriding(Lookup):
    async def on_invoke(self, call, context):
        pass

    async def on_output(self, result, context):
        return ToolResult.of(f"{result.text}!")


def looked_up(tool, word="zebra"):
    return asyncio.run(tool({"word": word}))


def test_guardrails_stand_whatever_methods_a_class_overrides():
    refusing = Overriding()
    refusing.add_input_guardrails([lambda call, context: Refuse("nobody's business")])
    assert looked_up(refusing).text == "nobody's business"

    withholding = Overriding(output_guardrails=[lambda result, context: Refuse(f"not {result.text}")])
    assert looked_up(withholding).text == "not the secret of zebra!"


def test_guardrails_see_what_the_methods_made_of_it():
    class Lower(Lookup):
        async def on_invoke(self, call, context):
            return type(call)(call.name, {"word": call.arguments["word"].lower()})

        async def on_output(self, result, context):
            result.content[0].text = result.text.upper()

    seen = []

    def call_seen(call, context):
        seen.append((call.arguments["word"], context.call.arguments["word"]))

    def shout(result, context):
        return Rewrite(ToolResult.of(f"{result.text}!"))

    tool = Lower(input_guardrails=[call_seen], output_guardrails=[shout])
    assert looked_up(tool, "ZEBRA").text == "THE SECRET OF ZEBRA!"
    assert seen == [("zebra", "zebra")]


def test_a_function_for_errors_has_the_last_word_about_a_failure():
    class Failing(Lookup):
        async def on_error(self, error, context):
            return ToolResult.error(f"lookup: {error}")

    class Answering(Lookup):
        async def on_error(self, error, context):
            return "an older answer"

    def sorry(error, context):
        return ToolResult.error(f"sorry: {error}")

    for kind, expected in ((Failing, "sorry: no answer"), (Answering, "an older answer")):
        tool = kind()
        tool.add_on_error_func(sorry)
        assert looked_up(tool, "gone").text == expected


@pytest.mark.parametrize(
    ("returned", "is_error", "text"),
    [
        (None, True, "TimeoutError: no answer"),
        ("an older answer", False, "an older answer"),
        (ToolResult.error("lookup failed"), True, "lookup failed"),
    ],
)
@pytest.mark.parametrize("by", ["method", "function"])
def test_what_an_error_becomes_may_be_said_in_any_form_and_nothing_is_the_error_itself(by, returned, is_error, text):
    class Told(Lookup):
        async def on_error(self, error, context):
            return returned

    tool = Told() if by == "method" else Lookup(on_error_func=lambda error, context: returned)
    result = looked_up(tool, "gone")
    assert (result.is_error, result.text) == (is_error, text)
    assert isinstance(result.exception, TimeoutError) == is_error


def test_a_class_says_all_of_a_definition_by_its_attributes():
    class Mail(Lookup):
        permissions = "mail"
        version = "3"
        annotations = {"readOnlyHint": True}
        mcp_route = "/mail"

    mail = Mail()
    definition = mail.definition
    assert (definition.permissions, definition.version, definition.mcp_route) == (("mail",), "3", "/mail")
    assert definition.annotations == {"readOnlyHint": True}
    refused = asyncio.run(mail({"word": "zebra"}, ToolContext(permissions=frozenset("mail"))))
    assert refused.text == "lookup needs the permission 'mail'"


def test_what_a_class_says_beside_its_definition_is_refused():
    class Mail(Lookup):
        definition = ToolDefinition(name="mail")
        permissions = ("mail",)

    with pytest.raises(DefinitionInvalid, match=r"Mail.name is not looked at, as it has a definition; say it there"):
        Mail()


def test_a_class_with_its_own_init_need_not_call_another_one():
    class Backed(Lookup):
        def __init__(self, backend):
            self.backend = backend

        async def run(self, call, context):
            return self.backend

    backed = Backed("found")
    backed.add_input_guardrails([lambda call, context: None])
    assert looked_up(backed).text == "found"
    assert asyncio.run(backed({})).text == "invalid arguments for lookup: missing 'word', which is a string"


@pytest.mark.parametrize("permissions", ["read", ["read"], ("read",)])
def test_one_permission_of_a_definition_is_no_collection_of_letters(permissions):
    assert ToolDefinition(name="lookup", permissions=permissions).permissions == ("read",)


@pytest.mark.parametrize("route", ["search", "/", "/a/../b", "", 5])
def test_a_definition_takes_no_route_that_is_no_path(route):
    with pytest.raises(DefinitionInvalid, match=r"is not a route; expected a path such as '/search'"):
        ToolDefinition(name="lookup", mcp_route=route)


def recorded_of(tool, arguments):
    with capture() as hooks:
        asyncio.run(tool(arguments))
    return hooks[-1][0], hooks[-1][1]["middleware"]


def shown(text, *, is_error):
    return {"content": [{"text": text, "type": "text"}], "is_error": is_error}


@pytest.mark.parametrize(
    ("returned", "hook", "did", "is_error"),
    [
        ("an older answer", "after_tool_call", "recovered", False),
        (ToolResult.error("try later"), "error_tool_call", "changed", True),
    ],
)
def test_what_is_made_of_an_error_is_recorded_beside_it(returned, hook, did, is_error):
    def sorry(error, context):
        return returned

    text = ToolResult.of(returned).text
    change = {"before": shown("TimeoutError: no answer", is_error=True), "after": shown(text, is_error=is_error)}
    entry = {"name": "sorry", "did": did, "result": change}
    assert recorded_of(Lookup(on_error_func=sorry), {"word": "gone"}) == (hook, [entry])


def test_a_guardrail_that_raised_is_recorded_with_what_it_raised():
    def broken(call, context):
        return call.arguments["wrod"]

    _, entries = recorded_of(Lookup(input_guardrails=[broken]), {"word": "zebra"})
    assert entries == [{"name": "broken", "did": "raised", "message": "KeyError: 'wrod'"}]


def test_the_log_says_which_method_raised(caplog):
    class Broken(Lookup):
        async def on_invoke(self, call, context):
            raise KeyError("wrod")

    looked_up(Broken())
    assert "on_invoke of lookup raised KeyError" in caplog.text
