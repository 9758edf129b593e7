"""Agents and workflows of Agent Framework with a client of the program's own; counts its own calls."""

import asyncio
import gc
from collections.abc import AsyncIterator
from typing import Any, Never

import hanging
from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    Executor,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    Workflow,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
    tool,
)
from conformance import conform
from ledger import count, counted, counting, hand

USAGE: Any = {"input_token_count": 11, "output_token_count": 7, "total_token_count": 18}


class Scripted(FunctionInvocationLayer, BaseChatClient):
    """Says what it was made to say."""

    def __init__(self, *script: Any) -> None:
        super().__init__()
        self.model = "scripted"
        self.script = list(script)

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        return self._stream() if stream else self._answer()

    async def _answer(self) -> ChatResponse:
        hand("provider")
        said = self.script.pop(0)
        if said is None:
            await hanging.hang()
        contents = [Content.from_text(said)] if isinstance(said, str) else said
        return ChatResponse(messages=[Message("assistant", contents)], usage_details=USAGE, response_id="r")

    def _stream(self) -> Any:
        async def updates() -> AsyncIterator[ChatResponseUpdate]:
            hand("provider")
            for said in self.script.pop(0):
                if isinstance(said, Exception):
                    raise said
                yield ChatResponseUpdate(
                    role="assistant", contents=[said if isinstance(said, Content) else Content.from_text(said)]
                )
            yield ChatResponseUpdate(role="assistant", contents=[Content.from_usage(USAGE)])

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates)


def asks(*calls: tuple[str, dict[str, Any], str]) -> list[Content]:
    return [Content.from_function_call(call_id, name, arguments=args) for name, args, call_id in calls]


def agent(name: str, *script: Any, **more: Any) -> Agent:
    return Agent(client=Scripted(*script), name=name, **more)


async def tools() -> None:
    both = asyncio.Barrier(2)

    @tool(approval_mode="never_require")
    async def add(a: int, b: int) -> int:
        """Add."""
        await both.wait()
        hand(f"by hand {a}")
        count("tool", f"by hand {a}", "add")
        count("tool", "add", "planner", arguments={"a": a, "b": b})
        return a + b

    @tool(approval_mode="never_require")
    def fail(why: str) -> str:
        """Fail."""
        count("tool", "fail", "planner", "error", arguments={"why": why}, error=why)
        raise RuntimeError(why)

    researcher = agent("researcher", "found", description="Finds things.")
    planner = agent(
        "planner",
        asks(("add", {"a": 1, "b": 2}, "c1"), ("add", {"a": 3, "b": 4}, "c2")),
        asks(("researcher", {"task": "hooks"}, "c3")),
        asks(("fail", {"why": "no such place"}, "c4"), ("add", {"a": "none"}, "c5")),
        "done",
        instructions="Plan.",
        tools=[add, fail, researcher.as_tool()],
    )
    answer = await planner.run("plan", session=AgentSession(session_id="trip-42"))
    count("agent", "planner", None, result=answer.text, arguments="plan")
    count("tool", "researcher", "planner", arguments={"task": "hooks"})
    count("agent", "researcher", "researcher", result="found")
    count("tool", "add", "planner", "error", arguments={"a": "none"})
    counted("researcher", 1, result="found")
    counted("planner", 4)


async def cut() -> None:
    await hanging.given_up(agent("hangs", None).run("never"))
    count("agent", "hangs", None, "cancelled")
    count("llm", "scripted", "hangs", "cancelled")
    count("tool", "provider", "scripted")

    @tool(approval_mode="never_require")
    async def hang() -> str:
        """Hang."""
        await hanging.hang()
        return ""

    await hanging.given_up(agent("waits", asks(("hang", {}, "c1")), tools=[hang]).run("hang"))
    count("agent", "waits", None, "cancelled")
    count("tool", "hang", "waits", "cancelled", arguments={})
    counted("waits", 1)


