"""``inspector version``: the versions to put into a bug report."""

import click

from inspector.cli.options import json_option


@click.command()
@json_option
def version(*, as_json: bool) -> None:
    """Print the versions to put into a bug report."""
    from inspector.cli.output.terminal import standard_output
    from inspector.cli.versions import versions

    terminal = standard_output()
    numbers = versions()
    if as_json:
        from inspector.cli.output.documents import write_json

        write_json(numbers, terminal)
    else:
        terminal.write(f"{name} {number}" for name, number in numbers.items())
