import asyncio
import os
import pty
from typing import Any

from toolkit.context import ToolContext
from toolkit.people.human import HumanInputTool
from toolkit.people.terminal import Terminal
from toolkit.result import ToolResult


def call(tool: HumanInputTool, context: ToolContext | None = None, **arguments: Any) -> ToolResult:
    async def bounded() -> ToolResult:
        async with asyncio.timeout(10):
            return await tool(arguments, context)

    return asyncio.run(bounded())


def answering(*answers: str | None) -> tuple[HumanInputTool, list[str]]:
    asked: list[str] = []
    left = list(answers)

    async def ask(question: str) -> str | None:
        asked.append(question)
        return left.pop(0)

    return HumanInputTool(ask), asked


def test_an_answer_is_text() -> None:
    tool, asked = answering("Berlin")
    result = call(tool, question="Which city?")
    assert (result.text, result.structured, asked) == ("Berlin", {"answer": "Berlin"}, ["Which city?"])


def test_where_nobody_is_the_model_is_told() -> None:
    tool, _ = answering(None)
    result = call(tool, question="Which city?")
    assert (result.is_error, result.text) == (
        True,
        "nobody answered; go on without an answer, or say what you would need",
    )


def test_the_person_at_the_terminal_is_asked_by_default(monkeypatch: Any) -> None:
    main, other = pty.openpty()
    device = os.ttyname(other)
    monkeypatch.setattr("toolkit.people.human.Terminal", lambda: Terminal(device))
    try:

        async def typed() -> ToolResult:
            async with asyncio.timeout(10):
                asking = asyncio.ensure_future(HumanInputTool()({"question": "City?\x1b[2J"}))
                shown = b""
                while b"2J " not in shown:
                    shown += await asyncio.to_thread(os.read, main, 100)
                assert b"\x1b" not in shown
                os.write(main, b"Berlin\n")
                return await asking

        assert asyncio.run(typed()).text == "Berlin"
    finally:
        os.close(main)
        os.close(other)


def test_middleware_knows_it_as_a_runtime() -> None:
    tool = HumanInputTool()
    assert (tool.source, tool.server_name, tool.definition.model_name) == ("runtime", "human", "human__ask")