async def streams() -> None:
    @tool(approval_mode="never_require")
    def look() -> str:
        """Look."""
        hand("eye")
        return "seen"

    whole = agent("whole", asks(("look", {}, "c1")), ["a", "b"], tools=[look])
    async for _ in whole.run("go", stream=True):
        hand("consumer")
        count("tool", "consumer", None)
    count("agent", "whole", None, result="ab")
    count("tool", "look", "whole")
    count("tool", "eye", "look")
    counted("whole", 2)
    last = await agent("last", ["x", "y"]).run("go", stream=True).get_final_response()
    count("agent", "last", None, result=last.text)
    counted("last", 1, result="xy")
    try:
        async for _ in agent("torn", ["half", ValueError("torn")]).run("go", stream=True):
            pass
    except ValueError as exc:
        count("agent", "torn", None, "error", error=str(exc))
        count("llm", "scripted", "torn", "error", error=str(exc))
        count("tool", "provider", "scripted")
    stream = agent("left", ["a", "b", "c"]).run("go", stream=True)
    async for _ in stream:
        break
    del stream
    gc.collect()
    count("agent", "left", None, "abandoned")
    count("llm", "scripted", "left", "abandoned")
    count("tool", "provider", "scripted")


class Upper(Executor):
    @handler
    async def shout(self, message: str, ctx: WorkflowContext[str]) -> None:
        hand("shouting")
        await ctx.send_message(message.upper())


class Last(Executor):
    @handler
    async def end(self, message: str, ctx: WorkflowContext[Never, str]) -> None:
        if message == "FAIL":
            raise ValueError("failed at last")
        if message == "ASK":
            await ctx.request_info("Really?", str)
        else:
            await ctx.yield_output(message)

    @response_handler
    async def answered(self, question: str, answer: str, ctx: WorkflowContext[Never, str]) -> None:
        await ctx.yield_output(answer)


def shouting() -> Workflow:
    first, last = Upper("upper"), Last("last")
    return WorkflowBuilder(name="shouting", start_executor=first).add_edge(first, last).build()


def counted_shouting(status: str = "ok", **more: Any) -> None:
    count("workflow", "shouting", None, status, **more)
    count("workflow", "upper", "shouting")
    count("tool", "shouting", "upper")
    count("workflow", "last", "shouting", status)


async def workflows() -> None:
    result = await shouting().run("hello")
    counted_shouting(result=result.get_outputs()[0], arguments="hello")
    async for _ in shouting().run("hi", stream=True):
        hand("consumer")
        count("tool", "consumer", None)
    counted_shouting(result="HI", arguments="hi")
    try:
        await shouting().run("fail")
    except ValueError as exc:
        counted_shouting("error", error=str(exc))
    asking = shouting()
    result = await asking.run("ask")
    counted_shouting(result=[], arguments="ask")
    (request,) = result.get_request_info_events()
    await asking.run(responses={request.request_id: "yes"})
    count("workflow", "shouting", None, result="yes")
    count("workflow", "last", "shouting")
    writer = agent("writer", "written")
    await WorkflowBuilder(name="writing", start_executor=writer).build().run("write")
    count("workflow", "writing", None)
    count("agent", "writer", "writing", result="written")
    counted("writer", 1)
    poet, critic = agent("poet", ["a ", "rhyme"]), agent("critic", ["fi", "ne"])
    reviewed = WorkflowBuilder(name="reviewed", start_executor=poet).add_edge(poet, critic).build()
    async for _ in reviewed.run("write", stream=True):
        pass
    count("workflow", "reviewed", None, result=["a rhyme", "fine"])
    for name, answer in (("poet", "a rhyme"), ("critic", "fine")):
        count("agent", name, "reviewed", result=answer)
        counted(name, 1)


async def everything() -> None:
    for work in (tools, cut, streams, workflows):
        await work()


async def brief() -> None:
    await agent("seen", "x").run("go")
    count("agent", "seen", None, result="x")
    counted("seen", 1)


conform({"all": lambda: counting(everything)}, lacking=(Executor, "execute"), brief=lambda: counting(brief))
