"""What a ``ToolNode`` costs over ``asyncio.gather`` of the bare functions, for answers with 1, 3 and 50 tool calls.

The functions do nothing, so all that is measured is what stands around them: parsing the calls, finding the tools,
validation, hooks without a subscriber, the task group. Rounds of both sides alternate, and each ratio is the median
over the rounds. Exits with 1 when a call costs more than its budget.

    python benchmarks/toolnode.py [--json] [--rounds N]
"""

import argparse
import asyncio
import json
import statistics
import sys
import time

from toolkit.functions import FunctionTool
from toolkit.node import ToolNode

COUNTS = (1, 3, 50)
CALLS_A_ROUND = 300
BUDGET = 10.0
"""How many times the cost of a bare function's task; a task is some microseconds, a model's answer a second."""


async def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


async def time_bare_us(count):
    start = time.perf_counter()
    for _ in range(CALLS_A_ROUND // count):
        # What anybody has to do to call a function that a model named: its arguments are text.
        await asyncio.gather(*(add(**json.loads('{"a": 1, "b": 2}')) for _ in range(count)))
    return (time.perf_counter() - start) / (CALLS_A_ROUND // count * count) * 1e6


async def time_node_us(node, calls):
    start = time.perf_counter()
    for _ in range(CALLS_A_ROUND // len(calls)):
        await node.invoke(calls)
    return (time.perf_counter() - start) / (CALLS_A_ROUND // len(calls) * len(calls)) * 1e6


async def compare(node, count, rounds):
    calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}
        for n in range(count)
    ]
    results = await node.invoke(calls)
    assert [each.is_error for each in results] == [False] * count, results[0].text
    pairs = [(await time_bare_us(count), await time_node_us(node, calls)) for _ in range(rounds)]
    return {
        "calls": count,
        "bare_us": round(statistics.median(bare for bare, _ in pairs), 2),
        "node_us": round(statistics.median(own for _, own in pairs), 2),
        "ratio": round(statistics.median(own / bare for bare, own in pairs), 2),
        "budget": BUDGET,
    }


async def compare_all(rounds):
    node = ToolNode([FunctionTool(add)])
    return [await compare(node, count, rounds) for count in COUNTS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--rounds", type=int, default=41, help="rounds of each case (default: %(default)s)")
    options = parser.parse_args()
    results = asyncio.run(compare_all(options.rounds))
    missed = [result["calls"] for result in results if result["ratio"] > result["budget"]]
    if options.json:
        print(json.dumps({"python": sys.version.split()[0], "results": results, "missed": missed}, indent=2))
    else:
        print(
            f"Python {sys.version.split()[0]}   microseconds a call, and ratio to asyncio.gather of the bare functions"
        )
        print(f"{'calls':<8}{'bare':>8}{'node':>8}{'ratio':>8}{'budget':>8}")
        for result in results:
            print("{calls:<8}{bare_us:>8}{node_us:>8}{ratio:>8}{budget:>8}".format(**result))
        if missed:
            print(f"over budget: {', '.join(map(str, missed))} calls")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
