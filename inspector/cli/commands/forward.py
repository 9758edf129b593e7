"""``inspector forward``: sends what programs left in the outbox."""

from pathlib import Path

import click

from inspector.cli.options import home_option


@click.command()
@click.option(
    "--endpoint",
    metavar="URL",
    help="Receiver instead of $INSPECTOR_ENDPOINT; the headers of that one are not sent to it.",
)
@home_option
def forward(*, endpoint: str | None, home: Path | None) -> None:
    """Send recordings for another inspector or OTLP receiver that the programs could not send themselves."""
    from inspector.cli.errors import CliError
    from inspector.cli.home import settings_of
    from inspector.cli.output.notices import notice
    from inspector.forward import (
        Endpoint,
        Outbox,
        Sender,
        advice_on,
        as_answer,
        left_over,
        take_lock,
        waiting_elsewhere,
    )

    settings = settings_of(home)
    target = Endpoint.chosen(
        endpoint,
        configured=settings.endpoint,
        headers=settings.endpoint_headers.get_secret_value(),
        protocol=settings.endpoint_protocol,
    )
    if target is None:
        raise click.UsageError("no receiver: set INSPECTOR_ENDPOINT or give --endpoint http://host:port")
    directory = settings.outbox / target.key
    if not left_over(directory):
        others = waiting_elsewhere(settings.outbox, target.url)
        notice(f"nothing waits for {target.url}" + "".join(f"; something waits for {url}" for url in others))
        return
    if take_lock(directory, target.url) is None:
        raise CliError(f"a running program is sending to {target.url}; it sends what waits too")
    outbox = Outbox(directory, Sender(target))
    # Twice: what a process left open is known once all of its files were read.
    is_sent = outbox.send_waiting() and outbox.send_waiting()
    sent = outbox.total
    refused = f"; {sent.refused:,} were refused" if sent.refused else ""
    if not is_sent:
        advice = advice_on(outbox.problem)
        rest = "the rest waits" + (f": {target.url} {as_answer(outbox.problem)}" if outbox.problem else "")
        raise CliError(f"sent {sent.spans:,} spans{refused}; {rest}" + (f"\n{advice}" if advice else ""))
    notice(f"sent {sent.spans:,} spans to {target.url}{refused}")
