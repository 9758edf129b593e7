"""The MCP Python SDK, 2.x and 1.x: requests of clients and answers of servers, in one trace.

The SDK publishes middleware for servers (``Server.middleware``, ``Extension.intercept_tool_call``, 2.x alone), but each
has to be put into a server object of the program's, and there is nothing for clients. So the functions that all of a
generation's requests go through are wrapped: `sdk2` and `sdk1` list them with the reasons. `reaching` wraps what sends
them over HTTP.
"""

from importlib import import_module
from importlib.util import find_spec

from inspector.integrations.mcp import sdk1, sdk2
from inspector.integrations.mcp.reaching import note_failures
from inspector.integrations.mcp.requests import unopened
from inspector.integrations.mcp.server import record_fastmcp
from inspector.integrations.mcp.servers import record_servers
from inspector.integrations.mcp.transports import note_transports
from inspector.integrations.patches import Patches


def install(patches: Patches) -> None:
    """Make the installed version of the SDK emit hooks."""
    for module in ("mcp.client.session", "mcp.server"):
        import_module(module)
    note_transports(patches, unopened)
    record_servers(patches)
    record_fastmcp(patches)
    generation = sdk2 if find_spec("mcp.shared.dispatcher") else sdk1
    generation.install(patches)
    note_failures(patches)
