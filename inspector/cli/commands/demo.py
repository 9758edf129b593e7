"""``inspector demo``: something to look at before you have an agent of your own."""

import errno
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspector.cli.options import WholeNumber, home_option, open_option

if TYPE_CHECKING:
    from inspector.settings import Settings


@click.command()
@click.option("--once", is_flag=True, help="Draw the run and exit, without serving it.")
@click.option("--port", type=WholeNumber(0, 65535), metavar="PORT", help="Port instead of 7800; 0 picks a free one.")
@open_option
@home_option
def demo(*, once: bool, port: int | None, no_open: bool, home: Path | None) -> None:
    """Run a small agent against a real MCP server, record both, and show the run in the terminal and the browser.

    Its model is scripted: it needs no key and no network, and takes a few seconds.
    """
    from inspector.cli.drawing.replayable import replay_lines
    from inspector.cli.drawing.shaping import TreeShape
    from inspector.cli.drawing.trace import trace_lines
    from inspector.cli.home import settings_of
    from inspector.cli.lookup import await_trace
    from inspector.cli.opening import opened
    from inspector.cli.output.notices import notice
    from inspector.cli.output.terminal import standard_output
    from inspector.cli.ownership import current_owner
    from inspector.demo import run_demo
    from inspector.lookup import events_of

    terminal = standard_output()
    settings = settings_of(home, port=port)
    if not once:
        settings = _with_a_port(settings)
    notice("planning a weekend trip ...")
    trace_id = run_demo(settings)
    with opened(settings) as store:
        trace = await_trace(store, trace_id)
        shape = TreeShape(everything=False)
        terminal.write(trace_lines(trace, list(events_of(store, trace_id)), terminal, shape))
        if (run := store.run(trace.run_id)) is not None:
            terminal.write(["", *replay_lines(store, run, terminal, None)])
    if once:
        return
    view = f"#/traces/{trace_id}"
    owner = current_owner(settings.lock_file)
    if owner is not None and owner.url is not None:
        notice(f"a server is already running: {owner.url}/{view}")
        return
    # Imported last: the web framework takes longer than the run's first second.
    from inspector.cli.serving import run_server

    terminal.write([""])
    run_server(settings, terminal, fragment=view, may_open=not no_open)


def _with_a_port(settings: "Settings") -> "Settings":
    """Make sure that the run can be served before it starts; if no port was given, any free one will do.

    Raises:
        CliError: The server cannot listen on the given address.
    """
    from inspector.cli.errors import CliError
    from inspector.cli.output.notices import notice
    from inspector.cli.ownership import current_owner

    owner = current_owner(settings.lock_file)
    refused = None if owner is not None and owner.url is not None else _refusal(settings)
    if refused is None:
        return settings
    if refused.errno == errno.EADDRINUSE and "port" not in settings.model_fields_set:
        notice(f"port {settings.port} is in use, so this run will be served on a free one")
        return settings.model_copy(update={"port": 0})
    raise CliError(
        f"cannot listen on {settings.host} port {settings.port}: {refused.strerror}; "
        "choose another port with --port or INSPECTOR_PORT, or 0 for any free one"
    ) from refused


def _refusal(settings: "Settings") -> OSError | None:
    """Try to listen as the server will; the API itself takes too long to import before the run."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()
    except OSError as error:
        return error
    return None
