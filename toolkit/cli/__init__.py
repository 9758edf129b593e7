"""The command ``toolkit``: runs, checks and lists what AgentCards declare.

Only :func:`main` is public.
"""

import sys

__all__ = ["main"]

EXTRA_MISSING = 'toolkit: the command line is not installed; run: pip install "mcp-agent-inspector[toolkit]"'
"""The one line for an installation without the extra."""


def main() -> None:
    """Run the command line on ``sys.argv`` and exit with its code, without a traceback for anything foreseeable."""
    try:
        from toolkit.cli.app import run
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "toolkit":
            raise
        sys.exit(EXTRA_MISSING)
    sys.exit(run(sys.argv[1:]))
