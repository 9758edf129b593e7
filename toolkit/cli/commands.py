"""The commands ``check``, ``run`` and ``tools``, and what they share: cards, and the application made of them."""

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toolkit.cli.children import children_shown
from toolkit.errors import CardInvalid, CardProblem, NoAnswer
from toolkit.people.terminal import visible
from toolkit.tool_class import Tool

if TYPE_CHECKING:
    from toolkit.declare import FastAgent

C = TypeVar("C", bound=Callable[..., Any])


def without_controls(text: str) -> str:
    """Return ``text`` with symbols for what a terminal would obey; tabs and ends of lines stay."""
    return "\t".join(visible(part) for part in text.split("\t"))


def say(text: str, *, end: str = "\n") -> None:
    """Write to standard output at once: as it is for a program, harmless for a terminal."""
    encoding = sys.stdout.encoding or "ascii"
    harmless = without_controls(text) if sys.stdout.isatty() else text
    sys.stdout.write(harmless.encode(encoding, "replace").decode(encoding) + end)
    sys.stdout.flush()


def _cards(command: C) -> C:
    """Take cards, folders of cards and addresses of cards, and the file of settings."""
    command = click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="File of MCP servers and the model; by default fastagent.config.yaml beside the card or in this folder.",
    )(command)
    return click.argument("cards", metavar="CARD...", nargs=-1, required=True)(command)


_agent = click.option("--agent", metavar="NAME", help="This agent, instead of the default agent of the cards.")


def _application(config: Path | None, *cards: str) -> "FastAgent":
    """Return an application with the agents of cards; who is at the terminal approves what its tools ask."""
    from toolkit.context import ToolContext
    from toolkit.declare import FastAgent
    from toolkit.people.terminal import Terminal

    fast = FastAgent("toolkit", config=config, context=ToolContext(approver=Terminal().answer))
    for card in cards:
        fast.load_agents(card)
    return fast


@click.command(short_help="Say all that is wrong with cards.")
@_cards
def check(cards: tuple[str, ...], config: Path | None) -> int:
    """Say all that is wrong with cards, each with its file and line.

    CARD is a file, a folder or an http(s) address. The functions and the middleware that the cards name are loaded,
    which runs their files; no server is started and no model is asked.
    """
    from toolkit.declare.cards import read_cards

    fast = _application(config)
    problems: list[CardProblem] = []
    for place in cards:
        configs, wrong = read_cards(place)
        fast.configs += configs
        problems += wrong
    try:
        # What a card that cannot be read would have declared is missing, not wrong.
        problems += [problem for problem in fast.check() if not problems or "there is no agent" not in problem.message]
    except CardInvalid as error:
        problems += error.problems
    for problem in sorted(dict.fromkeys(problems), key=lambda problem: (problem.source, problem.line)):
        say(str(problem))
    if not problems:
        names = ", ".join(config.name for config in fast.configs)
        say(f"{len(fast.configs)} {'agent' if len(fast.configs) == 1 else 'agents'}, nothing wrong: {names}")
    return 1 if problems else 0


@click.command()
@_cards
@_agent
@click.option(
    "--model",
    metavar="SPEC",
    help="openai:NAME, NAME alone or scripted:FILE, for all agents; OPENAI_API_KEY and OPENAI_BASE_URL are read.",
)
@click.option("--message", metavar="TEXT", help="What the agent is told; by default what is on standard input.")
@click.option("--quiet", is_flag=True, help="Do not say which agents are at work.")
def run(
    cards: tuple[str, ...],
    config: Path | None,
    agent: str | None,
    model: str | None,
    message: str | None,
    *,
    quiet: bool,
) -> None:
    """Send a message to the agent of a card and print its answer.

    CARD is a file, a folder or an http(s) address. What the cards name is loaded and run, and the MCP servers of the
    agents are started. On a terminal the answer appears as it comes.
    """
    asyncio.run(_answer(_application(config, *cards), agent, model, _message(message), quiet=quiet))


def _message(message: str | None) -> str:
    text = message
    if text is None and not sys.stdin.isatty():
        text = sys.stdin.read()
    if text is None or not text.strip():
        raise click.UsageError("no message; pass --message TEXT, or write it to standard input")
    return text


async def _answer(fast: "FastAgent", agent: str | None, model: str | None, message: str, *, quiet: bool) -> None:
    limits = {config.name: config.max_display_instances for config in fast.configs}
    streams = sys.stdout.isatty()
    with nullcontext() if quiet else children_shown(limits, _note):
        async with fast.run(model=model, agent=agent) as agents:
            result = await agents.default.run(message, on_text=_piece if streams else None)
    if result.problem is not None:
        raise NoAnswer(result.problem)
    say("" if streams else result.text)


async def _piece(text: str) -> None:
    say(text, end="")


def _note(line: str) -> None:
    sys.stderr.write(without_controls(line) + "\n")
    sys.stderr.flush()


@click.command(short_help="List the tools that the agent of a card has.")
@_cards
@_agent
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with the schemas.")
def tools(cards: tuple[str, ...], config: Path | None, agent: str | None, *, as_json: bool) -> None:
    """List the tools that the agent of a card has: name, source, description.

    CARD is a file, a folder or an http(s) address. The agent's MCP servers are started for it; no model is asked.
    """
    listed = asyncio.run(_application(config, *cards).tools(agent))
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
