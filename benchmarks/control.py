"""What the seam for controllers costs a call: without a controller, and with one that lets every call go on.

A call of an emitter's own, and the body of a framework's tool: that is recorded in any case, and the seam is what
stands between.

Short rounds of both sides alternate, in processor time, and each figure is the median over the rounds of what a call
costs more than the same call without the seam. Exits with 1 when the budget is missed.

    python benchmarks/control.py [--json] [--rounds N]
"""

import argparse
import asyncio
import json
import statistics
import sys
import time

from inspector.integrations.calls import Call
from inspector.integrations.tool_bodies import run_body_async
from inspector.integrations.tracebacks import unseen
from instrument import control

CALLS = 2000
BUDGET_NS = 60
"""For a call without a controller."""


def work(args):
    """Do what a call does, as little as can be."""
    return args


async def call_plain(args):
    return work(args)


async def call_controlled(args):
    if control.controller is not None:
        ruling = await control.ask(control.Proposal("tool_call", "work", args), report)
        args = ruling.args
    return work(args)


TOOL = Call("tool_call", {"tool_name": "work", "args": {}}, "benchmark", None, None)


async def body(changed):
    """Do what the body of a tool does."""
    return work(changed)


async def record_body(call, body, *, subject=None):
    """Record what came of a body, as integrations do, and ask nobody."""
    with unseen:
        try:
            value = await body(None)
        except BaseException as exc:
            call.add(raised=exc)
            raise
        call.add(returned=value)
        return value


async def body_plain(args):
    return await record_body(TOOL, body, subject=args)


async def body_controlled(args):
    return await run_body_async(TOOL, body, subject=args)


def report(controlled):
    """Take what was done."""


async def time_ns(call):
    """Time one call, in nanoseconds of processor time."""
    start_ns = time.process_time_ns()
    for _ in range(CALLS):
        await call({})
    return (time.process_time_ns() - start_ns) / CALLS


async def compare(rounds, without, within):
    """Return what a call costs more, in nanoseconds, and the ratio of the two."""
    await time_ns(without)
    await time_ns(within)
    pairs = [(await time_ns(without), await time_ns(within)) for _ in range(rounds)]
    return {
        "plain_ns": round(statistics.median(plain for plain, _ in pairs), 1),
        "controlled_ns": round(statistics.median(controlled for _, controlled in pairs), 1),
        "more_ns": round(statistics.median(controlled - plain for plain, controlled in pairs), 1),
        "ratio": round(statistics.median(controlled / plain for plain, controlled in pairs), 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--rounds", type=int, default=201, help="rounds of each case (default: %(default)s)")
    options = parser.parse_args()
    of_call, of_body = (call_plain, call_controlled), (body_plain, body_controlled)
    results = {
        "no controller": asyncio.run(compare(options.rounds, *of_call)),
        "no controller, a tool's body": asyncio.run(compare(options.rounds, *of_body)),
    }
    is_missed = any(each["more_ns"] > BUDGET_NS for each in results.values())
    with control.install(lambda _: None, name="passes"):
        results["one that lets every call go on"] = asyncio.run(compare(options.rounds, *of_call))
    if options.json:
        print(json.dumps({"python": sys.version.split()[0], "results": results, "missed": is_missed}, indent=2))
    else:
        print(f"Python {sys.version.split()[0]}   ns a call")
        print(f"{'':<32}{'without':>9}{'with':>9}{'more':>9}{'ratio':>8}")
        for case, result in results.items():
            print(f"{case:<32}{result['plain_ns']:>9}{result['controlled_ns']:>9}{result['more_ns']:>9}", end="")
            print(f"{result['ratio']:>8}")
        print(f"budget: {BUDGET_NS} ns more without a controller" + (", missed" if is_missed else ""))
    return 1 if is_missed else 0


if __name__ == "__main__":
    sys.exit(main())
