"""``toolkit run``."""

import asyncio
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli.children import children_shown
from toolkit.cli.options import agent_option, application, cards_argument
from toolkit.cli.text import say, shown
from toolkit.errors import NoAnswer

if TYPE_CHECKING:
    from toolkit.declare import FastAgent


@click.command()
@cards_argument
@agent_option
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
    fast = application(config)
    for card in cards:
        fast.load_agents(card)
    asyncio.run(_answer(fast, agent, model, _message(message), quiet=quiet))


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
    sys.stderr.write(shown(line) + "\n")
    sys.stderr.flush()
