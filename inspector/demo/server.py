"""The demo's MCP server, a travel desk over stdio: tools, a city guide and a prompt template.

It records itself: its middleware emits the inbound half of every request and its tools emit theirs. Standard output
belongs to the protocol; nothing else may be written there.
"""

import functools
import sys
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from opentelemetry import baggage, propagate

import inspector
from inspector import context, semconv
from instrument import around

OPEN = "the travel desk is open\n"
"""What the server says on standard error once it reads requests."""

P = ParamSpec("P")
T = TypeVar("T")

HOTELS: tuple[dict[str, Any], ...] = (
    {"hotel": "Casa do Largo", "district": "Alfama", "price_eur": 118},
    {"hotel": "Hotel Miradouro", "district": "Graça", "price_eur": 96},
    {"hotel": "Pensão Tejo", "district": "Baixa", "price_eur": 82},
)
GUIDE = """# Lisbon in two days
Saturday: walk up through Alfama, take tram 28 before ten, see the river from Miradouro da Graça at sunset.
Sunday: pastries in Belém, the tile museum when it rains, fado in a small house, never the one with the touts.
"""


def recorded(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Emit the tool hooks around a tool, inside the request that called it."""

    @functools.wraps(tool)
    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        given = {name: value for name, value in kwargs.items() if not isinstance(value, Context)}
        origin = {"tool_source": "function", "server_name": "travel_desk"}
        async with around("tool_call", tool_name=tool.__name__, args=given, context=origin) as call:
            result = await tool(*args, **kwargs)
            call.set(result=result)
            return result

    return run


@recorded
async def weather(city: str) -> dict[str, Any]:
    """Tell the weather of the coming weekend in a city."""
    await anyio.sleep(0.14)
    return {"city": city, "saturday": "sunny, 24 °C", "sunday": "showers after noon, 19 °C"}


@recorded
async def find_hotels(city: str, max_price_eur: int, desk: Context) -> list[dict[str, Any]]:
    """Find hotels in a city that cost at most so much a night."""
    found: list[dict[str, Any]] = []
    for done, hotel in enumerate(HOTELS, start=1):
        await anyio.sleep(0.07)
        found += [hotel] if hotel["price_eur"] <= max_price_eur else []
        await desk.report_progress(done, len(HOTELS), f"asked {hotel['hotel']} in {city}")
    return found


@recorded
async def find_restaurants(district: str) -> list[str]:
    """Find places to eat in a district."""
    await anyio.sleep(0.09)
    return [f"Tasca da Esquina ({district}), grilled sardines", f"O Eléctrico ({district}), petiscos until late"]


_attempts = 0


@recorded
async def book_hotel(hotel: str, nights: int, guests: int) -> dict[str, Any]:
    """Book a room. The desk's first attempt always fails, as first attempts do."""
    global _attempts  # noqa: PLW0603 - the process is the desk
    _attempts += 1
    await anyio.sleep(0.12)
    if _attempts == 1:
        raise ToolError(f"{hotel} did not answer in time, nothing was booked; please try again")
    return {"confirmation": "LX-2047", "hotel": hotel, "nights": nights, "guests": guests}


@recorded
async def call_hotel(hotel: str, message: str) -> str:
    """Ring a hotel until somebody picks up. At this desk nobody ever does."""
    await anyio.sleep_forever()
    return f"{hotel} heard: {message}"


def trip_brief(city: str, nights: str, budget: str) -> str:
    """Write the brief that a trip is planned from."""
    return f"Plan {nights} nights in {city} for two people. Spend at most {budget}. Book the hotel, then sum it all up."


async def record_request(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Emit the RPC hooks around a request that came in, in the session that its baggage names."""
    if ctx.request_id is None:
        return await call_next(ctx)
    request = {"jsonrpc": "2.0", "id": ctx.request_id, "method": ctx.method, "params": dict(ctx.params or {})}
    session = baggage.get_baggage(semconv.SESSION_ID, propagate.extract(ctx.meta or {}))
    context.set(session if isinstance(session, str) else None)
    async with around("rpc_request", envelope=request, transport="stdio", direction="inbound") as call:
        result = await call_next(ctx)
        call.set(envelope={"jsonrpc": "2.0", "id": ctx.request_id, "result": result})
        return result


def create_server() -> MCPServer:
    """Put the desk together."""
    server = MCPServer("travel_desk", version="1", log_level="CRITICAL", middleware=[record_request])
    for tool in (weather, find_hotels, find_restaurants, book_hotel, call_hotel):
        server.add_tool(tool)
    server.prompt()(trip_brief)

    @server.resource("guide://lisbon", mime_type="text/markdown")
    def guide() -> str:  # pyright: ignore[reportUnusedFunction] - the decorator keeps it
        """Two days in Lisbon, by people who live there."""
        return GUIDE

    return server


if __name__ == "__main__":
    inspector.attach(service="travel-desk", integrations=False)
    desk = create_server()
    sys.stderr.write(OPEN)
    sys.stderr.flush()
    desk.run("stdio")
