"""What a hook costs, as ratios to the contract's first reference code, both measured in this one run.

Short rounds of both alternate, and each ratio is the median over the rounds, so that a busy machine disturbs both sides
alike. Exits with 1 when a ratio is over its budget.

    python benchmarks/bus.py [--json] [--rounds N]
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from itertools import repeat

import seed_reference

import instrument

HOOK = "before_llm_generate"
LOOPS = 400
PER_LOOP = 5
ALLOWANCE = 0.05 if sys.version_info >= (3, 12) else 0.0
"""What the budgets grant the later interpreters on top."""
BUDGETS = {"guarded": 0.12, "idle": 0.65, "one subscriber": 0.62, "four subscribers": 0.55}


def subscriber(llm, prompt, **_later):
    """Take the hook's keywords and do nothing."""


async def emit_reference(llm, prompt):
    emit = seed_reference._emit
    for _ in repeat(None, LOOPS):
        await emit("before_llm_generate", llm=llm, prompt=prompt)
        await emit("before_llm_generate", llm=llm, prompt=prompt)
        await emit("before_llm_generate", llm=llm, prompt=prompt)
        await emit("before_llm_generate", llm=llm, prompt=prompt)
        await emit("before_llm_generate", llm=llm, prompt=prompt)


async def emit_ours(llm, prompt):
    emit = instrument._emit
    for _ in repeat(None, LOOPS):
        await emit("before_llm_generate", llm=llm, prompt=prompt)
        await emit("before_llm_generate", llm=llm, prompt=prompt)
        await emit("before_llm_generate", llm=llm, prompt=prompt)
        await emit("before_llm_generate", llm=llm, prompt=prompt)
        await emit("before_llm_generate", llm=llm, prompt=prompt)


async def emit_guarded(llm, prompt):
    for _ in repeat(None, LOOPS):
        if instrument.enabled("before_llm_generate"):
            await instrument._emit("before_llm_generate", llm=llm, prompt=prompt)
        if instrument.enabled("before_llm_generate"):
            await instrument._emit("before_llm_generate", llm=llm, prompt=prompt)
        if instrument.enabled("before_llm_generate"):
            await instrument._emit("before_llm_generate", llm=llm, prompt=prompt)
        if instrument.enabled("before_llm_generate"):
            await instrument._emit("before_llm_generate", llm=llm, prompt=prompt)
        if instrument.enabled("before_llm_generate"):
            await instrument._emit("before_llm_generate", llm=llm, prompt=prompt)


async def time_ns(emits):
    """Time one emit of a series, in nanoseconds."""
    start_ns = time.perf_counter_ns()
    await emits("llm", "prompt")
    return (time.perf_counter_ns() - start_ns) / (LOOPS * PER_LOOP)


async def compare(case, ours, rounds):
    await emit_reference("llm", "prompt")
    await ours("llm", "prompt")
    pairs = [(await time_ns(emit_reference), await time_ns(ours)) for _ in range(rounds)]
    return {
        "case": case,
        "reference_ns": round(statistics.median(reference for reference, _ in pairs), 1),
        "ours_ns": round(statistics.median(own for _, own in pairs), 1),
        "ratio": round(statistics.median(own / reference for reference, own in pairs), 3),
        "budget": round(BUDGETS[case] + ALLOWANCE, 2),
    }


async def compare_all(rounds):
    results = [await compare("guarded", emit_guarded, rounds), await compare("idle", emit_ours, rounds)]
    for case, count in (("one subscriber", 1), ("four subscribers", 3)):
        for _ in range(count):
            seed_reference.register(HOOK, subscriber)
            instrument.register(HOOK, subscriber)
        results.append(await compare(case, emit_ours, rounds))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--rounds", type=int, default=201, help="rounds of each case (default: %(default)s)")
    options = parser.parse_args()
    results = asyncio.run(compare_all(options.rounds))
    missed = [result["case"] for result in results if result["ratio"] > result["budget"]]
    if options.json:
        print(json.dumps({"python": sys.version.split()[0], "results": results, "missed": missed}, indent=2))
    else:
        print(f"Python {sys.version.split()[0]}   ns an emit, and ratio to the reference's `await _emit(...)`")
        print(f"{'':<18}{'reference':>10}{'ours':>8}{'ratio':>8}{'budget':>8}")
        for result in results:
            print("{case:<18}{reference_ns:>10}{ours_ns:>8}{ratio:>8}{budget:>8}".format(**result))
        if missed:
            print(f"over budget: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
