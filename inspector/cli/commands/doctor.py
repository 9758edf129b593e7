"""``inspector doctor``: what is wrong with this installation, and how to fix it."""

from pathlib import Path

import click

from inspector.cli.options import home_option, json_option


@click.command()
@json_option
@home_option
def doctor(*, as_json: bool, home: Path | None) -> int:
    """Check this installation and its data, and print how to fix what is wrong.

    Changes nothing. Exits with 1 if a check fails.
    """
    from inspector.cli.doctor.checks import run_checks
    from inspector.cli.doctor.report import report_lines
    from inspector.cli.output.documents import write_json
    from inspector.cli.output.terminal import standard_output

    terminal = standard_output()
    checks = run_checks(home)
    if as_json:
        write_json({"checks": checks}, terminal)
    else:
        terminal.write(report_lines(checks, terminal))
    return 1 if any(check.level == "fail" for check in checks) else 0
