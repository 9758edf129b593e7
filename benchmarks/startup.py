"""How long ``inspector --help``, ``import toolkit`` and a first tool take, beside an empty Python: the least of some.

Exits with 1 when what the toolkit takes is over its budget, in milliseconds above an empty Python.

Bytecode is cached in a directory of its own, as an installation has it, whatever PYTHONDONTWRITEBYTECODE says here.
"""

import os
import subprocess
import sys
import tempfile
import time

RUNS = 10
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "python -c 'import click'": ["-c", "import click"],
    "inspector --help": ["-m", "inspector.cli", "--help"],
    "inspector events --help": ["-m", "inspector.cli", "events", "--help"],
    "inspector version": ["-m", "inspector.cli", "version"],
    "import toolkit": ["-c", "import toolkit"],
    "import the core of it": ["-c", "from toolkit import Agent, ToolNode, tool"],
    "to the first decorated tool": ["-c", "from toolkit import tool\n@tool\ndef add(x: int) -> int: return x + 1"],
}
GOAL_MS = 150
TOOLKIT_BUDGETS_MS = {"import toolkit": 40, "to the first decorated tool": 250}


def least_ms(arguments, environment):
    times = []
    for _ in range(RUNS + 1):
        began = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
        times.append((time.perf_counter() - began) * 1000)
    return min(times)


def main():
    with tempfile.TemporaryDirectory() as cache:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPYCACHEPREFIX": cache}
        found = {name: least_ms(arguments, environment) for name, arguments in COMMANDS.items()}
    bare = found["python -c pass"]
    print(f"{'start-up':28}{'ms':>8}{'of bare Python':>18}")
    for name, spent in found.items():
        print(f"{name:28}{spent:8.0f}{spent / bare:18.1f}")
    print(f"goal: inspector --help under {GOAL_MS} ms on an idle machine")
    added = {name: found[name] - bare for name in TOOLKIT_BUDGETS_MS}
    for name, spent in added.items():
        print(f"{name} adds {spent:.0f} ms to Python, budget {TOOLKIT_BUDGETS_MS[name]}")
    return int(any(spent > TOOLKIT_BUDGETS_MS[name] for name, spent in added.items()))


if __name__ == "__main__":
    sys.exit(main())
