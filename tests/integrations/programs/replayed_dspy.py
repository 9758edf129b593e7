"""Agents and modules of DSPy, by its own client and by LiteLLM: tools that give objects and fail, threads, a stream."""

import asyncio
import json
import os
from typing import Any

if "REPLAYED" not in os.environ:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import dspy

IS_RECORDED = "REPLAYED" not in os.environ
dspy.disable_logging()


def find(city: str, beds: int = 1) -> dict[str, Any]:
    """Find a room."""
    assert IS_RECORDED
    return {"hotel": f"Casa {city}", "beds": beds}


def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise KeyError(why)


async def weather(city: str) -> str:
    """Tell the weather."""
    assert IS_RECORDED
    return f"sun in {city}"


def asked(tool: str, **arguments: Any) -> str:
    return json.dumps({"next_thought": "so", "next_tool_name": tool, "next_tool_args": arguments})


def turns(*asks: str, answer: str) -> str:
    said = (*asks, asked("finish"), json.dumps({"reasoning": "as seen", "answer": answer}))
    return "\n".join(f"!after observation_{at - 1} {text}" if at else f"!say {text}" for at, text in enumerate(said))


def question(answer: str) -> str:
    return f"!say {json.dumps({'reasoning': 'known', 'answer': answer})}"


def observed(prediction: Any) -> list[str]:
    # Of an exception, what a tool of a replay cannot have: the lines of its traceback.
    return [str(value).splitlines()[-1] for name, value in prediction.trajectory.items() if "observation" in name]


async def asynchronous() -> None:
    react = dspy.ReAct("question -> answer", tools=[weather])
    found = await react.acall(question=turns(asked("weather", city="Bergen"), answer="sun"))
    print(found.answer, observed(found))
    stream = dspy.streamify(react, is_async_program=True)
    items = [item async for item in stream(question=turns(asked("weather", city="Rome"), answer="hot"))]
    print([item.message for item in items if isinstance(item, dspy.streaming.StatusMessage)], items[-1].answer)


for engine in ("auto", "litellm"):
    base = os.environ["OPENAI_BASE_URL"]
    lm = dspy.LM("openai/gpt-4o", api_base=base, api_key="k", engine=engine, num_retries=0)
    with dspy.context(lm=lm, adapter=dspy.JSONAdapter()):
        react = dspy.ReAct("question -> answer", tools=[find, fail])
        text = turns(asked("find", city="Oslo", beds=2), asked("fail", why="no such place"), answer=engine)
        found = react(question=text)
        print(found.answer, observed(found))
        predict = dspy.ChainOfThought("question -> answer")
        # Asked twice, it is answered from memory.
        print([predict(question=question("known")).answer for _ in range(2)])
        pairs = [(predict, dspy.Example(question=question(name)).with_inputs("question")) for name in ("one", "two")]
        print(dspy.Parallel(num_threads=2, disable_progress_bar=True)(pairs))
        print(dspy.ToolCalls.ToolCall(name="find", args={"city": "Lima"}).execute())
        try:
            predict(question=f"\n!fail 400 9\n{engine}")
        except dspy.LMError as error:
            print(type(error).__name__)
        asyncio.run(asynchronous())
