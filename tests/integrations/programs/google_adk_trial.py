"""Google ADK over a model of the program's own: tools, agents of agents, streams, failures, cancelled and left runs.

Runs twice in one process, recorded and then without the inspector, and once more, briefly, with a method missing, as in
a version that nobody has tested.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from conformance import conform, failed
from google.adk.agents import LlmAgent, ParallelAgent, SequentialAgent
from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.runners import InMemoryRunner, Runner
from google.adk.tools import AgentTool, FunctionTool
from google.adk.workflow import START, Workflow
from google.genai import types

from inspector import context as session


class Trial:
    """One run, its ledger, and what its tools wait for."""

    def __init__(self) -> None:
        self.ledger: list[dict] = []
        self.both_in = asyncio.Barrier(2)
        self.reached = asyncio.Event()
        self.sessions: list[str | None] = []

    def note(self, kind: str, name: str, **facts: object) -> None:
        failed()
        self.ledger.append({"kind": kind, "name": name, **facts})

    async def add(self, a: int, b: int) -> dict:
        """Add.

        Each of two calls waits for the other: they overlap, or this fails.
        """
        await asyncio.wait_for(self.both_in.wait(), 10)
        self.note("tool_call", "add", arguments={"a": a, "b": b}, result={"sum": a + b})
        return {"sum": a + b}

    def crash(self, reason: str) -> dict:
        """Fail."""
        self.note("tool_call", "crash", arguments={"reason": reason}, error=reason)
        raise ValueError(reason)

    def pay(self, amount: int) -> dict:
        """Pay, if a person confirms it."""
        self.note("paid", "pay", amount=amount)
        return {"paid": amount}

    async def forever(self) -> dict:
        """Never return."""
        self.note("tool_call", "forever", arguments={})
        self.reached.set()
        await asyncio.Event().wait()
        return {}


class Scripted(BaseLlm):
    """Does what the user's last message says; tells the results of tools."""

    trial: object

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        asked = next(part.text for item in reversed(llm_request.contents) for part in item.parts if part.text)
        results = [part.function_response for part in llm_request.contents[-1].parts if part.function_response]
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=len(llm_request.contents), candidates_token_count=7, total_token_count=0
        )
        self.trial.note("llm_generate", self.model, tokens=[len(llm_request.contents), 7])
        if "!raise" in asked:
            self.trial.ledger[-1]["tokens"] = [None, None]
            raise RuntimeError("the model is down")
        if "!refuse" in asked:
            self.trial.ledger[-1]["tokens"] = [None, None]
            yield LlmResponse(error_code="SAFETY", error_message="not that")
            return
        if results:
            parts = [types.Part(text="told: " + json.dumps([each.response for each in results]))]
        elif "!call" in asked:
            calls = [line.split(" ", 2) for line in asked.splitlines() if line.startswith("!call")]
            parts = [
                types.Part(function_call=types.FunctionCall(id=f"{name}-{at}", name=name, args=json.loads(given)))
                for at, (_, name, given) in enumerate(calls)
            ]
        else:
            parts = [types.Part(text=f"echo: {asked}")]
        if stream:
            for word in parts[0].text.split():
                yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=word)]), partial=True)
                if asked == "left early":
                    await asyncio.Event().wait()
        yield LlmResponse(
            content=types.Content(role="model", parts=parts),
            usage_metadata=usage,
            finish_reason=types.FinishReason.STOP,
            model_version="scripted-1",
        )


def agents(trial: Trial) -> dict[str, BaseAgent]:
    model = Scripted(model="scripted", trial=trial)
    helper = LlmAgent(name="helper", model=model, description="helps")
    specialist = LlmAgent(name="specialist", model=model, description="knows")
    return {
        "planner": LlmAgent(
            name="planner",
            model=model,
            instruction="Plan.",
            tools=[trial.add, trial.crash, trial.forever, AgentTool(helper)],
            sub_agents=[specialist],
        ),
        "payer": LlmAgent(name="payer", model=model, tools=[FunctionTool(trial.pay, require_confirmation=True)]),
        "steps": SequentialAgent(
            name="steps", sub_agents=[LlmAgent(name=name, model=model) for name in ("one", "two")]
        ),
        "at_once": ParallelAgent(
            name="at_once", sub_agents=[LlmAgent(name=name, model=model) for name in ("left", "right")]
        ),
    }


