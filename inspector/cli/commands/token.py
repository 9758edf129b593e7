"""``inspector token``: the token that a program sends to the API."""

from pathlib import Path

import click

from inspector.cli.options import OneOf, home_option


@click.command()
@click.option(
    "--scope",
    type=OneOf(["read", "ingest", "control"]),
    help="Print a token that can only read, only add spans, or read and change; default: one that can do everything.",
)
@home_option
def token(*, scope: str | None, home: Path | None) -> None:
    """Print the token for the API.

    For example: curl -H "Authorization: Bearer $(inspector token --scope read)" http://127.0.0.1:7800/events
    """
    from inspector.api.access.tokens import load_or_create
    from inspector.cli.home import settings_of
    from inspector.cli.output.terminal import standard_output

    terminal = standard_output()
    secret = load_or_create(settings_of(home))
    terminal.write([secret.derive(scope) if scope else secret.secret])
