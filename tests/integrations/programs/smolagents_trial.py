"""Agents, tools and models of smolagents, over models of the program and a loopback model; counts its own calls."""

import asyncio
from collections.abc import Iterator
from typing import Any

import smolagents
from conformance import conform, failed
from ledger import count, ledger
from models import Models, serving
from smolagents import ChatMessage, CodeAgent, InferenceClientModel, LogLevel, OpenAIModel, Tool, ToolCallingAgent, tool
from smolagents.models import (
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)
from smolagents.monitoring import TokenUsage

KEY = "sk-planted-0123456789abcdef0123456789abcdef"
Asked = tuple[tuple[str, dict[str, Any]], ...]


def seen(what: Any) -> None:
    """Count what the program saw, which is no call."""
    ledger.append({"kind": "seen", "name": str(what)})


class Scripted(Model):
    """Answers one after the other: texts, calls of tools, or failures."""

    def __init__(self, parent: str, *answers: Any) -> None:
        super().__init__(model_id="scripted-1")
        self.parent, self.answers = parent, iter(answers)

    def generate(self, messages: Any, *_: Any, **__: Any) -> ChatMessage:
        answer = next(self.answers)
        if isinstance(answer, Exception):
            count("llm", "scripted-1", self.parent, "error", error=str(answer))
            raise answer
        count("llm", "scripted-1", self.parent, tokens=[12, 3])
        calls = [_call(at, *each) for at, each in enumerate(answer)] if isinstance(answer, tuple) else None
        return ChatMessage(MessageRole.ASSISTANT, None if calls else answer, calls, token_usage=TokenUsage(12, 3))


class Streaming(Scripted):
    def generate_stream(self, messages: Any, *_: Any, **__: Any) -> Iterator[ChatMessageStreamDelta]:
        text = next(self.answers)
        for word in text.split(" "):
            yield ChatMessageStreamDelta(content=f"{word} ")
        yield ChatMessageStreamDelta(token_usage=TokenUsage(12, 3))
        count("llm", "scripted-1", self.parent, result=f"{text} ", tokens=[12, 3])


class Routing(Model):
    """Passes a call on to another model, which is one call."""

    def __init__(self, inner: Model) -> None:
        super().__init__(model_id="scripted-1")
        self.inner = inner

    def generate(self, *args: Any, **kwargs: Any) -> ChatMessage:
        return self.inner.generate(*args, **kwargs)

    def generate_stream(self, *args: Any, **kwargs: Any) -> Any:
        return self.inner.generate_stream(*args, **kwargs)


def _call(at: int, name: str, arguments: dict[str, Any]) -> ChatMessageToolCall:
    return ChatMessageToolCall(ChatMessageToolCallFunction(arguments, name), f"call_{at}", "function")


class Weather(Tool):
    name = "weather"
    description = "Tell the weather."
    inputs = {"days": {"type": "integer", "description": "How long."}, "city": {"type": "string", "description": "Of."}}
    output_type = "string"

    def __init__(self, parent: str | None) -> None:
        super().__init__()
        self.parent = parent

    def forward(self, city: str, days: int) -> str:
        result = f"{days} days of sun in {city}"
        count("tool", "weather", self.parent, arguments={"city": city, "days": days}, result=result)
        return result


class Broken(Weather):
    name = "broken"

    def forward(self, city: str, days: int) -> str:
        error = KeyError(f"no {city}")
        count("tool", "broken", self.parent, "error", arguments={"city": city, "days": days}, error=str(error))
        raise error


class Careful(Weather):
    """Calls its superclass's, which is one call."""

    name = "careful"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return super().__call__(*args, **kwargs)

    def forward(self, city: str, days: int) -> str:
        count("tool", "careful", self.parent, arguments={"city": city, "days": days}, result=city)
        return city


@tool
def twice(x: int) -> int:
    """Double.

    Args:
        x: A number.
    """
    return 2 * x


def code(*lines: str) -> str:
    return "<code>\n{}\n</code>".format("\n".join(lines))


def agent(kind: Any, model: Model, *tools: Tool, **more: Any) -> Any:
    return kind(tools=list(tools), model=model, verbosity_level=LogLevel.OFF, **more)


