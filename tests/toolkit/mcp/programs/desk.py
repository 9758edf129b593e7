"""A travel desk by the SDK's own server: over standard input, or over HTTP on the port that it is given.

What its tools did is appended to the file that DESK_LEDGER names.
"""

import os
import sys
from pathlib import Path

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel

LEDGER = Path(os.environ["DESK_LEDGER"]) if "DESK_LEDGER" in os.environ else None

desk = MCPServer("travel_desk", log_level="CRITICAL")


class Yes(BaseModel):
    sure: bool


class Age(BaseModel):
    years: int


def note(what: str) -> None:
    if LEDGER is not None:
        with LEDGER.open("a") as file:
            file.write(f"{what}\n")


@desk.tool()
async def weather(city: str, day: str = "saturday") -> dict[str, str]:
    """Tell the weather in a city."""
    note(f"weather {city}")
    return {"city": city, day: "sunny"}


@desk.tool()
async def variables() -> dict[str, str]:
    """Tell the environment."""
    return dict(os.environ)


@desk.tool()
async def steps(desk: Context) -> str:
    """Go in steps."""
    for done in (1, 2, 3):
        await desk.report_progress(done, 3, f"step {done}")
    return "there"


@desk.tool()
async def wait() -> str:
    """Wait for ever."""
    note("waiting")
    try:
        await anyio.sleep_forever()
    except BaseException:
        note("stopped waiting")
        raise
    return ""


@desk.tool()
async def fail() -> str:
    """Fail."""
    raise ToolError("no such hotel")


@desk.tool()
async def die() -> str:
    """End the process."""
    note("died")
    os._exit(3)


@desk.tool(annotations=ToolAnnotations(idempotent_hint=True))
async def die_once() -> str:
    """End the process, but the first time only."""
    before = LEDGER is not None and "died once" in LEDGER.read_text().splitlines() if LEDGER.exists() else False
    note("died once")
    if not before:
        os._exit(3)
    return "alive"


@desk.tool()
async def learn(desk: Context) -> str:
    """Learn another tool."""
    desk_of_all = desk.mcp_server
    desk_of_all.add_tool(lambda: "new", name="learned", description="New.")
    await desk.session.send_tool_list_changed()
    return "learned"


@desk.tool()
async def confirm(desk: Context) -> str:
    """Ask the user whether."""
    answer = await desk.elicit("book it?", Yes)
    return f"{answer.action} {answer.data.sure if answer.action == 'accept' else ''}".strip()


@desk.tool()
async def age(desk: Context) -> str:
    """Ask the user what no yes answers."""
    answer = await desk.elicit("how old?", Age)
    return f"{answer.action} {answer.data.years if answer.action == 'accept' else ''}".strip()


@desk.resource("guide://lisbon", mime_type="text/markdown")
def guide() -> str:
    """Two days in Lisbon."""
    return "# Lisbon"


@desk.prompt()
def brief(city: str, nights: str = "2") -> str:
    """Write the brief of a trip."""
    return f"Plan {nights} nights in {city}."


if __name__ == "__main__":
    sys.stderr.write("the desk is open\n")
    sys.stderr.flush()
    note(f"pid {os.getpid()}")
    if len(sys.argv) > 1:
        desk.run("streamable-http", port=int(sys.argv[1]))
    else:
        desk.run("stdio")
