"""The demo's story: two agents plan a weekend in Lisbon with the help of a travel desk."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mcp.types import CallToolResult, Tool
from opentelemetry import trace

from inspector.demo.agent import Agent, AgentTool
from inspector.demo.desk import SERVER, TravelDesk
from inspector.demo.model import ScriptedModel, Turn
from instrument import _emit, around  # pyright: ignore[reportPrivateUsage] - the contract's name

TASK = {"city": "Lisbon", "nights": "2", "budget": "400 EUR"}
ROOM = {"hotel": "Hotel Miradouro", "nights": 2, "guests": 2}

PLANNING = (
    Turn(
        "I will look at the weather and at hotels first.",
        calls=(("weather", {"city": "Lisbon"}), ("find_hotels", {"city": "Lisbon", "max_price_eur": 120})),
    ),
    Turn(calls=(("ask_local_guide", {"question": "What should two people do and eat near Graça this weekend?"}),)),
    Turn("Hotel Miradouro it is.", calls=(("book_hotel", ROOM),), delay_s=0.1),
    Turn("The desk says to try again, so I do.", calls=(("book_hotel", ROOM),), delay_s=0.1),
    Turn(
        "Your weekend in Lisbon is booked. You stay two nights at Hotel Miradouro in Graça, confirmation LX-2047, for "
        "192 EUR. Saturday is sunny: walk up through Alfama, ride tram 28 before ten and watch the sunset over the "
        "river. Sunday brings showers after noon, so have pastries in Belém early and see the tile museum then. "
        "Dinner at Tasca da Esquina leaves you well within 400 EUR.",
    ),
)
GUIDING = (
    Turn(calls=(("find_restaurants", {"district": "Graça"}),), delay_s=0.1),
    Turn("Sunset at Miradouro da Graça, then sardines at Tasca da Esquina. Keep the tile museum for the rain."),
)
WAITING = (Turn("I will ring them.", calls=(("call_hotel", {"hotel": "Hotel Miradouro", "message": "Any room?"}),)),)


@dataclass(frozen=True, slots=True)
class WeekendTrip:
    """The workflow: meets the desk, has the brief written, and lets the planner work on it."""

    desk: TravelDesk
    session_id: str
    hang: bool = False
    """Make a tool call that never ends instead of planning."""
    name: str = "weekend_trip"

    async def run(self) -> str:
        """Plan the trip and return the id of the trace that shows it."""
        async with around("workflow_run", workflow=self, context=None, input=TASK) as call:
            await _emit("session_started", session_id=self.session_id, context=None)
            await self.desk.session.discover()
            tools = _desk_tools(self.desk, await self.desk.tools())
            brief = await self.desk.brief(TASK)
            tools.append(_ask_local_guide(self.desk, _local_guide(tools)))
            answer = await _planner(tools, WAITING if self.hang else PLANNING).run(brief)
            await _emit("session_finished", session_id=self.session_id, context=None)
            call.set(result=answer)
            return format(trace.get_current_span().get_span_context().trace_id, "032x")


def _planner(tools: Sequence[AgentTool], turns: Sequence[Turn]) -> Agent:
    return Agent(
        name="trip_planner",
        description="Plans a trip and books it",
        instructions="You plan weekend trips. Check the weather, compare hotels, ask the local guide, then book. "
        "When a tool fails and says that nothing happened, try it once more.",
        model=ScriptedModel("gpt-4.1", iter(turns)),
        tools=tools,
    )


def _local_guide(tools: Sequence[AgentTool]) -> Agent:
    return Agent(
        name="local_guide",
        description="Knows the city",
        instructions="You live in the city and answer in two sentences.",
        model=ScriptedModel("gpt-4.1-mini", iter(GUIDING)),
        tools=[tool for tool in tools if tool.name == "find_restaurants"],
    )


def _desk_tools(desk: TravelDesk, listed: Sequence[Tool]) -> list[AgentTool]:
    def tool(each: Tool) -> AgentTool:
        async def run(args: dict[str, Any], call_id: str) -> CallToolResult:
            return await desk.call(each.name, args, call_id=call_id)

        return AgentTool(
            name=each.name,
            description=each.description or "",
            parameters=each.input_schema,
            source="mcp",
            server=SERVER,
            run=run,
        )

    return [tool(each) for each in listed]


def _ask_local_guide(desk: TravelDesk, guide: Agent) -> AgentTool:
    async def run(args: dict[str, Any], _call_id: str) -> str:
        leaflet = await desk.guide(TASK["city"])
        return await guide.run(f"{args['question']}\n\n{leaflet}")

    return AgentTool(
        name="ask_local_guide",
        description="Ask somebody who lives there",
        parameters={"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]},
        source="agent",
        server="agent",
        run=run,
    )
