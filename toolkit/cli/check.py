"""``toolkit check``."""

from pathlib import Path

import click

from toolkit.cli.options import application, cards_argument
from toolkit.cli.text import say
from toolkit.errors import CardInvalid, CardProblem


@click.command(short_help="Say all that is wrong with cards.")
@cards_argument
def check(cards: tuple[str, ...], config: Path | None) -> int:
    """Say all that is wrong with cards, each with its file and line.

    CARD is a file, a folder or an http(s) address. The functions and the middleware that the cards name are loaded,
    which runs their files; no server is started and no model is asked.
    """
    from toolkit.declare.cards import read_cards

    fast = application(config)
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
