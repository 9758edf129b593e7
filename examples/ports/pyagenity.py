"""PyAgenity's tool node in a graph, ported by the names page: the model, the node, and the edge between them.

Run it with `python examples/ports/pyagenity.py`, or watch it: `inspector run` instead of `python`, and then
`inspector show last`.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from toolkit import ScriptedModel, ToolContext, ToolNode, Turn, Workflow
from toolkit.models import Message, ModelRequest, generate


@dataclass
class AgentState:
    """What the graph remembers."""

    context: list[Message] = field(default_factory=list[Message])


def get_weather(city: str, tool_call_id: str | None = None, state: AgentState | None = None) -> dict[str, Any]:
    """Tell the weather in a city."""
    known = 0 if state is None else len(state.context)
    return {"city": city, "temp_c": 24, "call": tool_call_id, "messages_before": known}


def get_news(topic: str) -> str:
    """Tell the news about a topic."""
    raise ConnectionError(f"no news about {topic}")


tools = ToolNode([get_weather, get_news])
model = ScriptedModel(
    [
        Turn(calls=[("get_weather", {"city": "NYC"}), ("get_news", {"topic": "tech"})]),
        "24 °C in New York, and no news.",
    ]
)


async def graph(task: str, context: ToolContext) -> str:
    """Ask the model, have its calls carried out at once, and go on until it calls nothing."""
    state = AgentState([{"role": "user", "content": task}])
    while True:
        response = await generate(model, ModelRequest(state.context, tools.definitions()))
        state.context.append(response.message)
        if not response.message.get("tool_calls"):
            return str(response.message.get("content"))
        answers: Any = await tools.messages(response.message, state, context=context)
        state.context.extend(answers)


async def main() -> None:
    """Go around until there is an answer; a workflow makes one call of it, with all others below."""
    print(await Workflow("graph", graph)("What is new in New York?"))


if __name__ == "__main__":
    asyncio.run(main())
