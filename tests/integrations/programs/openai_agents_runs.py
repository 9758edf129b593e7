"""Runs of openai-agents with a model of the program's own; counts its own calls."""

import asyncio
import json
from collections.abc import AsyncIterator
from importlib.metadata import version
from typing import Any

from agents import (
    Agent,
    GuardrailFunctionOutput,
    InputGuardrailTripwireTriggered,
    Model,
    ModelResponse,
    ModelSettings,
    RunConfig,
    Runner,
    SQLiteSession,
    ToolGuardrailFunctionOutput,
    Usage,
    function_tool,
    input_guardrail,
    set_trace_processors,
    set_tracing_disabled,
    tool_input_guardrail,
    trace,
)
from agents.mcp import MCPServer
from agents.run_internal.tool_execution import _FunctionToolBatchExecutor
from conformance import conform
from hanging import given_up, hang, until_it_hangs
from ledger import count, counted, counting, hand
from mcp.types import CallToolResult, TextContent, Tool
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseCreatedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

# Nothing is to be sent anywhere; what a program has for processors is its own.
set_trace_processors([])


def text(said: str) -> list[Any]:
    content = ResponseOutputText(text=said, type="output_text", annotations=[])
    return [ResponseOutputMessage(id="m", content=[content], role="assistant", status="completed", type="message")]


def asks(*calls: tuple[str, dict[str, Any], str]) -> list[Any]:
    return [
        ResponseFunctionToolCall(name=name, arguments=json.dumps(args), call_id=call_id, type="function_call")
        for name, args, call_id in calls
    ]


class Scripted(Model):
    """Says what it was made to say."""

    def __init__(self, *script: Any) -> None:
        self.model = "scripted"
        self.script = list(script)

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        hand("provider")
        said = self.script.pop(0)
        if said is None:
            await hang()
        if isinstance(said, Exception):
            raise said
        output = text(said) if isinstance(said, str) else said
        return ModelResponse(output=output, usage=Usage(requests=1, input_tokens=11, output_tokens=7), response_id="r")

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        answer = await self.get_response(*args, **kwargs)
        response = Response(
            id="r",
            created_at=0,
            model="scripted",
            object="response",
            output=answer.output,
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=True,
            usage=ResponseUsage(
                input_tokens=11,
                output_tokens=7,
                total_tokens=18,
                input_tokens_details=InputTokensDetails(cached_tokens=0, cache_write_tokens=0),
                output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
            ),
        )
        yield ResponseCreatedEvent(response=response, type="response.created", sequence_number=0)
        if self.script and isinstance(self.script[0], Exception):
            raise self.script.pop(0)
        yield ResponseCompletedEvent(response=response, type="response.completed", sequence_number=1)


def agent(name: str, *script: Any, **more: Any) -> Agent[None]:
    return Agent(name=name, model=Scripted(*script), model_settings=ModelSettings(temperature=0.5), **more)


async def tools(**config: Any) -> None:
    both = asyncio.Barrier(2)

    @function_tool
    async def add(a: int, b: int) -> int:
        await both.wait()
        hand(f"by hand {a}")
        count("tool", f"by hand {a}", "add")
        count("tool", "add", "planner", arguments={"a": a, "b": b}, result=a + b)
        return a + b

    @function_tool
    def fail(why: str) -> str:
        count("tool", "fail", "planner", "error", arguments={"why": why}, error=why)
        raise RuntimeError(why)

    @function_tool(failure_error_function=None)
    def crash(why: str) -> str:
        count("tool", "crash", "planner", "error", arguments={"why": why}, error=why)
        raise RuntimeError(why)

    @function_tool(timeout=0.01)
    async def dawdle() -> str:
        count("tool", "dawdle", "planner", "error", error="Tool 'dawdle' timed out after 0.01 seconds.")
        await hang()
        return "never"

    @tool_input_guardrail
    def fenced(_: Any) -> ToolGuardrailFunctionOutput:
        return ToolGuardrailFunctionOutput.reject_content("not here")

    @function_tool(tool_input_guardrails=[fenced])
    def dig() -> str:
        raise AssertionError

    count("tool", "dig", "planner", "denied", error="not here", result=None)
    researcher = agent("researcher", "found")
    planner = agent(
        "planner",
        asks(("add", {"a": 1, "b": 2}, "c1"), ("add", {"a": 3, "b": 4}, "c2")),
        asks(("research", {"input": "hooks"}, "c3")),
        asks(("fail", {"why": "no such place"}, "c4")),
        asks(("dawdle", {}, "c5"), ("dig", {}, "c7")),
        asks(("crash", {"why": "at last"}, "c6")),
        instructions="Plan.",
        tools=[add, fail, crash, dawdle, dig, researcher.as_tool("research", "Ask another agent.")],
    )
    name = "trip"
    try:
        await Runner.run(planner, "plan", run_config=RunConfig(workflow_name=name, group_id="trip-42", **config))
    except Exception as exc:
        count("workflow", name, None, "error", error=str(exc))
        count("agent", "planner", name, "error", error=str(exc))
    count("tool", "research", "planner", arguments={"input": "hooks"}, result="found")
    count("agent", "researcher", "research", result="found", arguments="hooks")
    counted("researcher", 1, result="found")
    counted("planner", 5)


