"""The demo's story: two agents plan a weekend in Lisbon with the help of a travel desk."""

import os
import secrets
import sys
from typing import Any

from toolkit.agents import Agent, AgentTool
from toolkit.agents.thread import Thread
from toolkit.agents.workflow import Workflow
from toolkit.content import as_text
from toolkit.context import ToolContext
from toolkit.functions import tool
from toolkit.mcp import McpServers, McpTool, StdioServer
from toolkit.mcp.server import McpServer
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.models.model import text_of
from toolkit.models.scripted import ScriptedModel, Turn
from toolkit.result import ToolResult

BRIEF = {"city": "Lisbon", "nights": "2", "budget": "400 EUR"}
ROOM = {"hotel": "Hotel Miradouro", "nights": 2, "guests": 2}
MOST_A_NIGHT_EUR = 120

PLANNING = (
    Turn(
        "I will look at the weather and at hotels first.",
        calls=(("weather", {"city": "Lisbon"}), ("find_hotels", {"city": "Lisbon", "max_price_eur": 180})),
        delay_s=0.15,
    ),
    Turn(
        calls=(("ask_local_guide", {"message": "What should two people do and eat near Graça this weekend?"}),),
        delay_s=0.15,
    ),
    Turn("Hotel Miradouro it is.", calls=(("book_hotel", ROOM),), delay_s=0.1),
    Turn("The desk says to try again, so I do.", calls=(("book_hotel", ROOM),), delay_s=0.1),
    Turn(
        "Your weekend in Lisbon is booked. You stay two nights at Hotel Miradouro in Graça, confirmation LX-2047, for "
        "192 EUR. Saturday is sunny: walk up through Alfama, ride tram 28 before ten and watch the sunset over the "
        "river. Sunday brings showers after noon, so have pastries in Belém early and see the tile museum then. "
        "Dinner at Tasca da Esquina leaves you well within 400 EUR.",
        delay_s=0.15,
    ),
)
GUIDING = (
    Turn(calls=(("read_leaflet", {"city": "Lisbon"}), ("find_restaurants", {"district": "Graça"})), delay_s=0.1),
    Turn(
        "Sunset at Miradouro da Graça, then sardines at Tasca da Esquina. Keep the tile museum for the rain.",
        delay_s=0.15,
    ),
)
WAITING = (Turn("I will ring them.", calls=(("call_hotel", {"hotel": "Hotel Miradouro", "message": "Any room?"}),)),)


async def keep_to_budget(ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn) -> ToolResult:
    """Look for no hotel that is dearer than the traveller said, whatever the model asks for."""
    if ctx.tool_name == "find_hotels" and args:
        args = args | {"max_price_eur": min(args["max_price_eur"], MOST_A_NIGHT_EUR)}
    return await call_next(args)


def weekend_trip(*, rule: str = "", hang: bool = False) -> Workflow:
    """Return the workflow; its input is the brief's parameters, its result the planner's answer.

    ``rule`` is one more thing that the planner is told; ``hang`` makes a tool call that never ends instead.
    """

    async def plan(brief: dict[str, str], _: ToolContext) -> str:
        servers = McpServers({"travel_desk": _DESK}, namespaced=False)
        async with Thread(id=f"trip-{secrets.token_hex(3)}"), servers:
            desk = servers["travel_desk"]
            [task] = await desk.prompt("trip_brief", brief)
            planner = _planner(desk, await servers.tools(), rule=rule, hang=hang)
            answer = await planner.run(text_of(task), on_text=_unheard)
            return answer.text

    return Workflow("weekend_trip", plan)


_DESK = StdioServer(
    sys.executable, ["-m", "inspector.demo.program.desk"], env={**os.environ, "OTEL_SERVICE_NAME": "travel-desk"}
)


async def _unheard(_: str) -> None:
    """Have the answers streamed, as an agent that somebody talks to would."""


def _planner(desk: McpServer, tools: list[McpTool], *, rule: str, hang: bool) -> Agent:
    guide = AgentTool(_local_guide(desk, tools), "ask_local_guide", "Ask somebody who lives there")
    return Agent(
        "trip_planner",
        description="Plans a trip and books it",
        instruction="You plan weekend trips. Check the weather, compare hotels, ask the local guide, then book. "
        f"When a tool fails and says that nothing happened, try it once more. {rule}".rstrip(),
        model=_model("gpt-4.1", WAITING if hang else PLANNING),
        tools=[*tools, guide],
        tool_hooks=[keep_to_budget],
    )


def _local_guide(desk: McpServer, tools: list[McpTool]) -> Agent:
    @tool
    async def read_leaflet(city: str) -> str:
        """Read the desk's leaflet about a city."""
        return "\n".join(map(as_text, await desk.read(f"guide://{city.lower()}")))

    restaurants: list[Any] = [tool for tool in tools if tool.name == "find_restaurants"]
    return Agent(
        "local_guide",
        description="Knows the city",
        instruction="You live in the city and answer in two sentences.",
        model=_model("gpt-4.1-mini", GUIDING),
        tools=[read_leaflet, *restaurants],
    )


def _model(name: str, turns: tuple[Turn, ...]) -> ScriptedModel:
    return ScriptedModel(turns, name=name, provider="openai", settings={"temperature": 0.2}, chunk_delay_s=0.012)
