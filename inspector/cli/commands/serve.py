"""``inspector serve``: serves the API and the page on this machine."""

from pathlib import Path

import click

from inspector.cli.options import WholeNumber, home_option, open_option


@click.command()
@click.option(
    "--host", metavar="HOST", help="Address to listen on instead of 127.0.0.1, which only this machine can reach."
)
@click.option("--port", type=WholeNumber(0, 65535), metavar="PORT", help="Port instead of 7800; 0 picks a free one.")
@click.option(
    "--otlp-grpc-port",
    type=WholeNumber(0, 65535),
    metavar="PORT",
    help="Also accept OTLP over gRPC on this port, usually 4317; 0 picks a free one.",
)
@open_option
@home_option
def serve(*, host: str | None, port: int | None, otlp_grpc_port: int | None, no_open: bool, home: Path | None) -> None:
    """Store what programs record and serve it, until Ctrl-C."""
    from inspector.cli.home import settings_of
    from inspector.cli.output.terminal import standard_output
    from inspector.cli.serving import run_server

    settings = settings_of(home, host=host, port=port, otlp_grpc_port=otlp_grpc_port)
    run_server(settings, standard_output(), may_open=not no_open)
