"""What a call of a function tool costs while nobody watches, beside the bare function and beside other frameworks.

The bare side is ``await asyncio.wait_for(function(**arguments), 30)``; a call of the tool has validation in it, and may
cost 0.3 of that. Short rounds of both sides alternate, in processor time, and each ratio is the median over the rounds.
Exits with 1 when the budget is missed.

Other frameworks are measured where they are installed, each in its own interpreter beside the bare side of that
interpreter; what is not there is left out.

    python benchmarks/function_tool.py [--json] [--rounds N]
"""

import argparse
import asyncio
import json
import logging
import statistics
import subprocess
import sys
import time
from pathlib import Path

CALLS = 300
ARGUMENTS = {"query": "tools", "limit": 5}
BUDGET = 0.3
CHECKOUT = Path(__file__).resolve().parents[1]
PEERS = {"langchain-core": "current", "agent-framework": "current", "fast-agent": "fast-agent", "toolkit": "fast-agent"}


async def search(query: str, limit: int = 10) -> str:
    """Search the documents."""
    return f"{limit} about {query}"


async def call_bare():
    return await asyncio.wait_for(search(**ARGUMENTS), 30)


def toolkit_call():
    sys.path.insert(0, str(CHECKOUT))
    from toolkit.call import ToolCall
    from toolkit.context import ToolContext
    from toolkit.functions import FunctionTool

    tool, context = FunctionTool(search), ToolContext()

    async def call():
        return await tool(ToolCall("search", ARGUMENTS, "call-1"), context)

    return call


def langchain_call():
    from langchain_core.tools import tool

    made = tool(search)

    async def call():
        return await made.ainvoke(ARGUMENTS)

    return call


def agent_framework_call():
    import agent_framework

    made = agent_framework.tool(search)

    async def call():
        return await made.invoke(arguments=ARGUMENTS)

    return call


def fast_agent_call():
    from fast_agent.tools.function_tool_loader import build_default_function_tool

    made = build_default_function_tool(search)

    async def call():
        return await made.run(ARGUMENTS)

    return call


CALLERS = {
    "langchain-core": langchain_call,
    "agent-framework": agent_framework_call,
    "fast-agent": fast_agent_call,
    "toolkit": toolkit_call,
}


async def time_us(call):
    start = time.process_time()
    for _ in range(CALLS):
        await call()
    return (time.process_time() - start) / CALLS * 1e6


async def compare(names, rounds):
    """Return one row a round: the bare side, then what was asked for."""
    calls = [call_bare, *(CALLERS[name]() for name in names)]
    for call in calls:
        await call()
    return [[await time_us(call) for call in calls] for _ in range(rounds)]


def median(values):
    return round(statistics.median(values), 2)


def measure_ours(rounds):
    rows = asyncio.run(compare(["toolkit"], rounds))
    return {
        "bare_us": median(bare for bare, _ in rows),
        "call_us": median(call for _, call in rows),
        "ratio": median(call / bare for bare, call in rows),
        "budget": BUDGET,
    }


def measure_peer(name, rounds):
    logging.disable(logging.CRITICAL)
    rows = asyncio.run(compare([name], rounds))
    return {
        "name": name,
        "python": sys.version.split()[0],
        "bare_us": median(bare for bare, _ in rows),
        "call_us": median(call for _, call in rows),
        "ratio": median(call / bare for bare, call in rows),
    }


def measure_peers(rounds):
    for name, environment in PEERS.items():
        python = CHECKOUT / ".venv" / "frameworks" / environment / "bin" / "python"
        if not python.exists():
            continue
        command = [str(python), __file__, "--peer", name, "--rounds", str(rounds)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            yield json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--rounds", type=int, default=41, help="rounds of each side (default: %(default)s)")
    parser.add_argument("--peer", choices=CALLERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        print(json.dumps(measure_peer(options.peer, options.rounds)))
        return 0
    ours, peers = measure_ours(options.rounds), list(measure_peers(options.rounds))
    is_missed = ours["ratio"] > BUDGET
    if options.json:
        print(
            json.dumps(
                {"python": sys.version.split()[0], "toolkit": ours, "peers": peers, "missed": is_missed}, indent=2
            )
        )
        return int(is_missed)
    print(f"Python {sys.version.split()[0]}   microseconds a call")
    print("bare {bare_us}, toolkit {call_us}, ratio {ratio}, budget {budget}".format(**ours))
    print(f"\n{'':<20}{'python':>12}{'bare':>9}{'call':>9}{'ratio':>8}")
    own = {"name": "toolkit", "python": sys.version.split()[0], **ours}
    for each in [own, *peers]:
        print("{name:<20}{python:>12}{bare_us:>9}{call_us:>9}{ratio:>8}".format(**each))
    if is_missed:
        print("over budget")
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
