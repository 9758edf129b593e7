"""What a ``ToolNode`` costs over ``asyncio.gather`` of the bare functions, for answers with 1, 3 and 50 tool calls.

The functions do nothing, so all that is measured is what stands around them: parsing the calls, finding the tools,
validation, hooks without a subscriber, the tasks. Rounds of both sides alternate, in processor time, and each
ratio is the median over the rounds. Then 1,000 calls are under way at once, and what they hold is weighed. Exits with 1
when something is over its budget.

    python benchmarks/toolnode.py [--json] [--rounds N]
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
import tracemalloc

from toolkit.functions import FunctionTool
from toolkit.node import ToolNode

BUDGETS = {1: 3.0, 3: 3.0, 50: 2.5}
"""By the calls of an answer, how many times the cost of a bare function's task."""
CALLS_A_ROUND = 300
HELD = 1_000
HELD_BUDGET_MB = 50


async def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


async def time_bare_us(count):
    start = time.process_time()
    for _ in range(CALLS_A_ROUND // count):
        # What anybody has to do to call a function that a model named: its arguments are text.
        await asyncio.gather(*(add(**json.loads('{"a": 1, "b": 2}')) for _ in range(count)))
    return (time.process_time() - start) / (CALLS_A_ROUND // count * count) * 1e6


async def time_node_us(node, calls):
    start = time.process_time()
    for _ in range(CALLS_A_ROUND // len(calls)):
        await node.invoke(calls)
    return (time.process_time() - start) / (CALLS_A_ROUND // len(calls) * len(calls)) * 1e6


async def compare(node, count, rounds):
    calls = calls_of("add", count)
    results = await node.invoke(calls)
    assert [each.is_error for each in results] == [False] * count, results[0].text
    pairs = [(await time_bare_us(count), await time_node_us(node, calls)) for _ in range(rounds)]
    return {
        "calls": count,
        "bare_us": round(statistics.median(bare for bare, _ in pairs), 2),
        "node_us": round(statistics.median(own for _, own in pairs), 2),
        "ratio": round(statistics.median(own / bare for bare, own in pairs), 2),
        "budget": BUDGETS[count],
    }


async def weigh_mb():
    """Return what 1,000 calls hold while they are under way."""
    everyone, all_there = asyncio.Event(), asyncio.Event()
    waiting = 0

    async def wait(a: int, b: int = 1) -> int:
        nonlocal waiting
        waiting += 1
        if waiting == HELD:
            all_there.set()
        await everyone.wait()
        return a + b

    node = ToolNode([FunctionTool(wait)])
    await node.invoke(calls_of("missing", 1))
    calls = calls_of("wait", HELD)
    tracemalloc.start()
    work = asyncio.create_task(node.invoke(calls))
    await all_there.wait()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    everyone.set()
    await work
    return round(held / 1e6, 2)


def calls_of(name, count):
    return [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": '{"a": 1, "b": 2}'}}
        for n in range(count)
    ]


async def compare_all(rounds):
    node = ToolNode([FunctionTool(add)])
    return [await compare(node, count, rounds) for count in BUDGETS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--rounds", type=int, default=41, help="rounds of each case (default: %(default)s)")
    options = parser.parse_args()
    results = asyncio.run(compare_all(options.rounds))
    held_mb = asyncio.run(weigh_mb())
    missed = [result["calls"] for result in results if result["ratio"] > result["budget"]]
    missed += [HELD] if held_mb > HELD_BUDGET_MB else []
    if options.json:
        figures = {"python": sys.version.split()[0], "results": results, "held_mb": held_mb, "missed": missed}
        print(json.dumps(figures, indent=2))
    else:
        print(
            f"Python {sys.version.split()[0]}   microseconds a call, and ratio to asyncio.gather of the bare functions"
        )
        print(f"{'calls':<8}{'bare':>8}{'node':>8}{'ratio':>8}{'budget':>8}")
        for result in results:
            print("{calls:<8}{bare_us:>8}{node_us:>8}{ratio:>8}{budget:>8}".format(**result))
        print(f"{HELD} calls under way hold {held_mb} MB, budget {HELD_BUDGET_MB}")
        if missed:
            print(f"over budget: {', '.join(map(str, missed))} calls")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
