"""CrewAI over a loopback model and one of the program's own: crews, flows, tools, failures and cancelled work.

Runs twice in one process, recorded and then without the inspector, and once more, briefly, with a method missing, as in
a version that nobody has tested.
"""

import asyncio
import os
import threading
from typing import Any

os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_TRACKING": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_TESTING": "true",
    "OTEL_SDK_DISABLED": "true",
}
from conformance import conform, failed
from crewai import LLM, Agent, BaseLLM, Crew, Task
from crewai.events.event_bus import CrewAIEventsBus
from crewai.flow.flow import Flow, listen, start
from crewai.tools import tool
from models import serving

KEY = "sk-planted-0123456789abcdef0123456789abcdef"


class Trial:
    """One run, its ledger, and what its tools wait for."""

    def __init__(self) -> None:
        self.ledger: list[dict] = []
        self.both_in = threading.Barrier(2)

    def note(self, kind: str, name: str, **facts: object) -> None:
        failed()
        self.ledger.append({"kind": kind, "name": name, **facts})


class Own(BaseLLM):
    """A model of the program's own, which CrewAI has no events for."""

    trial: Any = None
    reached: Any = None
    go_on: Any = None

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        if self.reached is not None:
            self.reached()
            self.go_on.wait(10)
        asked = messages if isinstance(messages, str) else messages[-1]["content"]
        if "!raise" in asked:
            self.trial.note("llm_generate", self.model, error="the model is down")
            raise RuntimeError("the model is down")
        self.trial.note("llm_generate", self.model, error=None)
        return "Thought: I now can give a great answer\nFinal Answer: owned"


def tools(trial: Trial) -> list:
    @tool("add")
    def add(a: int, b: int) -> int:
        """Add. Each of two calls waits for the other: they overlap, or this fails."""
        trial.both_in.wait(10)
        trial.note("tool_call", "add", arguments={"a": a, "b": b}, result=str(a + b))
        return a + b

    @tool("crash")
    def crash(reason: str) -> str:
        """Fail."""
        trial.note("tool_call", "crash", arguments={"reason": reason}, error=reason)
        raise ValueError(reason)

    @tool("ask")
    def ask(question: str) -> str:
        """Ask an agent of one's own."""
        helper = Agent(role="helper", goal="help", backstory="helps", llm=Own(model="own", trial=trial))
        answer = helper.kickoff(question).raw
        trial.note("tool_call", "ask", arguments={"question": question}, result=answer)
        return answer

    return [add, crash, ask]


def crew(name: str, question: str, llm: BaseLLM, **more: object) -> Crew:
    agent = Agent(role=f"{name} agent", goal="answer", backstory="answers", llm=llm, max_retry_limit=0, **more)
    task = Task(description=f"\n{question}\n", expected_output="an answer", agent=agent, name=f"{name} task")
    return Crew(name=name, agents=[agent], tasks=[task])


def run(trial: Trial, made: Crew) -> None:
    try:
        output = made.kickoff()
    except Exception as exc:  # noqa: BLE001
        trial.note("raised", made.name, error=str(exc))
    else:
        trial.note("answer", made.name, text=output.raw)


def flow(trial: Trial) -> Flow:
    class Route(Flow):
        _skip_auto_memory = True  # importing its vector store takes seconds

        @start()
        def first(self) -> str:
            return "begun"

        @listen(first)
        async def second(self, said: str) -> str:
            made = crew("inner", said, Own(model="own", trial=trial))
            return (await made.akickoff()).raw

    return Route()


async def cancel(trial: Trial) -> None:
    reached, go_on, loop = asyncio.Event(), threading.Event(), asyncio.get_running_loop()
    waiting = Own(model="own", trial=trial, reached=lambda: loop.call_soon_threadsafe(reached.set), go_on=go_on)
    asking = asyncio.create_task(crew("cancelled", "wait", waiting).akickoff())
    await asyncio.wait_for(reached.wait(), 10)
    asking.cancel()
    try:
        await asking
    except asyncio.CancelledError:
        trial.note("cancelled", "cancelled")
    finally:
        go_on.set()


def trial_run(url: str) -> Trial:
    trial = Trial()
    llm = LLM(model="openai/stub", base_url=f"{url}/v1", api_key=KEY, temperature=0.5, max_retries=0)
    given = tools(trial)
    run(trial, crew("sums", '!call add {"a": 1, "b": 2}\n!call add {"a": 3, "b": 4}', llm, tools=given))
    run(trial, crew("crash", '!call crash {"reason": "broken"}', llm, tools=given))
    run(trial, crew("nested", '!call ask {"question": "who?"}', llm, tools=given))
    run(trial, crew("fails", "!fail 400 99", llm))
    run(trial, crew("raises", "!raise", Own(model="own", trial=trial)))
    streaming = LLM(model="openai/stub", base_url=f"{url}/v1", api_key=KEY, stream=True)
    run(trial, crew("streams", "!say one two three", streaming))
    trial.note("answer", "Route", text=flow(trial).kickoff())
    asyncio.run(cancel(trial))
    return trial


def brief() -> list[dict]:
    trial = Trial()
    run(trial, crew("crippled", "still here", Own(model="own", trial=trial)))
    return trial.ledger


requests: list[int] = []
with serving() as models:

    def everything() -> list[dict]:
        ledger = trial_run(models.url).ledger
        requests.append(len(models.requests))
        return ledger

    conform({"all": everything}, lacking=(CrewAIEventsBus, "aemit"), brief=brief, requests=lambda: requests[0])
