"""A run to look at: an agent with a scripted model against a real MCP server, recorded from both processes."""

from inspector.demo.errors import DemoError, DeskClosedError
from inspector.demo.run import run_demo

__all__ = ["DemoError", "DeskClosedError", "run_demo"]
