"""A run to look at: an agent with a scripted model and a real MCP server, both recorded."""

from typing import TYPE_CHECKING, Any

from inspector.demo.errors import DemoError

if TYPE_CHECKING:
    # What a type checker and an editor see; at run time without the extra, the program can still say what is missing.
    from inspector.demo.run import run_demo

__all__ = ["DemoError", "run_demo"]


def __getattr__(name: str) -> Any:
    if name != "run_demo":
        raise AttributeError(f"module 'inspector.demo' has no attribute {name!r}")
    from inspector.demo.run import run_demo

    return run_demo