class Desk(MCPServer):
    """A server without a connection, whose tool says that it failed, or what it was asked."""

    name = "desk"

    async def connect(self) -> None: ...

    async def cleanup(self) -> None: ...

    async def list_prompts(self) -> Any: ...

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> Any: ...

    async def list_tools(self, *_: Any) -> list[Tool]:
        return [Tool.model_validate({"name": "stamp", "inputSchema": {"type": "object", "properties": {}}})]

    async def call_tool(self, tool_name: str, arguments: dict[str, Any] | None, *_: Any) -> CallToolResult:
        is_error = "fails" in (arguments or {})
        content = [TextContent(type="text", text="no ink" if is_error else "stamped")]
        return CallToolResult.model_validate({"content": content, "isError": is_error})


async def servers() -> None:
    script = asks(("stamp", {"fails": 1}, "c1")), asks(("stamp", {"on": "a letter"}, "c2")), "done"
    await Runner.run(agent("clerk", *script, mcp_servers=[Desk()]), "stamp it")
    count("workflow", "Agent workflow", None, arguments="stamp it", result="done")
    count("agent", "clerk", "Agent workflow", result="done")
    counted("clerk", 3)
    count("tool", "stamp", "clerk", "error", arguments={"fails": 1}, error="no ink")
    count("tool", "stamp", "clerk", arguments={"on": "a letter"}, result={"type": "text", "text": "stamped"})


async def stops() -> None:
    @function_tool
    def weigh(on: str) -> str:
        count("tool", "weigh", "scale", result=f"3 kg {on}")
        return f"3 kg {on}"

    def scale() -> Agent[None]:
        said = [*text("let me see"), *asks(("weigh", {"on": "it"}, "c1"))]
        return agent("scale", said, tools=[weigh], tool_use_behavior="stop_on_first_tool")

    result = await Runner.run(scale(), "weigh")
    streamed = Runner.run_streamed(scale(), "weigh")
    async for _ in streamed.stream_events():
        pass
    for answer in (result.final_output, streamed.final_output):
        count("workflow", "Agent workflow", None, arguments="weigh", result=answer)
        count("agent", "scale", "Agent workflow", result="3 kg it")
        counted("scale", 1)


async def handoffs() -> None:
    billing = agent("billing", "paid")
    triage = agent("triage", asks(("transfer_to_billing", {}, "c1")), handoffs=[billing])
    result = await Runner.run(triage, "pay", session=SQLiteSession("trip-43"))
    count("workflow", "Agent workflow", None, result=result.final_output, arguments="pay")
    count("agent", "triage", "Agent workflow", arguments="pay")
    count("tool", "transfer_to_billing", "triage", arguments={}, result={"to_agent": "billing"})
    count("agent", "billing", "Agent workflow", result="paid", arguments=None)
    counted("triage", 1)
    counted("billing", 1, result="paid")

    @input_guardrail
    async def polite(_: Any, __: Any, given: Any) -> GuardrailFunctionOutput:
        await until_it_hangs()
        hand("judge")
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    guarded = agent("guarded", None, input_guardrails=[polite])
    try:
        await Runner.run(guarded, "rude")
    except InputGuardrailTripwireTriggered:
        count("workflow", "Agent workflow", None, "error")
        count("agent", "guarded", "Agent workflow", "error")
    count("tool", "polite", "guarded", result={"triggered": True})
    count("tool", "judge", "polite")
    count("llm", "scripted", "guarded", "cancelled")
    count("tool", "provider", "scripted")


