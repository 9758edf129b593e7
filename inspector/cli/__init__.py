"""The command ``inspector``: serves, lists, follows and draws what was recorded.

Only :func:`main` is public. Every command is a module of `inspector.cli.commands` and is imported when it is asked for,
so that ``inspector --help`` loads click and nothing else.
"""

import os
import sys

__all__ = ["main"]

EXTRA_MISSING = 'inspector: the command line is not installed; run: pip install "mcp-agent-inspector[inspector]"'
"""The one line for an installation without the extra, where only ``instrument`` works."""

INTERRUPTED = 130
"""The exit code of a shell for a program that SIGINT ended."""


def main() -> None:
    """Run the command line on ``sys.argv`` and exit with its code, without a traceback for anything foreseeable."""
    if "run" not in sys.argv[1:3]:
        # The plug-ins of other packages, such as logfire's, cost seconds and are no use here; a program that is run
        # gets the environment as it is.
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from inspector.cli.app import run
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "inspector":
            raise
        sys.exit(EXTRA_MISSING)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(run(sys.argv[1:]))
