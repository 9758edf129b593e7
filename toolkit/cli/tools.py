"""``toolkit tools``."""

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from toolkit.cli.options import agent_option, application, cards_argument
from toolkit.cli.text import say
from toolkit.tool_class import Tool


@click.command(short_help="List the tools that the agent of a card has.")
@cards_argument
@agent_option
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with the schemas.")
def tools(cards: tuple[str, ...], config: Path | None, agent: str | None, *, as_json: bool) -> None:
    """List the tools that the agent of a card has: name, source, description.

    CARD is a file, a folder or an http(s) address. The agent's MCP servers are started for it; no model is asked.
    """
    fast = application(config)
    for card in cards:
        fast.load_agents(card)
    listed = asyncio.run(fast.tools(agent))
    if as_json:
        say(json.dumps([_json(tool) for tool in listed], indent=2, ensure_ascii=False))
        return
    sources = [f"mcp {tool.server_name}" if tool.source == "mcp" else tool.source for tool in listed]
    rows = [(tool.name, at, tool.description.partition("\n")[0]) for tool, at in zip(listed, sources, strict=True)]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for name, source, description in rows:
        say(f"{name:{widths[0]}}  {source:{widths[1]}}  {description}".rstrip())


def _json(tool: Tool) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": tool.name, "source": tool.source, "server": tool.server_name}
    entry |= {"description": tool.description, "input_schema": dict(tool.input_schema)}
    return entry if tool.output_schema is None else entry | {"output_schema": dict(tool.output_schema)}
