"""AG2: agents and tools.

Its middleware is each agent's, and the program's. So functions are wrapped:

- ``Agent._drive_scope``, which all ways to run an agent get what drives a turn from.
- ``__call__`` of ``FunctionTool`` and of tools of MCP servers, once per attempt, with ``asolve`` of its function's
  model as what it does.
- ``_execute_call`` of the tools' executor, which tells of calls of unknown tools.

Models call an SDK or HTTP, and are recorded there.
"""

from inspector.integrations.ag2.runs import scoped
from inspector.integrations.ag2.tools import called, refused
from inspector.integrations.patches import Patches

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Wrap agents and tools."""
    patches.wrap_once_imported("ag2.agent", "Agent", {"_drive_scope": scoped})
    patches.wrap_once_imported("ag2.tools.final.function_tool", "FunctionTool", {"__call__": called})
    patches.wrap_once_imported("ag2.tools.toolkits.mcp_server.toolkit", "_MCPProxyTool", {"__call__": called})
    patches.wrap_once_imported("ag2.tools.executor", None, {"_execute_call": refused})
