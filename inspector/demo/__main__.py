"""``python -m inspector.demo``: run the demo agent once and print the id of its trace.

With ``--hang`` it stops at a tool call that never ends, which is how a killed agent is tried out.
"""

import sys

from inspector.demo import run_demo
from inspector.settings import Settings

if __name__ == "__main__":
    sys.stdout.write(run_demo(Settings(), hang="--hang" in sys.argv[1:]) + "\n")