def calling(parent: str, model: type[Scripted] = Scripted, **more: Any) -> Any:
    """An agent that asks for tools by name: well, in vain, for one that is not there, and with wrong arguments."""
    sunny: Asked = (("weather", {"city": "Oslo", "days": 2}), ("careful", {"city": "Rome", "days": 1}))
    asked: tuple[Asked, ...] = (
        sunny,
        (("broken", {"city": "Rome", "days": 1}),),
        (("nobody", {"x": 1}),),
        (("weather", {"town": "Oslo"}),),
        (("final_answer", {"answer": "sun"}),),
    )
    return agent(ToolCallingAgent, model(parent, *asked), Weather(parent), Broken(parent), Careful(parent), **more)


def called(parent: str, outer: str | None, **more: Any) -> None:
    count("agent", parent, outer, result="sun", **more)
    unknown = "Unknown tool nobody, should be one of: weather, broken, careful, final_answer."
    count("tool", "nobody", parent, "error", arguments={"x": 1}, error=unknown)
    wrong = "Argument town is not in the tool's input schema"
    count("tool", "weather", parent, "error", arguments={"town": "Oslo"}, error=wrong)
    count("tool", "final_answer", parent, arguments={"answer": "sun"}, result="sun")


def ran(source: list[str], output: Any, parent: str = "CodeAgent", logs: str = "") -> None:
    result = {"output": output, "logs": logs}
    count("tool", "python_interpreter", parent, arguments={"code": "\n".join(source)}, result=result)


def agents() -> None:
    steps = calling("ToolCallingAgent")
    seen(type(steps.run("go")))
    called("ToolCallingAgent", None, arguments="go")
    # What the model is told of a failure has nothing of the inspector.
    seen([str(step.error) for step in steps.memory.steps if getattr(step, "error", None)])


def managed() -> None:
    helper = calling("helper", name="helper", description="Helps.", provide_run_summary=True)
    first = ["print(weather(2, city='Bern') if False else weather('Bern', 2))", "broken('Rome', days=1)"]
    last = ["answer = helper('ask')", "final_answer(twice(x=n))"]
    inner = "python_interpreter"

    def is_even(answer: Any, *_: Any, **__: Any) -> bool:
        return answer % 2 == 0

    model = Routing(Scripted("CodeAgent", "no code", code(*first), code("final_answer(1)"), code(*last)))
    tools = (Weather(inner), Broken(inner), twice)
    manager = agent(CodeAgent, model, *tools, managed_agents=[helper], final_answer_checks=[is_even])
    full = manager.run("plan", additional_args={"n": 21}, return_full_result=True)
    seen([full.output, full.state, full.token_usage])
    count("agent", "CodeAgent", None, arguments={"task": "plan", "additional_args": {"n": 21}}, result=42)
    error = "Code execution failed at line 'broken('Rome', days=1)' due to: KeyError: 'no Rome'"
    count("tool", inner, "CodeAgent", "error", arguments={"code": "\n".join(first)}, error=error)
    ran(["final_answer(1)"], 1)
    count("tool", "final_answer", inner, arguments={"answer": 1}, result=1)
    called("helper", inner)
    ran(last, 42)
    count("tool", "twice", inner, arguments={"x": 21}, result=42)
    count("tool", "final_answer", inner, arguments={"answer": 42}, result=42)


def endings() -> None:
    """An agent that has no steps left, one that is interrupted, one whose model fails."""
    source = ["x = 1"]
    tired = agent(CodeAgent, Scripted("CodeAgent", code(*source), "one"), max_steps=1)
    seen(tired.run("too much"))
    ran(source, 1)
    count("agent", "CodeAgent", None, "error", arguments="too much", error="Reached max steps.")

    def stop(step: Any, agent: Any) -> None:
        agent.interrupt()

    for is_streamed in (False, True):
        try:
            held = agent(CodeAgent, Scripted("CodeAgent", code(*source)), step_callbacks=[stop])
            seen(list(held.run("stop", stream=is_streamed)))
        except smolagents.AgentError as error:
            seen(error)
            count("agent", "CodeAgent", None, "cancelled", arguments="stop")
        ran(source, 1)
        try:
            lost = agent(CodeAgent, Scripted("CodeAgent", ValueError("no model")))
            seen(list(lost.run("try", stream=is_streamed)))
        except smolagents.AgentError as error:
            count("agent", "CodeAgent", None, "error", error=str(error))