def graph(trial: Trial) -> Workflow:
    def loud(node_input: str) -> dict:
        trial.note("loud", "graph", given=node_input)
        return {"loud": node_input.upper()}

    return Workflow(
        name="graph", edges=[(START, LlmAgent(name="writer", model=Scripted(model="scripted", trial=trial)), loud)]
    )


def message(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


async def trial_run() -> Trial:
    trial = Trial()
    for name, agent in agents(trial).items():
        runner = InMemoryRunner(agent=agent, app_name=name)
        for question in QUESTIONS[name]:
            await ask(trial, runner, question)
        if name == "planner":
            await stream(trial, runner)
            await leave(trial, runner)
            await drop(trial, runner)
            await cancel(trial, runner)
        if name == "payer":
            for is_sure in (True, False):
                await confirm(trial, runner, is_sure=is_sure)
    await ask(trial, InMemoryRunner(node=graph(trial), app_name="graph"), "go")
    return trial


QUESTIONS = {
    "planner": (
        '!call add {"a": 1, "b": 2}\n!call add {"a": 3, "b": 4}',
        '!call crash {"reason": "broken"}',
        '!call helper {"request": "please"}',
        '!call nothing {"like": "it"}',
        "!raise",
        "!refuse",
        '!call transfer_to_agent {"agent_name": "specialist"}',
    ),
    "payer": (),
    "steps": ("walk",),
    "at_once": ("both",),
}


async def begin(trial: Trial, runner: Runner, question: str, **more: object) -> AsyncGenerator:
    made = await runner.session_service.create_session(app_name=runner.app_name, user_id="u")
    trial.sessions.append(made.id)
    return runner.run_async(user_id="u", session_id=made.id, new_message=message(question), **more)


async def ask(trial: Trial, runner: Runner, question: str) -> None:
    said = []
    try:
        async for event in await begin(trial, runner, question):
            assert session.get() is None
            if event.is_final_response() and event.content:
                said.append([event.author, "".join(part.text or "" for part in event.content.parts)])
    except Exception as exc:  # noqa: BLE001
        trial.note("raised", runner.app_name, error=f"{type(exc).__name__}: {exc}")
    else:
        trial.note("answer", runner.app_name, said=sorted(said))


async def stream(trial: Trial, runner: Runner) -> None:
    config = RunConfig(streaming_mode=StreamingMode.SSE)
    events = await begin(trial, runner, "slowly now", run_config=config)
    trial.note("answer", "stream", said=[event.partial is True async for event in events])


async def leave(trial: Trial, runner: Runner) -> None:
    events = await begin(trial, runner, "left early", run_config=RunConfig(streaming_mode=StreamingMode.SSE))
    async with aclosing(events):
        async for event in events:
            trial.note("answer", "left", partial=event.partial)
            break
    trial.ledger[-2]["tokens"] = [None, None]


async def confirm(trial: Trial, runner: Runner, *, is_sure: bool) -> None:
    events = [event async for event in await begin(trial, runner, '!call pay {"amount": 5}')]
    calls = [call for event in events for call in event.get_function_calls()]
    asked = next(call for call in calls if call.name == "adk_request_confirmation")
    answer = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": is_sure})
    told = types.Content(role="user", parts=[types.Part(function_response=answer)])
    trial.sessions.append(trial.sessions[-1])
    async for _ in runner.run_async(user_id="u", session_id=trial.sessions[-1], new_message=told):
        pass


async def drop(trial: Trial, runner: Runner) -> None:
    async for event in await begin(trial, runner, "dropped"):
        trial.note("answer", "dropped", author=event.author)
        break


async def cancel(trial: Trial, runner: Runner) -> None:
    async def drain() -> None:
        async for _ in await begin(trial, runner, "!call forever {}"):
            pass

    asking = asyncio.create_task(drain())
    await asyncio.wait_for(trial.reached.wait(), 10)
    asking.cancel()
    try:
        await asking
    except asyncio.CancelledError:
        trial.note("cancelled", "planner")


async def brief() -> list:
    trial = Trial()
    await ask(trial, InMemoryRunner(agent=agents(trial)["steps"], app_name="crippled"), "still here")
    return trial.ledger


sessions: list[list[str | None]] = []


def everything() -> list:
    trial = asyncio.run(trial_run())
    sessions.append(trial.sessions)
    return trial.ledger


conform(
    {"all": everything},
    lacking=(PluginManager, "run_on_tool_error_callback"),
    brief=lambda: asyncio.run(brief()),
    sessions=lambda: sessions[0],
)
