"""The demo's MCP server, a travel desk over stdio, written with the SDK alone as somebody else's would be."""

from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

HOTELS: tuple[dict[str, Any], ...] = (
    {"hotel": "Casa do Largo", "district": "Alfama", "price_eur": 118},
    {"hotel": "Hotel Miradouro", "district": "Graça", "price_eur": 96},
    {"hotel": "Palácio do Chiado", "district": "Chiado", "price_eur": 165},
)
LEAFLET = """# Lisbon in two days
Saturday: walk up through Alfama, take tram 28 before ten, see the river from Miradouro da Graça at sunset.
Sunday: pastries in Belém, the tile museum when it rains, fado in a small house, never the one with the touts.
"""

desk = MCPServer("travel_desk", version="1", log_level="CRITICAL")
_attempts = 0


@desk.tool()
async def weather(city: str) -> dict[str, Any]:
    """Tell the weather of the coming weekend in a city."""
    await anyio.sleep(0.14)
    return {"city": city, "saturday": "sunny, 24 °C", "sunday": "showers after noon, 19 °C"}


@desk.tool()
async def find_hotels(city: str, max_price_eur: int, context: Context) -> list[dict[str, Any]]:
    """Find hotels in a city that cost at most so much a night."""
    hotels: list[dict[str, Any]] = []
    for number, hotel in enumerate(HOTELS, start=1):
        await anyio.sleep(0.07)
        hotels += [hotel] if hotel["price_eur"] <= max_price_eur else []
        await context.report_progress(number, len(HOTELS), f"asked {hotel['hotel']} in {city}")
    return hotels


@desk.tool()
async def find_restaurants(district: str) -> list[str]:
    """Find places to eat in a district."""
    await anyio.sleep(0.09)
    return [f"Tasca da Esquina ({district}), grilled sardines", f"O Eléctrico ({district}), petiscos until late"]


@desk.tool()
async def book_hotel(hotel: str, nights: int, guests: int) -> dict[str, Any]:
    """Book a room. The desk's first attempt always fails, as first attempts do."""
    global _attempts  # noqa: PLW0603 - the process is the desk
    _attempts += 1
    await anyio.sleep(0.12)
    if _attempts == 1:
        raise ToolError(f"{hotel} did not answer in time, nothing was booked; please try again")
    return {"confirmation": "LX-2047", "hotel": hotel, "nights": nights, "guests": guests}


@desk.tool()
async def call_hotel(hotel: str, message: str) -> str:
    """Ring a hotel until somebody picks up. At this desk nobody ever does."""
    await anyio.sleep_forever()
    return f"{hotel} heard: {message}"


@desk.resource("guide://lisbon", mime_type="text/markdown")
def leaflet() -> str:
    """Two days in Lisbon, by people who live there."""
    return LEAFLET


@desk.prompt()
def trip_brief(city: str, nights: str, budget: str) -> str:
    """Write the brief that a trip is planned from."""
    return f"Plan {nights} nights in {city} for two people. Spend at most {budget}. Book the hotel, then sum it all up."


if __name__ == "__main__":
    desk.run("stdio")
