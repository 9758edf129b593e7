"""Google ADK over Gemini: tools that return, fail, write state, save, transfer and end a loop; agents as tools."""

import asyncio
import os
import sys
from typing import Any

if os.environ.get("BY") == "httpx":
    # Where there is no aiohttp, google-genai does without.
    sys.modules["aiohttp"] = None

from google.adk.agents import LlmAgent, LoopAgent, ParallelAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, FunctionTool, ToolContext, exit_loop
from google.genai import types

IS_RECORDED = "REPLAYED" not in os.environ
BASE = os.environ["OPENAI_BASE_URL"].removesuffix("/v1")
os.environ["GOOGLE_API_KEY"] = "planted"


def find(city: str, beds: int = 1) -> dict[str, Any]:
    """Find a room."""
    assert IS_RECORDED
    return {"hotel": f"Casa {city}", "beds": beds}


async def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise KeyError(why)


async def remember(city: str, tool_context: ToolContext) -> str:
    """Write into the state of the session, and save an artifact."""
    assert IS_RECORDED
    tool_context.state["city"] = city
    tool_context.state["user:visits"] = tool_context.state.get("user:visits", 0) + 1
    await tool_context.save_artifact("note.txt", types.Part.from_bytes(data=city.encode(), mime_type="text/plain"))
    return "noted"


def answer(text: str, tool_context: ToolContext) -> dict[str, str]:
    """Say something that no model is to sum up."""
    assert IS_RECORDED
    tool_context.actions.skip_summarization = True
    return {"said": text}


def pay(amount: int) -> str:
    """Pay, if a person confirms it."""
    assert IS_RECORDED
    return f"paid {amount}"


def visit(place: str, tool_context: ToolContext) -> str:
    """Ask a person, then go."""
    assert IS_RECORDED
    if tool_context.tool_confirmation is None:
        tool_context.request_confirmation(hint="Really?")
        return "asked"
    return f"went to {place}: {tool_context.tool_confirmation.confirmed}"


def quote(item: str) -> dict[str, Any]:
    """Name a price; a callback knows it already."""
    raise AssertionError


def known(tool: Any, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
    if tool.name != "quote":
        return None
    tool_context.state["quoted"] = args["item"]
    return {"price": len(args["item"])}


def agents() -> dict[str, Any]:
    model = Gemini(model="gemini-3-flash", base_url=BASE)
    guide = LlmAgent(name="guide", model=model, description="knows the city", instruction="The city is {city?}.")
    specialist = LlmAgent(name="specialist", model=model, description="knows more", instruction="Be brief.")
    planner = LlmAgent(
        name="planner",
        model=model,
        instruction="Plan. The city is {city?}.",
        tools=[find, fail, remember, answer, quote, AgentTool(guide)],
        before_tool_callback=known,
        sub_agents=[specialist],
    )
    loop = LoopAgent(name="loop", max_iterations=3, sub_agents=[LlmAgent(name="one", model=model, tools=[exit_loop])])
    both = ParallelAgent(name="both", sub_agents=[LlmAgent(name=name, model=model) for name in ("left", "right")])
    sure = LlmAgent(name="sure", model=model, tools=[FunctionTool(pay, require_confirmation=True), visit])
    return {"planner": planner, "sure": sure, "loop": loop, "both": both}


SLOWLY = "slowly now"
CONFIRMED, REJECTED = "confirmed", "rejected"
QUESTIONS = {
    "planner": (
        '!call find {"city": "Oslo"}\n!call find {"city": "Rome", "beds": 2}',
        '!call remember {"city": "Bergen"}',
        "where are we",
        '!call quote {"item": "tent"}',
        '!call answer {"text": "done"}',
        '!call guide {"request": "please"}',
        "!fail 400 9",
        SLOWLY,
        '!call fail {"why": "no such place"}',
        '!call transfer_to_agent {"agent_name": "specialist"}',
    ),
    "sure": (
        '!call pay {"amount": 5}',
        CONFIRMED,
        '!call pay {"amount": 6}',
        REJECTED,
        '!call visit {"place": "b"}',
        CONFIRMED,
    ),
    "loop": ("!call exit_loop {}",),
    "both": ("at once", SLOWLY),
}


async def confirmation(runner: InMemoryRunner, session: str, *, is_sure: bool) -> types.Content:
    kept = await runner.session_service.get_session(app_name=runner.app_name, user_id="u", session_id=session)
    calls = [call for event in kept.events for call in event.get_function_calls()]
    asked = [call for call in calls if call.name == "adk_request_confirmation"][-1]
    given = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": is_sure})
    return types.Content(role="user", parts=[types.Part(function_response=given)])


async def ask(runner: InMemoryRunner, session: str, question: str, mode: StreamingMode) -> None:
    said: list[Any] = []
    message = types.Content(role="user", parts=[types.Part(text=question)])
    if question in (CONFIRMED, REJECTED):
        message = await confirmation(runner, session, is_sure=question == CONFIRMED)
    try:
        async for event in runner.run_async(
            user_id="u", session_id=session, new_message=message, run_config=RunConfig(streaming_mode=mode)
        ):
            for part in event.content.parts if event.content else ():
                given = part.function_response.response if part.function_response else None
                said.append([event.author, bool(event.partial), part.text, given])
    except Exception as error:  # noqa: BLE001
        said.append(type(error).__name__)
    print(*(sorted(said, key=repr) if runner.app_name == "both" else said))


async def main() -> None:
    for name, agent in agents().items():
        runner = InMemoryRunner(agent, app_name=name)
        session = await runner.session_service.create_session(app_name=name, user_id="u")
        for question in QUESTIONS[name]:
            streaming = StreamingMode.SSE if question == SLOWLY else StreamingMode.NONE
            await ask(runner, session.id, question, streaming)
        kept = await runner.session_service.get_session(app_name=name, user_id="u", session_id=session.id)
        of_session = {"app_name": name, "user_id": "u", "session_id": session.id}
        note = await runner.artifact_service.load_artifact(filename="note.txt", **of_session)
        print(sorted(kept.state.items()), note and note.inline_data.data)


asyncio.run(main())
