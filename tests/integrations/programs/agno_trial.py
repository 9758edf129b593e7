"""Agents, teams, workflows, tools and models of agno, over a model of the program and a loopback model."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

os.environ["AGNO_TELEMETRY"] = "false"

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.exceptions import StopAgentRun
from agno.knowledge.document import Document
from agno.knowledge.knowledge import Knowledge
from agno.models.openai import OpenAIChat
from agno.run import RunContext
from agno.run.cancel import cancel_run
from agno.team import Team
from agno.tools import tool
from agno.tools.function import Function, FunctionCall
from agno.vectordb.base import VectorDb
from agno.workflow import Condition, Loop, Parallel, Router, Step, StepInput, StepOutput, Steps, Workflow
from agno_scripted import Scripted
from conformance import conform
from hanging import hang, until_it_hangs
from ledger import count, ledger
from models import Models, serving

KEY = "sk-planted-0123456789abcdef0123456789abcdef"


def seen(what: Any) -> None:
    """Count what the program saw, which is no call."""
    ledger.append({"kind": "seen", "name": str(what)})


def weather(city: str, days: int = 1) -> str:
    """Tell the weather."""
    return f"{days} days of sun in {city}"


def broken(city: str) -> str:
    """Fail."""
    raise KeyError(f"no {city}")


async def slow(city: str) -> str:
    """Take a while."""
    await asyncio.sleep(0)
    return f"slow {city}"


def keep(run_context: RunContext, what: str) -> str:
    """Keep something in the session state."""
    run_context.session_state["kept"] = what
    return f"kept {what}"


def words(city: str) -> Iterator[str]:
    """Tell it word by word."""
    yield "one "
    yield city


async def later(city: str) -> AsyncIterator[str]:
    """Tell it word by word, and fail."""
    yield "one "
    raise ValueError(f"no more of {city}")


async def hanging() -> str:
    """Wait for nothing."""
    await hang()
    return ""


def stop() -> str:
    """Stop the agent."""
    raise StopAgentRun("enough")


def noting(name: str, function: Any, args: dict[str, Any], run_context: RunContext) -> Any:
    """A hook of the program around each tool."""
    result = function(**args)
    return f"{result}!" if isinstance(result, str) else result


class Counted(Function):
    """A tool of a class of the program, which counts its calls."""

    _calls: int = 0


def once(fc: Any) -> None:
    """A hook of the program that changes the tool it is called for."""
    fc.function.stop_after_tool_call = True
    fc.function._calls += 1


def last(city: str) -> str:
    """Be the last."""
    return f"last {city}"


def agent(name: str, *answers: Any, tools: Any = (), parent: str | None = None, **more: Any) -> Agent:
    script = Scripted(parent=parent or name, answers=list(answers))
    return Agent(name=name, id=name, model=script, tools=list(tools), **more)


def agents() -> None:
    sunny = ("weather", {"city": "Oslo", "days": 2})
    called = (sunny, ("broken", {"city": "Rome"}), ("nobody", {"x": 1}), ("weather", [1]))
    more = (("keep", {"what": "it"}), ("words", {"city": "Bern"}))
    planner = agent("planner", called, more, "done", tools=[weather, broken, keep, words], role="Plans.")
    output = planner.run("plan", session_id="s1")
    seen([output.content, output.status, output.session_state["kept"], [each.result for each in output.tools]])
    count("agent", "planner", None, arguments="plan", result="done")
    count("tool", "weather", "planner", arguments={"city": "Oslo", "days": 2}, result="2 days of sun in Oslo")
    count("tool", "broken", "planner", "error", arguments={"city": "Rome"}, error="'no Rome'")
    count("tool", "nobody", "planner", "error", arguments={"x": 1}, error="no such tool")
    unread = "Function arguments are not a valid JSON object.\n\n Please fix and retry."
    count("tool", "weather", "planner", "error", arguments=[1], error=unread)
    count("tool", "keep", "planner", arguments={"what": "it"}, result="kept it")
    count("tool", "words", "planner", arguments={"city": "Bern"}, result="one Bern")
    hooked = agent("hooked", (("weather", {"city": "Lima"}), ("stop", {})), tools=[weather, stop], tool_hooks=[noting])
    seen(hooked.run("go").content)
    count("agent", "hooked", None, arguments="go")
    count("tool", "weather", "hooked", arguments={"city": "Lima"}, result="1 days of sun in Lima!")
    count("tool", "stop", "hooked", "error", arguments={}, error="enough")
    city = {"type": "object", "properties": {"city": {"type": "string"}}}
    counted = Counted(name="last", entrypoint=last, pre_hook=once, parameters=city)
    requested = FunctionCall(function=counted, arguments={"city": "Oslo"}, call_id="c1")
    seen([requested.execute().result, counted.stop_after_tool_call, counted._calls])
    count("tool", "last", None, arguments={"city": "Oslo"}, result="last Oslo")
    seen(agent("stopping", (("last", {"city": "Oslo"}),), "never", tools=[counted]).run("go").content)
    count("agent", "stopping", None, arguments="go")
    count("tool", "last", "stopping", arguments={"city": "Oslo"}, result="last Oslo")
    lost = agent("lost", OSError("no model"))
    output = lost.run("try")
    seen([output.status, output.content])
    count("agent", "lost", None, "error", arguments="try", error="no model")
    try:
        lost.continue_run()
    except ValueError as error:
        count("agent", "lost", None, "error", error=str(error))


async def at_once() -> None:
    """Agents in one loop, with tools that run side by side."""
    calls = tuple((name, {"city": "Oslo"}) for name in ("weather", "slow", "broken", "words", "later"))
    names = ("left", "right")
    tools = [weather, slow, broken, words, later]
    outputs = await asyncio.gather(*(agent(name, calls, "done", tools=tools).arun(name) for name in names))
    seen([[each.content, [tool.result for tool in each.tools]] for each in outputs])
    for name in names:
        count("agent", name, None, arguments=name, result="done")
        count("tool", "weather", name, arguments={"city": "Oslo"}, result="1 days of sun in Oslo")
        count("tool", "slow", name, arguments={"city": "Oslo"}, result="slow Oslo")
        count("tool", "broken", name, "error", arguments={"city": "Oslo"}, error="'no Oslo'")
        count("tool", "words", name, arguments={"city": "Oslo"}, result="one Oslo")
        count("tool", "later", name, "error", arguments={"city": "Oslo"}, error="no more of Oslo")
    task = asyncio.create_task(agent("patient", (("hanging", {}),), tools=[hanging]).arun("wait"))
    await until_it_hangs()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        count("agent", "patient", None, "cancelled", arguments="wait")
        count("tool", "hanging", "patient", "cancelled", arguments={})


def kinds(events: Any) -> list[str]:
    return [type(event).__name__ for event in events]


def streams() -> None:
    for more in ({}, {"stream_events": True}):
        seen(kinds(agent("streams", "one two").run("tell", stream=True, **more)))
        count("agent", "streams", None, arguments="tell", result="one two ")
    tools = agent("asks", (("weather", {"city": "Oslo"}),), "sun", tools=[weather], stream=True)
    seen(kinds(tools.run("ask")))
    count("agent", "asks", None, arguments="ask", result="sun ")
    count("tool", "weather", "asks", result="1 days of sun in Oslo")
    for name, status in (("close", "closed"), ("drop", "abandoned")):
        events = agent(name, "never more than this").run("tell", stream=True)
        seen([next(events).content, events.__name__])
        if name == "close":
            events.close()
        del events
        count("agent", name, None, status, arguments="tell")
        # Closed by agno's own generator either way.
        count("llm", "scripted-1", name, "closed", result="never ")


async def async_streams() -> None:
    events = [
        event
        async for event in agent("streams", (("slow", {"city": "Oslo"}),), "one", tools=[slow]).arun(
            "tell", stream=True
        )
    ]
    seen(kinds(events))
    count("agent", "streams", None, arguments="tell", result="one ")
    count("tool", "slow", "streams", result="slow Oslo")
    async with aclosing(agent("aclose", "never more than this").arun("tell", stream=True)) as left:
        seen((await anext(left)).content)
    count("agent", "aclose", None, "closed", arguments="tell")
    # The event loop closes what agno drops, maybe once the program has ended.
    count("llm", "scripted-1", "aclose", "abandoned")
    failing = agent("lost", OSError("no stream"))
    seen(kinds([event async for event in failing.arun("tell", stream=True)]))
    count("agent", "lost", None, "error", arguments="tell", error="no stream")


def people() -> None:
    """An agent that waits for a person, one that is cancelled."""

    @tool(requires_confirmation=True)
    def book(city: str) -> str:
        """Book."""
        return f"booked {city}"

    asker = agent("asker", (("book", {"city": "Oslo"}),), "thanks", tools=[book], db=InMemoryDb())
    output = asker.run("book it")
    seen(output.status)
    count("agent", "asker", None, "cancelled", arguments="book it")
    for requirement in output.active_requirements:
        requirement.confirm()
    output = asker.continue_run(run_id=output.run_id, session_id=output.session_id, requirements=output.requirements)
    seen([output.status, output.content])
    count("agent", "asker", None, result="thanks")
    count("tool", "book", "asker", arguments={"city": "Oslo"}, result="booked Oslo")

    def give_up(run_context: RunContext) -> str:
        """Cancel the run."""
        cancel_run(run_context.run_id)
        return "ok"

    output = agent("stopped", (("give_up", {}),), "never", tools=[give_up]).run("go")
    seen(output.status)
    count("agent", "stopped", None, "cancelled", arguments="go")
    count("tool", "give_up", "stopped", result="ok")


class Known(VectorDb):
    """Finds one document for everything."""

    def search(self, query: str, *_: Any, **__: Any) -> list[Document]:
        return [Document(content=f"known of {query}", meta_data={"of": query})]

    async def async_search(self, *args: Any, **kwargs: Any) -> list[Document]:
        return self.search(*args, **kwargs)


for name in Known.__abstractmethods__:
    setattr(Known, name, lambda *_, **__: None)
Known.__abstractmethods__ = frozenset()


def knowing() -> None:
    """Agents that are given what is known before they are asked, or ask for it by a tool."""
    known = Knowledge(name="library", vector_db=Known())
    more = {"add_knowledge_to_context": True, "search_knowledge": False}
    seen(agent("reader", "read", knowledge=known, **more).run("cats").content)
    seen(asyncio.run(agent("reader", "read", knowledge=known, **more).arun("cats")).content)
    found = [{"text": "known of cats", "metadata": {"of": "cats"}}]
    for _ in range(2):
        count("agent", "reader", None, arguments="cats", result="read")
        count("tool", "library", "reader", arguments={"query": "cats"}, result=found)
    searching = agent("searcher", (("search_knowledge_base", {"query": "cats"}),), "done", knowledge=known)
    seen(searching.run("look").content)
    count("agent", "searcher", None, arguments="look", result="done")
    count("tool", "search_knowledge_base", "searcher", arguments={"query": "cats"})
    count("tool", "library", "search_knowledge_base", arguments={"query": "cats"}, result=found)


DELEGATE = (("delegate_task_to_member", {"member_id": "helper", "task": "help"}),)


def team(name: str) -> Team:
    helper = agent("helper", (("weather", {"city": "Bern"}),), "sun", tools=[weather], role="Helps.")
    script = Scripted(parent=name, answers=[DELEGATE, "told"])
    return Team(name=name, id=name, members=[helper], model=script)


def delegated(name: str, result: str, told: str) -> None:
    count("agent", name, None, arguments="lead", result=result)
    count("tool", "delegate_task_to_member", name, result=told)
    count("agent", "helper", "delegate_task_to_member", arguments="help", result=told)
    count("tool", "weather", "helper", arguments={"city": "Bern"}, result="1 days of sun in Bern")


def teams() -> None:
    seen(team("team").run("lead").content)
    delegated("team", "told", "sun")
    seen(kinds(team("streaming").run("lead", stream=True, stream_events=True)))
    delegated("streaming", "told ", "sun ")
    seen(asyncio.run(team("later").arun("lead")).content)
    delegated("later", "told", "sun")
    failing = team("failing")
    failing.model.answers = [ConnectionError("no leader")]
    seen(failing.run("lead").status)
    count("agent", "failing", None, "error", arguments="lead", error="no leader")


def note(step_input: StepInput) -> StepOutput:
    return StepOutput(content=f"noted {step_input.previous_step_content or step_input.input}")


def fail(step_input: StepInput) -> StepOutput:
    raise ValueError(f"no {step_input.input}")


def flow() -> Workflow:
    return Workflow(
        name="flow",
        steps=[
            note,
            Parallel(Step(name="write", agent=agent("writer", "text")), Step(name="draw", executor=note), name="both"),
            Condition(name="if", evaluator=lambda _: True, steps=[Step(name="then", executor=note)]),
            Loop(name="again", max_iterations=2, steps=[Step(name="turn", executor=note)]),
            Router(name="which", choices=[Step(name="this", executor=note)], selector=lambda _: "this"),
            Steps(name="all", steps=[Step(name="last", executor=note)]),
            Step(name="lenient", executor=fail, skip_on_failure=True, max_retries=0),
        ],
    )


def flowed(word: str = "text") -> None:
    count("workflow", "flow", None, arguments="it")
    count("workflow", "note", "flow", arguments="it", result="noted it")
    count("workflow", "both", "flow", arguments={"input": "it", "previous_step_content": "noted it"})
    count("workflow", "write", "both", result=word)
    count("agent", "writer", "write", result=word)
    count("workflow", "draw", "both", result="noted noted it")
    for outer, inner in (("if", "then"), ("again", "turn"), ("again", "turn"), ("which", "this"), ("all", "last")):
        count("workflow", inner, outer)
    for name in ("if", "again", "which", "all"):
        count("workflow", name, "flow")
    count("workflow", "lenient", "flow", "error", error="no it")


async def flow_by_parts() -> None:
    seen(sorted(kinds([event async for event in flow().arun("it", stream=True)])))


def workflows() -> None:
    seen(flow().run("it").content)
    flowed()
    seen(sorted(kinds(flow().run("it", stream=True))))
    flowed("text ")
    seen(asyncio.run(flow().arun("it")).content)
    flowed()
    asyncio.run(flow_by_parts())
    flowed("text ")
    lenient = Workflow(name="lenient", steps=[Step(name="fail", executor=fail, max_retries=0)])
    seen(lenient.run("it").content)
    count("workflow", "lenient", None, arguments="it", result="Step skipped due to error: no it")
    count("workflow", "fail", "lenient", "error", arguments="it", error="no it")


async def clients(models: Models) -> None:
    """Models whose clients are recorded themselves."""

    def over() -> OpenAIChat:
        return OpenAIChat("gpt-4o", base_url=f"{models.url}/v1", api_key=KEY)

    asked = '!call weather {"city": "Oslo"}'
    for way in ("run", "arun", "stream", "astream"):
        client = Agent(name=way, model=over(), tools=[weather])
        if way == "run":
            seen(client.run(asked).content)
        elif way == "arun":
            seen((await client.arun(asked)).content)
        elif way == "stream":
            seen(kinds(client.run(asked, stream=True)))
        else:
            seen(kinds([event async for event in client.arun(asked, stream=True)]))
        count("agent", way, None, arguments=asked, result="told: 1 days of sun in Oslo")
        count("tool", "weather", way, arguments={"city": "Oslo"}, result="1 days of sun in Oslo")
        count("llm", "gpt-4o", way, result="")
        count("llm", "gpt-4o", way, result="told: 1 days of sun in Oslo")
    output = Agent(name="refused", model=over()).run("\n!fail 400 9")
    seen([output.status, output.content])
    count("agent", "refused", None, "error", error=output.content)
    count("llm", "gpt-4o", "refused", "error")


def everything(models: Models) -> list[dict[str, Any]]:
    ledger.clear()
    agents()
    asyncio.run(at_once())
    streams()
    asyncio.run(async_streams())
    people()
    knowing()
    teams()
    workflows()
    asyncio.run(clients(models))
    return ledger


def brief() -> list[dict[str, Any]]:
    ledger.clear()
    agent("survivor", "done").run("go")
    count("agent", "survivor", None, result="done")
    return ledger


with serving() as served:
    conform({"everything": lambda: everything(served)}, lacking=(Agent, "acontinue_run"), brief=brief)
