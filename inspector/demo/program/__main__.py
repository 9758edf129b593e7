"""``python -m inspector.demo.program``: have the trip planned and print the answer.

Nothing in it records: ``inspector run -m inspector.demo.program`` does. With ``--hang`` it stops at a tool call that
never ends, which is how a killed agent is tried out.
"""

import argparse
import asyncio
import sys
from importlib import import_module

from inspector.demo.program.trip import BRIEF, weekend_trip
from toolkit.errors import ToolkitError
from toolkit.extras import need


def main() -> None:
    """Read the command line, run the demo, and exit with 1 and one line where it cannot run."""
    parser = argparse.ArgumentParser(prog="python -m inspector.demo.program", description="Have a weekend planned.")
    parser.add_argument("--hang", action="store_true", help="stay inside a tool call for ever, to be killed")
    parser.add_argument("--rule", default="", metavar="TEXT", help="one more thing that the planner is told")
    parser.add_argument("--quiet", action="store_true", help="print nothing")
    options = parser.parse_args()
    try:
        need("mcp", extra="mcp", purpose="the demo")
        # Importing the SDK takes a second, which is no part of the trip.
        import_module("toolkit.mcp.connection")
        answer = asyncio.run(weekend_trip(rule=options.rule, hang=options.hang).run(BRIEF))
    except ToolkitError as error:
        sys.exit(f"demo: {error}")
    if not options.quiet:
        sys.stdout.write(f"{answer}\n")


if __name__ == "__main__":
    main()
