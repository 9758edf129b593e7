"""What a replay costs a program for each model call: finding the recorded one, and making its answer.

A run of 1,000 calls, once of short questions, and once of a conversation that sends 20 messages of 300 characters each
time. Processor time of the agent's thread. Exits with 1 when the budget is missed.

    python benchmarks/replay.py [--json] [--calls N]
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from inspector.replay.player import Player
from inspector.tape import Tape, TapeCall
from inspector.tape.request_parts import parts_of_body
from instrument.control import Proposal

BUDGET_MS = 2.0
EXCHANGES = json.dumps([{"status": 200, "headers": {"content-type": "application/json"}, "text": ['{"choices": []}']}])
TEXT = "What was said before, in words that hold no secret. " * 6


def question(number):
    return {"model": "m-1", "messages": [{"role": "user", "content": f"question {number}"}]}


def conversation(number):
    messages = [{"role": "user", "content": f"{at}: {TEXT}"} for at in range(number, number + 20)]
    return {"model": "m-1", "messages": messages}


def tape_of(bodies):
    requests = [parts_of_body(body) for body in bodies]
    calls = [
        TapeCall(f"{at:016x}", "llm_generate", "chat m-1", "", (), dict(request.parts), EXCHANGES)
        for at, request in enumerate(requests)
    ]
    return Tape("run", tuple(calls), {digest: text for each in requests for digest, text in each.texts.items()})


def measure_ms(make, calls):
    """Return what a call costs, in milliseconds."""
    bodies = [make(number) for number in range(calls)]
    with tempfile.TemporaryDirectory() as directory:
        player = Player(tape_of(bodies), Path(directory))
        began_ns = time.thread_time_ns()
        for body in bodies:
            player.decide(Proposal("llm_generate", "m-1", body))
        return (time.thread_time_ns() - began_ns) / calls / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--calls", type=int, default=1000, help="calls of each run (default: %(default)s)")
    options = parser.parse_args()
    results = {
        "short questions": round(measure_ms(question, options.calls), 3),
        "20 messages, 6 kB": round(measure_ms(conversation, options.calls), 3),
    }
    is_missed = max(results.values()) > BUDGET_MS
    if options.json:
        print(json.dumps({"python": sys.version.split()[0], "ms": results, "missed": is_missed}, indent=2))
    else:
        print(f"Python {sys.version.split()[0]}   ms a call, budget {BUDGET_MS}")
        for case, cost_ms in results.items():
            print(f"{case:<20}{cost_ms:>8}")
    return 1 if is_missed else 0


if __name__ == "__main__":
    sys.exit(main())
