"""What several commands take, and the application that it makes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from toolkit.declare import FastAgent

C = TypeVar("C", bound=Callable[..., Any])


def cards_argument(command: C) -> C:
    """Take cards, folders of cards and addresses of cards, and the file of settings."""
    command = click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="File of MCP servers and the model; by default fastagent.config.yaml beside the card or in this folder.",
    )(command)
    return click.argument("cards", metavar="CARD...", nargs=-1, required=True)(command)


def agent_option(command: C) -> C:
    """Take the name of an agent."""
    return click.option("--agent", metavar="NAME", help="This agent, instead of the default agent of the cards.")(
        command
    )


def application(config: Path | None) -> "FastAgent":
    """Return an application without agents yet; who is at the terminal approves what its tools ask."""
    from toolkit.context import ToolContext
    from toolkit.declare import FastAgent
    from toolkit.people.terminal import Terminal

    return FastAgent("toolkit", config=config, context=ToolContext(approver=Terminal().answer))
