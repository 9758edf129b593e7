"""An MCP server named `time`. Its clock stands still, so that the example always says the same.

Run it with `python examples/pmo/time_server.py` from any MCP client.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from toolkit.serving import ToolServer

NOW = datetime(2026, 11, 20, 14, 30, tzinfo=UTC)
HOURS_FROM_UTC = {"America/New_York": -5, "Europe/London": 0, "UTC": 0}

Timezone = Annotated[Literal["America/New_York", "Europe/London", "UTC"], "An IANA name"]


def get_time(timezone: Timezone = "UTC") -> str:
    """Say what time it is somewhere."""
    return f"{NOW + timedelta(hours=HOURS_FROM_UTC[timezone]):%H:%M} in {timezone}"


def convert_time(time: str, timezone: Timezone) -> str:
    """Say what a time in UTC, as in 14:30, is somewhere else."""
    there = datetime.strptime(time, "%H:%M").replace(tzinfo=UTC) + timedelta(hours=HOURS_FROM_UTC[timezone])
    return f"{there:%H:%M} in {timezone}"


if __name__ == "__main__":
    asyncio.run(ToolServer([get_time, convert_time], name="time").serve())