async def cut() -> None:
    await given_up(Runner.run(agent("hangs", None), "never"))
    count("workflow", "Agent workflow", None, "cancelled")
    count("agent", "hangs", "Agent workflow", "cancelled")
    count("llm", "scripted", "hangs", "cancelled")
    count("tool", "provider", "scripted")
    with trace("two runs"):
        await Runner.run(agent("one", "1"), "a")
        await Runner.run(agent("two", "2"), "b")
    count("workflow", "two runs", None)
    count("agent", "one", "two runs", arguments="a", result="1")
    count("agent", "two", "two runs", arguments="b", result="2")
    counted("one", 1)
    counted("two", 1)


async def streams(**config: Any) -> None:
    @function_tool
    def look() -> str:
        hand("eye")
        return "seen"

    whole = agent("whole", asks(("look", {}, "c1")), "said", tools=[look])
    result = Runner.run_streamed(whole, "go", run_config=RunConfig(workflow_name="streamed", **config))
    async for _ in result.stream_events():
        hand("consumer")
        count("tool", "consumer", None)
    count("workflow", "streamed", None, result=result.final_output, arguments="go")
    count("agent", "whole", "streamed", result="said")
    count("tool", "look", "whole", result="seen")
    count("tool", "eye", "look")
    counted("whole", 2)
    torn = agent("torn", "half", ValueError("torn"))
    result = Runner.run_streamed(torn, "go", run_config=RunConfig(workflow_name="torn apart", **config))
    try:
        async for _ in result.stream_events():
            pass
    except ValueError as exc:
        count("workflow", "torn apart", None, "error", error=str(exc))
        count("agent", "torn", "torn apart", "error", error=str(exc))
        count("llm", "scripted", "torn", "error", error=str(exc))
        count("tool", "provider", "scripted")


async def left() -> None:
    result = Runner.run_streamed(agent("left", None), "go", run_config=RunConfig(workflow_name="given up"))
    events = result.stream_events()
    await anext(events)
    await until_it_hangs()
    result.cancel()
    async for _ in events:
        pass
    count("workflow", "given up", None, "cancelled")
    count("agent", "left", "given up", "cancelled")
    count("llm", "scripted", "left", "cancelled")
    count("tool", "provider", "scripted")


async def approvals() -> None:
    @function_tool(needs_approval=True)
    def pay(amount: int) -> str:
        hand("till")
        count("tool", "till", "pay")
        # The span of the agent that is resumed begins after it in the oldest version.
        parent = "asks first" if version("openai-agents").startswith("0.14.") else "careful"
        count("tool", "pay", parent, arguments={"amount": amount}, result="paid")
        return "paid"

    asked = asks(("pay", {"amount": 3}, "c1"), ("pay", {"amount": 4}, "c2"))
    careful = agent("careful", asked, "done", tools=[pay])
    config = RunConfig(workflow_name="asks first")
    result = await Runner.run(careful, "pay", run_config=config)
    for each in result.interruptions:
        count("tool", "pay", "careful", "cancelled", arguments=json.loads(each.raw_item.arguments))
    count("workflow", "asks first", None, arguments="pay", result=result.final_output)
    count("agent", "careful", "asks first", arguments="pay")
    state = result.to_state()
    approved, rejected = result.interruptions
    state.approve(approved)
    state.reject(rejected)
    result = await Runner.run(careful, state, run_config=config)
    count("workflow", "asks first", None, result=result.final_output)
    count("agent", "careful", "asks first", result="done")
    counted("careful", 2)


async def everything() -> None:
    set_tracing_disabled(False)
    for work in (tools, servers, stops, handoffs, cut, streams, left, approvals):
        await work()


async def untraced() -> None:
    await tools(tracing_disabled=True)
    await streams(tracing_disabled=True)
    set_tracing_disabled(True)
    await tools()
    await streams()


async def brief() -> None:
    set_tracing_disabled(False)
    await Runner.run(agent("seen", "x"), "go")
    count("workflow", "Agent workflow", None)
    count("agent", "seen", "Agent workflow")
    counted("seen", 1)


conform(
    {"all": lambda: counting(everything), "untraced": lambda: counting(untraced)},
    lacking=(_FunctionToolBatchExecutor, "_run_single_tool"),
    brief=lambda: counting(brief),
)
