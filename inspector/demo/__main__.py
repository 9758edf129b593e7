"""``python -m inspector.demo``: run the demo agent once and print the id of its trace.

With ``--hang`` it stops at a tool call that never ends, which is how a killed agent is tried out.
"""

import argparse
import sys

_EXTRA_MISSING = 'inspector: the demo is not installed; run: pip install "mcp-agent-inspector[inspector,mcp]"'


def main() -> None:
    """Read the command line, run the demo, and exit with 1 and one line where it cannot run."""
    parser = argparse.ArgumentParser(
        prog="python -m inspector.demo", description="Run the demo agent once and print the id of its trace."
    )
    parser.add_argument("--hang", action="store_true", help="stay inside a tool call for ever, to be killed")
    hang = bool(parser.parse_args().hang)
    try:
        from inspector.demo import DemoError, run_demo
        from inspector.settings import Settings
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "inspector":
            raise
        sys.exit(_EXTRA_MISSING)
    try:
        trace_id = run_demo(Settings(), hang=hang)
    except DemoError as error:
        sys.exit(f"inspector: {error}")
    sys.stdout.write(f"{trace_id}\n")


if __name__ == "__main__":
    main()
