"""``inspector demo``: something to look at before there is an agent of one's own."""

from pathlib import Path

import click

from inspector.cli.options import WholeNumber, home_option, open_option


@click.command()
@click.option("--once", is_flag=True, help="Draw the run and exit instead of serving it.")
@click.option("--port", type=WholeNumber(0, 65535), metavar="PORT", help="Port instead of 7800; 0 takes a free one.")
@open_option
@home_option
def demo(*, once: bool, port: int | None, no_open: bool, home: Path | None) -> None:
    """Run a small agent against a real MCP server, record both, draw the run and serve it, opened on that run.

    Its model is scripted: no key, no network, two seconds.
    """
    from inspector.cli.drawing import trace_lines
    from inspector.cli.home import settings_of
    from inspector.cli.lookup import await_trace, trace_events
    from inspector.cli.notices import notice
    from inspector.cli.ownership import current_owner
    from inspector.cli.terminal import standard_output
    from inspector.demo import run_demo
    from inspector.ingest import open_home

    terminal = standard_output()
    settings = settings_of(home, port=port)
    notice("planning a weekend trip ...")
    trace_id = run_demo(settings)
    with open_home(settings) as store:
        trace = await_trace(store, trace_id)
        terminal.write(trace_lines(trace, trace_events(store, trace_id), terminal))
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
