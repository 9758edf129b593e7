import asyncio

import pytest

from instrument.testing import capture
from toolkit import HttpServer, McpServers, ToolContext, ToolNode, ToolServer
from toolkit import tool as as_tool
from toolkit.errors import DefinitionInvalid, ToolRefused
from toolkit.people import Approve
from toolkit.people.asking import PATIENCE_S, ApprovalRequest
from toolkit.people.human import HumanInputTool
from toolkit.people.terminal import request_text


@as_tool
async def book(hotel: str, context: ToolContext) -> str:
    await context.ask(f"Book {hotel}?")
    return f"booked {hotel}"


async def yes(request):
    return True


async def no(request):
    return False


async def nobody(request):
    return None


async def never(request):
    await asyncio.Event().wait()


CALL = {"name": "book", "arguments": {"hotel": "Ritz"}}


class Desk:
    async def ask(self, request):
        return True


def asked(emitted):
    return [each for each in emitted[-1][1].get("middleware", ()) if each["did"] == "asked"]


async def words(request):
    return "no"


@pytest.mark.parametrize("hooks", [(), (Approve("Really?"),)])
def test_a_text_is_no_answer_to_whether_a_call_may_be_made(hooks):
    booked = []

    @as_tool
    async def book(hotel: str, context: ToolContext) -> str:
        if not hooks:
            await context.ask("Really?")
        booked.append(hotel)
        return "booked"

    with capture() as emitted:
        result = asyncio.run(ToolNode([book]).invoke([CALL], context=ToolContext(approver=words, tool_hooks=hooks)))[0]
    assert (booked, result.is_error) == ([], True)
    assert result.text == "words answered with str; expected True, False or None"
    assert [(each["name"], each["answer"]) for each in asked(emitted)] == [("words", "raised")]


def test_a_type_of_another_library_is_named_with_it_since_it_may_be_called_bool_too():
    async def compares(request):
        return type("bool", (), {"__module__": "numpy"})()

    with pytest.raises(DefinitionInvalid, match=r"^compares answered with numpy\.bool; expected True, False or None$"):
        asyncio.run(ToolContext(approver=compares).ask("Really?"))


@pytest.mark.parametrize(
    ("approver", "who", "answer", "text"),
    [
        (yes, "yes", "yes", "booked Ritz"),
        (Desk().ask, "Desk", "yes", "booked Ritz"),
        (no, "no", "no", "a person refused book: Book Ritz?"),
        (nobody, "nobody", "nobody answered", "nobody answered whether book may go on: Book Ritz?"),
        (never, "never", "nobody answered", "nobody answered whether book may go on: Book Ritz?"),
    ],
)
def test_who_answered_what_and_when_is_recorded_with_the_call(approver, who, answer, text):
    context = ToolContext(approver=approver, approval_timeout_s=0.05 if approver is never else 60.0)
    with capture() as emitted:
        result = asyncio.run(book({"hotel": "Ritz"}, context))
    assert result.text == text
    assert isinstance(result.exception, ToolRefused) is result.is_error
    (entry,) = asked(emitted)
    assert entry.pop("waited_ms") >= 0
    assert entry == {"name": who, "did": "asked", "message": "Book Ritz?", "answer": answer}


@pytest.mark.parametrize("error", [RuntimeError("the desk is on fire"), TimeoutError("no line"), OSError()])
def test_an_approver_that_raises_is_recorded_with_what_it_raised(error):
    async def broken(request):
        raise error

    with capture() as emitted:
        result = asyncio.run(book({"hotel": "Ritz"}, ToolContext(approver=broken)))
    assert result.is_error
    (entry,) = asked(emitted)
    assert entry.pop("waited_ms") >= 0
    assert entry == {
        "name": "broken",
        "did": "asked",
        "message": "Book Ritz?",
        "answer": "raised",
        "error": type(error).__name__,
        **({"error_message": str(error)} if str(error) else {}),
    }


