"""A desk that speaks MCP, with either generation of the SDK; counts its starts and what its tools do.

python replayed_desk.py LEDGER NAME [http]    over stdio, or over HTTP on a port that it prints
"""

import os
import socket
import sys
from pathlib import Path

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer


def desk_of(ledger, name):
    def note(what):
        with Path(ledger).open("a") as file:
            file.write(f"{what}\n")

    note(f"start {name}")
    desk = MCPServer(name)

    @desk.tool()
    def weather(city: str) -> str:
        """Tell the weather."""
        note(f"weather {city}")
        return f"{name}: sun in {city}"

    @desk.tool()
    def rooms(city: str, beds: int = 1) -> list[dict[str, str | int]]:
        """Find rooms."""
        note(f"rooms {city}")
        return [{"hotel": f"Casa {city}", "beds": beds}, {"hotel": "Miradouro", "beds": beds}]

    @desk.tool()
    def wipe() -> str:
        """Fail."""
        note("wipe")
        raise ValueError(f"{name} wipes nothing")

    @desk.resource("guide://lisbon")
    def guide() -> str:
        """Tell about a city."""
        note("guide")
        return f"{name}: walk up through Alfama"

    @desk.prompt()
    def brief(city: str) -> str:
        """Say what is wanted."""
        return f"Plan two days in {city}"

    return desk


if __name__ == "__main__":
    desk = desk_of(*sys.argv[1:3])
    if sys.argv[3:] == ["http"]:
        import uvicorn

        listening = socket.create_server(("127.0.0.1", 0))
        os.write(1, b"%d\n" % listening.getsockname()[1])
        uvicorn.Server(uvicorn.Config(desk.streamable_http_app(), log_level="error")).run(sockets=[listening])
    else:
        desk.run("stdio")
