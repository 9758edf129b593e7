"""A node of tools, offered to a model, with what the run gives the tool and the model never sees.

Run it with `python examples/toolkit/weather_node.py`.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from toolkit import Inject, ScriptedModel, ToolNode, Turn
from toolkit.formats import calls_of
from toolkit.models import Message, ModelRequest, generate


@dataclass
class AgentState:
    """What a run remembers."""

    context: list[Message] = field(default_factory=list[Message])


class Thermometer:
    """Stands for a service."""

    def measure(self, city: str) -> int:
        """Return the temperature in °C."""
        return 24 if city == "Paris" else 12


def get_weather(
    city: str, thermometer: Inject[Thermometer], tool_call_id: str | None = None, state: AgentState | None = None
) -> dict[str, Any]:
    """Tell the weather in a city."""
    asked = len(state.context) if state is not None else 0
    return {"city": city, "temp_c": thermometer.measure(city), "call": tool_call_id, "messages_before": asked}


async def main() -> None:
    """Go once around: question, tool calls, tool messages, answer."""
    weather_tools = ToolNode([get_weather], dependencies={Thermometer: Thermometer()})
    tools = weather_tools.all_tools_sync()
    print(tools[0]["function"]["parameters"]["properties"])

    model = ScriptedModel([Turn(calls=[("get_weather", {"city": "Paris"})]), "It is 24 °C in Paris."])
    state = AgentState([{"role": "user", "content": "How warm is it in Paris?"}])
    response = await generate(model, ModelRequest(state.context, weather_tools.definitions()))
    state.context.append(response.message)
    answers: Any = await weather_tools.messages(calls_of(response.message), state)
    state.context.extend(answers)
    response = await generate(model, ModelRequest(state.context))
    state.context.append(response.message)
    for message in state.context:
        print(message["role"], message.get("content") or "(tool calls)")


def test_get_weather() -> None:
    """The function itself stays one, and is tested as one."""
    assert get_weather("Paris", Thermometer(), tool_call_id="abc")["call"] == "abc"


if __name__ == "__main__":
    asyncio.run(main())
    test_get_weather()