def planned(answer: str = "done") -> list[str]:
    return ["Think.", code("x = 1", f"final_answer('{answer}')")]


def finished(parent: str = "CodeAgent", answer: str = "done") -> None:
    ran(["x = 1", f"final_answer('{answer}')"], answer, parent)
    count("tool", "final_answer", "python_interpreter", result=answer)


def streams() -> None:
    planning = agent(CodeAgent, Streaming("CodeAgent", *planned()), planning_interval=5, stream_outputs=True)
    seen([type(step).__name__ for step in planning.run("plan", stream=True)])
    count("agent", "CodeAgent", None, arguments="plan", result="done")
    finished()
    left = agent(CodeAgent, Routing(Streaming("CodeAgent", *planned()[1:])), stream_outputs=True)
    for step in left.run("no more than the answer", stream=True):
        if isinstance(step, smolagents.FinalAnswerStep):
            break
    count("agent", "CodeAgent", None, arguments="no more than the answer", result="done")
    finished()
    for name, status in (("close", "closed"), ("drop", "abandoned")):
        early = agent(CodeAgent, Streaming("CodeAgent", "never more than this"), stream_outputs=True)
        parts = early.run(name, stream=True)
        seen([next(parts), parts.__name__])
        if name == "close":
            try:
                parts.close()
            except RuntimeError as error:
                seen(error)
                failed()
        del parts
        count("agent", "CodeAgent", None, status, arguments=name)
        count("llm", "scripted-1", "CodeAgent", "abandoned", result="never ")


async def concurrent() -> None:
    both = (agent(CodeAgent, Scripted(name, *planned(name)[1:]), name=name) for name in ("left", "right"))
    seen(await asyncio.gather(*(asyncio.to_thread(each.run, each.name) for each in both)))
    for name in ("left", "right"):
        count("agent", name, None, arguments=name, result=name)
        finished(name, name)


def alone() -> None:
    """Tools and models that no agent calls."""
    weather, model = Weather(None), Scripted("", "hi", ValueError("no"))
    seen([weather("Oslo", 1), weather({"city": "Rome", "days": 3}), twice(2)])
    count("tool", "twice", None, arguments={"x": 2}, result=4)
    asked = [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]
    model.parent = None
    seen(model(asked).content)
    for call in (lambda: Broken(None)("Rome", 1), lambda: model.generate(asked)):
        try:
            call()
        except (KeyError, ValueError) as error:
            seen(error)
            failed()


def clients(models: Models) -> None:
    """Models whose clients are recorded themselves."""
    text = "Answer.\n!say <code>final_answer(twice(4))</code>"
    source = ["final_answer(twice(4))"]
    base = f"{models.url}/v1"
    over_sdk = OpenAIModel("gpt-4o", api_base=base, api_key=KEY, retry=False)
    over_http = InferenceClientModel(f"{base}/chat/completions", token=KEY, retry=False)
    for model, name in ((over_sdk, "gpt-4o"), (over_http, "dummy")):
        for stream in (False, True):
            client = agent(CodeAgent, model, twice, stream_outputs=stream)
            seen(client.run(text))
            count("agent", "CodeAgent", None, arguments=text, result=8)
            count("llm", name, "CodeAgent", result=text.partition("!say ")[2])
            ran(source, 8)
            count("tool", "twice", "python_interpreter", arguments={"x": 4}, result=8)
            count("tool", "final_answer", "python_interpreter", result=8)
    try:
        agent(CodeAgent, over_sdk).run("\n!fail 400 9")
    except smolagents.AgentError as error:
        count("agent", "CodeAgent", None, "error", error=str(error))
    count("llm", "gpt-4o", "CodeAgent", "error")


def everything(models: Models) -> list[dict[str, Any]]:
    ledger.clear()
    agents()
    managed()
    endings()
    streams()
    asyncio.run(concurrent())
    alone()
    clients(models)
    return ledger


def brief() -> list[dict[str, Any]]:
    ledger.clear()
    agent(CodeAgent, Scripted("survivor", *planned()[1:]), name="survivor").run("go")
    count("agent", "survivor", None, result="done")
    finished("survivor")
    return ledger


with serving() as served:
    conform({"everything": lambda: everything(served)}, lacking=(ToolCallingAgent, "execute_tool_call"), brief=brief)