def test_a_question_is_pending_for_five_minutes_unless_told_otherwise():
    assert PATIENCE_S == 300.0 == ToolContext().approval_timeout_s
    with pytest.raises(DefinitionInvalid, match=r"Approve\(timeout_s=…\) is 0"):
        Approve(timeout_s=0)


def test_approve_waits_so_long_and_no_longer(tool, call):
    made = tool()
    with capture() as emitted:
        result = call(made, {"x": 1}, Approve("Add?", approver=never, timeout_s=0.05))
    assert (result.text, made.calls) == ("nobody answered whether add_one may be called", [])
    assert [(each["name"], each["did"]) for each in emitted[-1][1]["middleware"]] == [
        ("Approve", "answered"),
        ("never", "asked"),
    ]


def test_a_question_of_a_model_ends_too():
    with capture() as emitted:
        result = asyncio.run(HumanInputTool(never)({"question": "Which?"}, ToolContext(approval_timeout_s=0.05)))
    assert result.text == "nobody answered; go on without an answer, or say what you would need"
    assert [(each["name"], each["answer"]) for each in asked(emitted)] == [("HumanInputTool", "nobody answered")]


def test_what_a_person_says_in_words_is_recorded_as_the_result_alone():
    async def ask(question):
        return "Berlin"

    with capture() as emitted:
        result = asyncio.run(HumanInputTool(ask)({"question": "Which?"}))
    assert result.structured == {"answer": "Berlin"}
    assert [(each["message"], each["answer"]) for each in asked(emitted)] == [("Which?", "words")]


def test_a_question_that_is_cancelled_is_recorded_as_that():
    async def main():
        begun = asyncio.Event()

        async def wait(request):
            begun.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(book({"hotel": "Ritz"}, ToolContext(approver=wait)))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with capture() as emitted:
        asyncio.run(main())
    assert [each["answer"] for each in asked(emitted)] == ["cancelled"]


@pytest.mark.parametrize("character", ["ㅤ", "͏", "︀", "󠄁", "\u202e", "\u2066", "\x1b", "\x9b", "\u200b"])
def test_no_invisible_character_reaches_the_terminal_of_the_one_who_is_asked(character):
    for request in (ApprovalRequest("rm", {"path": f"a{character}b"}, "?"), ApprovalRequest(f"r{character}m", {}, "?")):
        assert character not in request_text(request)


def test_the_toolkit_and_the_inspector_show_the_same_characters():
    from inspector.cli.output.visible import visible as of_the_inspector
    from toolkit.people.terminal import visible as of_the_toolkit

    everything = "".join(map(chr, [*range(0x10FFFF)])).replace("\n", "")
    assert of_the_toolkit(everything) == of_the_inspector(everything)


@pytest.mark.parametrize(("answer", "text"), [(yes, "booked Ritz"), (no, "a person refused book: Book Ritz?")])
def test_a_served_tool_asks_the_person_behind_the_client(answer, text):
    requests = []

    async def approver(request):
        requests.append(request)
        return await answer(request)

    async def main():
        async with ToolServer([book], name="desk", mode="http", port=0) as server:
            servers = {"desk": HttpServer(server.mcp_url)}
            async with McpServers(servers, approver=approver) as desk:
                (tool,) = await desk.tools()
                return await tool({"hotel": "Ritz"})

    assert asyncio.run(main()).text == text
    (request,) = requests
    assert request.question.startswith("Book Ritz?\nbook {")
    assert '"hotel": "Ritz"' in request.question


def test_a_client_that_takes_no_questions_is_told_that_nobody_can_be_asked():
    async def main():
        async with ToolServer([book], name="desk", mode="http", port=0) as server:
            async with McpServers({"desk": HttpServer(server.mcp_url)}) as desk:
                (tool,) = await desk.tools()
                return await tool({"hotel": "Ritz"})

    assert asyncio.run(main()).text == "book needs a person's approval and nobody can be asked"
