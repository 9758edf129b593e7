"""Modules and tools of DSPy over a loopback model, by its own client and by LiteLLM; counts its own calls."""

import asyncio
import json
import os
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

# Its list of prices is not fetched.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import dspy
import litellm
from conformance import conform
from dspy.utils.callback import BaseCallback
from hanging import given_up, hang
from ledger import count, ledger
from models import Models, serving

KEY = "sk-planted-0123456789abcdef0123456789abcdef"
litellm.suppress_debug_info = True
dspy.disable_logging()


def seen(what: Any) -> None:
    """Count what the program saw, which is no call."""
    ledger.append({"kind": "seen", "name": str(what)})


def asked(tool: str, **arguments: Any) -> str:
    return json.dumps({"next_thought": "so", "next_tool_name": tool, "next_tool_args": arguments})


def turns(*asks: str, answer: str) -> str:
    """A question to an agent, which asks for these tools one after the other, and then answers."""
    said = (*asks, asked("finish"), json.dumps({"reasoning": "as seen", "answer": answer}))
    return "\n".join(f"!after observation_{at - 1} {text}" if at else f"!say {text}" for at, text in enumerate(said))


def question(answer: str) -> str:
    return f"!say {json.dumps({'reasoning': 'known', 'answer': answer})}"


def answered(parent: str | None, answer: str) -> None:
    count("workflow", "ChainOfThought", parent, result={"reasoning": "known", "answer": answer})
    count("workflow", "Predict", "ChainOfThought", result={"reasoning": "known", "answer": answer})
    count("llm", "stub", "Predict")


class Pipeline(dspy.Module):
    def __init__(self) -> None:
        super().__init__()
        self.answer = dspy.ChainOfThought("question -> answer")

    def forward(self, question: str) -> dspy.Prediction:
        return self.answer(question=question)

    async def aforward(self, question: str) -> dspy.Prediction:
        return await self.answer.acall(question=question)


def counted(parent: str | None, answer: str) -> None:
    given, result = {"question": question(answer)}, {"reasoning": "known", "answer": answer}
    count("workflow", "Pipeline", parent, arguments=given, result=result)
    answered("Pipeline", answer)


def weather(city: str) -> str:
    """Tell the weather."""
    count("tool", "weather", "ReAct", arguments={"city": city}, result=f"sun in {city}")
    return f"sun in {city}"


def broken(x: int) -> int:
    """Fail."""
    count("tool", "broken", "ReAct", "error", arguments={"x": x}, error=f"'no {x}'")
    raise KeyError(f"no {x}")


async def slow(x: int) -> int:
    """Wait for nothing."""
    count("tool", "slow", "ReAct", "cancelled", arguments={"x": x})
    await hang()
    return x


def double(x: int) -> int:
    """Double."""
    return 2 * x


