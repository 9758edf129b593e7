"""Agents of agno: tools that fail, change the session state and give generators, streams, a team, a workflow, MCP.

The model does what the last message of its user says, and tells what the tools gave.
"""

import asyncio
import json
import logging
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

os.environ["AGNO_TELEMETRY"] = "false"

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.knowledge.document import Document
from agno.knowledge.knowledge import Knowledge
from agno.models.openai import OpenAIChat
from agno.run import RunContext
from agno.team import Team
from agno.tools import tool
from agno.tools.function import ToolResult
from agno.tools.mcp import MCPTools
from agno.vectordb.base import VectorDb
from agno.workflow import Parallel, Step, StepInput, Workflow

IS_RECORDED = "REPLAYED" not in os.environ
# What a tool raises is logged with its own frames, which do not run in a replay.
logging.disable()
DESK = Path(__file__).with_name("replayed_desk.py")


def find(city: str, beds: int = 1) -> dict[str, Any]:
    """Find a room."""
    assert IS_RECORDED
    return {"hotel": f"Casa {city}", "beds": beds}


def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise ValueError(why)


def keep(run_context: RunContext, what: str) -> ToolResult:
    """Keep something in the session state, instead of what was there."""
    assert IS_RECORDED
    run_context.session_state["kept"] = [what]
    run_context.session_state.pop("first", None)
    return ToolResult(content=f"kept {what}")


attempts: list[str] = []


def flaky(city: str) -> str:
    """Fail once."""
    assert IS_RECORDED
    attempts.append(city)
    if len(attempts) == 1:
        raise ValueError(f"not yet in {city}")
    return f"at last in {city}"


def again(function: Any, args: dict[str, Any]) -> Any:
    """A hook that tries once more."""
    try:
        return function(**args)
    except ValueError:
        return function(**args)


async def wait(city: str) -> str:
    """Take a while."""
    assert IS_RECORDED
    await asyncio.sleep(0)
    return f"waited for {city}"


def words(city: str) -> Iterator[str]:
    """Tell it word by word."""
    assert IS_RECORDED
    yield "one "
    yield city


async def later(city: str) -> AsyncIterator[str]:
    """Tell it word by word, and fail."""
    assert IS_RECORDED
    yield "one "
    raise ValueError(f"no more of {city}")


@tool(requires_confirmation=True)
def book(city: str) -> str:
    """Book."""
    assert IS_RECORDED
    return f"booked {city}"


class Known(VectorDb):
    """Finds one document for everything."""

    def search(self, query: str, *_: Any, **__: Any) -> list[Document]:
        return [Document(content=f"\n!say known of {query}")]


for name in Known.__abstractmethods__:
    setattr(Known, name, lambda *_, **__: None)
Known.__abstractmethods__ = frozenset()


def agent(name: str, *tools: Any, **more: Any) -> Agent:
    model = OpenAIChat("gpt-4o", base_url=os.environ["OPENAI_BASE_URL"], api_key="k")
    return Agent(name=name, id=name, model=model, tools=list(tools), **more)


def call(tool: str, **arguments: Any) -> str:
    return f"!call {tool} {json.dumps(arguments)}"


def state_of(output: Any) -> Any:
    return {name: value for name, value in output.session_state.items() if not name.startswith("current_")}


planner = agent("planner", find, fail, keep, words)
asked = [call("find", city="Oslo", beds=2), call("fail", why="no such place"), call("find", town="Oslo")]
output = planner.run("\n".join([*asked, call("nobody", x=1)]))
print(output.content, [each.tool_call_error for each in output.tools])
output = planner.run("\n".join([call("keep", what="it"), call("words", city="Bern")]), session_state={"first": 1})
print(output.content, state_of(output))
hooked = agent("hooked", find, tool_hooks=[lambda name, args: f"{name} of a hook: {args}"])
print(hooked.run(call("find", city="Faro")).content)
print(agent("stubborn", flaky, tool_hooks=[again]).run(call("flaky", city="Faro")).content)
print([event.content for event in planner.run(call("find", city="Lima"), stream=True)])


async def at_once() -> None:
    both = (agent(name, find, wait, later) for name in ("left", "right"))
    asked = [call("find", city="Rome"), call("wait", city="Rome"), call("later", city="Rome")]
    outputs = await asyncio.gather(*(each.arun("\n".join([each.name, *asked])) for each in both))
    print([each.content for each in outputs])
    events = agent("streams", wait).arun(call("wait", city="Bonn"), stream=True)
    print([event.content async for event in events])
    async with MCPTools(f"{sys.executable} {DESK} ledger.txt desk") as desk:
        output = await agent("over_mcp", desk).arun("\n".join([call("weather", city="Oslo"), call("wipe")]))
        print(output.content)


asyncio.run(at_once())
asker = agent("asker", book, db=InMemoryDb())
output = asker.run(call("book", city="Oslo"))
for requirement in output.active_requirements:
    requirement.confirm()
print(asker.continue_run(run_id=output.run_id, session_id=output.session_id, requirements=output.requirements).content)
known = Knowledge(name="library", vector_db=Known())
print(agent("reader", knowledge=known, add_knowledge_to_context=True).run("cats").content)
print(agent("searcher", knowledge=known).run(call("search_knowledge_base", query="cats")).content)
helper = agent("helper", find, role="Helps.")
team = Team(name="team", id="team", members=[helper], model=agent("team").model)
delegated = call("delegate_task_to_member", member_id="helper", task=call("find", city="Bern"))
print(team.run(delegated).content)
print([type(event).__name__ for event in team.run(delegated, stream=True, stream_events=True)])


def note(step_input: StepInput) -> str:
    return f"noted {step_input.input}"


both = Parallel(Step(name="write", agent=agent("writer")), Step(name="draw", agent=agent("artist", find)), name="both")
flow = Workflow(name="flow", steps=[Step(name="note", executor=note), both])
print(flow.run(call("find", city="Nice")).content)
print(agent("lost").run("\n!fail 400 9").status)
