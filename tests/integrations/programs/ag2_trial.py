"""Agents and tools of AG2, over a loopback model."""

import asyncio
from typing import Any

from ag2 import Agent, TaskConfig
from ag2.config import OpenAIConfig
from ag2.tools import executor, tool
from conformance import conform
from hanging import given_up, hang
from ledger import count, counting, ledger
from models import Models, serving

_url: list[str] = []


def seen(what: Any) -> None:
    """Count what the program saw, which is no call."""
    ledger.append({"kind": "seen", "name": str(what)})


async def weather(city: str, days: int = 1) -> str:
    """Tell the weather."""
    return f"{days} days of sun in {city}"


def broken(city: str) -> str:
    """Fail, in a thread."""
    raise KeyError(f"no {city}")


@tool
def found(city: str) -> dict[str, str]:
    """Find a room."""
    return {"hotel": f"Casa {city}"}


async def hanging() -> str:
    """Wait for nothing."""
    await hang()
    return ""


async def again(call_next: Any, event: Any, context: Any) -> Any:
    """Call a tool twice."""
    await call_next(event, context)
    return await call_next(event, context)


@tool(middleware=[again])
def twice(city: str) -> str:
    """Be called twice."""
    return f"twice {city}"


def agent(name: str, *tools: Any, **more: Any) -> Agent:
    config = OpenAIConfig("gpt-4o", base_url=f"{_url[0]}/v1", api_key="sk-none", max_retries=0)
    return Agent(name, config=config, tools=tools, **more)


def called(times: int, parent: str) -> None:
    for _ in range(times):
        count("llm", "gpt-4o", parent)


OSLO, ROME, SUN = {"city": "Oslo", "days": 2}, {"city": "Rome"}, "2 days of sun in Oslo"
ASKED = '!call weather {"city": "Oslo", "days": 2}'


async def agents() -> None:
    asked = f'{ASKED}\n!call broken {{"city": "Rome"}}\n!call nobody {{"x": 1}}'
    reply = await agent("planner", weather, broken).ask(asked)
    seen(reply.body)
    count("agent", "planner", None, arguments=asked, result=reply.body)
    count("tool", "weather", "planner", arguments=OSLO, result=SUN)
    count("tool", "broken", "planner", "error", arguments=ROME, error=str(KeyError("no Rome")))
    count("tool", "nobody", "planner", "error", arguments={"x": 1})
    called(2, "planner")
    reply = await reply.ask("and then")
    seen(reply.body)
    count("agent", "planner", None, arguments="and then", result=reply.body)
    called(1, "planner")
    asked = '!call found {"city": "Oslo"}\n!call twice {"city": "Rome"}'
    async with agent("steps", found, twice).run(asked) as run:
        run.start()
        seen((await run.result()).body)
    count("agent", "steps", None, arguments=asked)
    count("tool", "found", "steps", arguments={"city": "Oslo"}, result={"hotel": "Casa Oslo"})
    for _ in range(2):
        count("tool", "twice", "steps", arguments=ROME, result="twice Rome")
    called(2, "steps")
    helper = agent("helper", weather).as_tool(description="Helps.", name="ask_helper")
    inner = '!call weather {\\"city\\": \\"Oslo\\", \\"days\\": 2}'
    seen((await agent("outer", helper).ask(f'!call ask_helper {{"objective": "{inner}"}}')).body)
    count("agent", "outer", None)
    count("tool", "ask_helper", "outer", arguments={"objective": ASKED}, result=f"told: {SUN}")
    count("agent", "helper", "ask_helper", arguments=ASKED, result=f"told: {SUN}")
    count("tool", "weather", "helper", arguments=OSLO, result=SUN)
    called(2, "helper")
    called(2, "outer")
    delegating = agent("delegating", weather, tasks=TaskConfig())
    seen((await delegating.ask(f'!call run_subtask {{"task": "{inner}"}}')).body)
    count("agent", "delegating", None, result=f"told: told: {SUN}")
    count("tool", "run_subtask", "delegating", arguments={"task": ASKED}, result=f"told: {SUN}")
    called(2, "delegating")
    count("agent", "subtask", "run_subtask", arguments=ASKED, result=f"told: {SUN}")
    count("tool", "weather", "subtask", arguments=OSLO, result=SUN)
    called(2, "subtask")
    try:
        await agent("refused").ask("\n!fail 400 9")
    except Exception as error:
        seen(type(error).__name__)
        count("agent", "refused", None, "error", arguments="\n!fail 400 9")
    count("llm", "gpt-4o", "refused", "error")


async def at_once() -> None:
    async def one(city: str) -> str | None:
        asked = f'!call weather {{"city": "{city}", "days": 2}}'
        body = (await agent(city, weather).ask(asked)).body
        count("agent", city, None, arguments=asked, result=body)
        count("tool", "weather", city, arguments={"city": city, "days": 2}, result=f"2 days of sun in {city}")
        called(2, city)
        return body

    seen(await asyncio.gather(one("Oslo"), one("Rome")))
    await given_up(agent("waiting", hanging).ask("!call hanging {}"))
    count("agent", "waiting", None, "cancelled")
    count("tool", "hanging", "waiting", "cancelled", arguments={})
    called(1, "waiting")


async def all_of_it() -> None:
    await agents()
    await at_once()


def everything(served: Models) -> list[dict[str, Any]]:
    _url[:] = [served.url]
    return counting(all_of_it)


async def survivor() -> None:
    await agent("survivor", weather).ask(ASKED)
    count("agent", "survivor", None, arguments=ASKED)
    count("tool", "weather", "survivor", arguments=OSLO, result=SUN)
    called(2, "survivor")


with serving() as models_served:
    conform(
        {"everything": lambda: everything(models_served)},
        lacking=(executor, "_execute_call"),
        brief=lambda: counting(survivor),
    )