class Heard(BaseCallback):
    """DSPy's own callbacks, which it calls for tools too."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def on_tool_start(self, call_id: str, instance: Any, inputs: Any) -> None:
        self.calls.append((instance.name, inputs))

    def on_tool_end(self, call_id: str, outputs: Any, exception: Any = None) -> None:
        self.calls.append((outputs, exception))


def agents() -> None:
    heard = Heard()
    react = dspy.ReAct("question -> answer", tools=[weather, broken])
    text = turns(asked("weather", city="Oslo"), asked("broken", x=3), answer="sun")
    with dspy.context(callbacks=[heard]):
        found = react(question=text)
    count("agent", "ReAct", None, arguments={"question": text}, result=found.toDict())
    for _ in range(3):
        count("workflow", "Predict", "ReAct")
        count("llm", "stub", "Predict")
    count("tool", "finish", "ReAct", arguments={}, result="Completed.")
    count("workflow", "ChainOfThought", "ReAct", result={"reasoning": "as seen", "answer": "sun"})
    count("workflow", "Predict", "ChainOfThought")
    count("llm", "stub", "Predict")
    # What the model is told of a failure has the frames of the program alone.
    seen(found.trajectory)
    seen(heard.calls)


async def given_up_on() -> None:
    react = dspy.ReAct("question -> answer", tools=[slow])
    await given_up(react.acall(question=turns(asked("slow", x=1), answer="never")))
    count("agent", "ReAct", None, "cancelled")
    count("workflow", "Predict", "ReAct")
    count("llm", "stub", "Predict")


def modules(models: Models) -> None:
    seen(Pipeline()(question=question("here")))
    counted(None, "here")
    seen(dspy.syncify(Pipeline(), in_place=False)(question=question("sync")))
    count("workflow", "SyncWrapper", None)
    answered("SyncWrapper", "sync")
    try:
        Pipeline()(question="\n!fail 400 9")
    except dspy.LMError as error:
        seen(type(error))
        for name, parent in (("Pipeline", None), ("ChainOfThought", "Pipeline"), ("Predict", "ChainOfThought")):
            count("workflow", name, parent, "error", error=str(error))
    count("llm", "stub", "Predict", "error")


def kept(models: Models) -> None:
    """DSPy answers the second by itself."""
    dspy.configure_cache(enable_disk_cache=False)
    predict, before = dspy.Predict("question -> answer"), len(models.requests)
    predict.lm = dspy.settings.lm.copy(cache=True)
    for _ in range(2):
        seen(predict(question=question("kept")))
        count("workflow", "Predict", None, result={"answer": "kept"})
    count("llm", "stub", "Predict")
    seen(len(models.requests) - before)


def on_disk(models: Models) -> None:
    """The second process finds what the first was answered."""
    before = len(models.requests)
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(2):
            dspy.configure_cache(disk_cache_dir=directory)
            predict = dspy.Predict("question -> answer")
            predict.lm = dspy.settings.lm.copy(cache=True)
            seen(predict(question=question("on disk")))
            count("workflow", "Predict", None, result={"answer": "on disk"})
    dspy.configure_cache(enable_disk_cache=False)
    count("llm", "stub", "Predict")
    seen(len(models.requests) - before)


def many() -> None:
    pairs = [(Pipeline(), dspy.Example(question=question(name)).with_inputs("question")) for name in ("one", "two")]
    seen(dspy.Parallel(num_threads=2, disable_progress_bar=True)(pairs))
    given = [{"question": question(name)} for name in ("one", "two")]
    count("workflow", "Parallel", None, arguments=given)
    counted("Parallel", "one")
    counted("Parallel", "two")
    devset = [example for _, example in pairs]
    evaluate = dspy.Evaluate(devset=devset, metric=lambda _, found: found.answer == "one", num_threads=1)
    seen(evaluate(Pipeline()).score)
    count("workflow", "Evaluate", None, result={"score": 50.0, "examples": 2})
    counted("Evaluate", "one")
    counted("Evaluate", "two")


async def asynchronous() -> None:
    seen(await dspy.asyncify(Pipeline())(question=question("threaded")))
    counted(None, "threaded")
    both = [Pipeline().acall(question=question(name)) for name in ("left", "right")]
    seen(await asyncio.gather(*both))
    counted(None, "left")
    counted(None, "right")


async def streams() -> None:
    for name, is_async in (("sync", False), ("async", True)):
        listener = dspy.streaming.StreamListener("answer")
        stream = dspy.streamify(Pipeline(), stream_listeners=[listener], is_async_program=is_async)
        items = [item async for item in stream(question=question(f"{name} one two"))]
        seen("".join(item.chunk for item in items[:-1]))
        counted(None, f"{name} one two")
    stream = dspy.streamify(Pipeline(), is_async_program=True)(question=f"\n!pause 5\n{question('never more')}")
    await anext(stream)
    await stream.aclose()
    for name, parent in (("Pipeline", None), ("ChainOfThought", "Pipeline"), ("Predict", "ChainOfThought")):
        count("workflow", name, parent, "cancelled")
    count("llm", "stub", "Predict", "cancelled")


def tools() -> None:
    calls = dspy.ToolCalls.from_dict_list([{"name": "double", "args": {"x": 2}}, {"name": "triple", "args": {"x": 2}}])

    def triple(x: int) -> int:
        return 3 * x

    seen([calls.tool_calls[0].execute(functions=[dspy.Tool(double)]), calls.tool_calls[1].execute()])
    count("tool", "double", None, arguments={"x": 2}, result=4)
    count("tool", "triple", None, arguments={"x": 2}, result=6)
    try:
        dspy.Tool(double)(y=1)
    except ValueError as error:
        count("tool", "double", None, "error", arguments={"y": 1}, error=str(error))

    async def later(x: int) -> int:
        return x + 1

    with dspy.context(allow_tool_async_sync_conversion=True):
        seen(dspy.Tool(later)(x=1))
    count("tool", "later", None, arguments={"x": 1}, result=2)


def everything(models: Models, engine: str) -> list[dict[str, Any]]:
    ledger.clear()
    with dspy.context(lm=model(models, engine), adapter=dspy.JSONAdapter()):
        agents()
        asyncio.run(given_up_on())
        modules(models)
        kept(models)
        on_disk(models)
        many()
        asyncio.run(asynchronous())
        asyncio.run(streams())
        tools()
    return ledger


def model(models: Models, engine: str) -> dspy.LM:
    return dspy.LM("openai/stub", api_base=f"{models.url}/v1", api_key=KEY, engine=engine, cache=False, num_retries=0)


def brief(models: Models) -> list[dict[str, Any]]:
    ledger.clear()
    with dspy.context(lm=model(models, "lm15"), adapter=dspy.JSONAdapter()):
        Pipeline()(question=question("seen"))
    counted(None, "seen")
    return ledger


with serving() as served:
    parts: dict[str, Callable[[], Any]] = {each: partial(everything, served, each) for each in ("lm15", "litellm")}
    conform(parts, lacking=(dspy.Module, "acall"), brief=lambda: brief(served))
