"""How long it takes to compare two runs.

    python benchmarks/diff.py [--spans 10000] [--rounds 5] [--json]

Agents of a model call and eight tools each, whose texts all have an id and a time that no other run has; one result
differs. Compared in this process, from events that were read before, in seconds of the processor; and by a real
`inspector serve` over HTTP, reading included. Exits with 1 when the comparison takes more than its budget in this
process.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from inspector.diff import cause_of, compare
from inspector.lookup import events_of
from inspector.model import Event, Span
from inspector.store.sqlite import SqliteStore

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "web"))

from serving import fill, serving

BUDGET_S = 1.0
TOOLS = 8
MESSAGES, ANSWER = "gen_ai.input.messages", "gen_ai.output.messages"
ARGUMENTS, RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"
START_NS = 1_800_000_000_000_000_000


def spans_of(letter: str, spans: int) -> Iterator[Span]:
    """Yields a run: agents, each with a model call and tools."""
    for number in range(spans):
        agent, place = divmod(number, TOOLS + 2)
        kind, name = ("agent", "planner") if place == 0 else ("llm", "chat") if place == 1 else ("tool", "search")
        begin = START_NS + (ord(letter) * 10**6 + number) * 10**3
        unique = f"{uuid.uuid4()} at 2026-11-{agent % 28 + 1:02}T10:00:00Z"
        asked = [{"role": "user", "parts": [{"type": "text", "content": f"{unique} {'what is known of it? ' * 10}"}]}]
        result = {"found": f"{unique} {'much is known ' * 10}", "changed": letter if number == spans // 2 + 2 else ""}
        is_model = kind == "llm"
        yield Span(
            trace_id=letter * 32,
            span_id=f"{number + 1:016x}",
            parent_id=f"{agent * (TOOLS + 2) + 1:016x}" if place else None,
            name=name,
            kind=kind,
            status="ok",
            start_ns=begin,
            end_ns=begin + (900 if place else (TOOLS + 2) * 10**3 - 1),
            tool=name if kind == "tool" else None,
            agent=name if kind == "agent" else None,
            run=f"run-{letter}",
            service="benchmark",
            input_key=MESSAGES if is_model else ARGUMENTS,
            output_key=ANSWER if is_model else RESULT,
            attributes={
                MESSAGES if is_model else ARGUMENTS: json.dumps(asked if is_model else {"query": unique, "n": place}),
                ANSWER if is_model else RESULT: json.dumps(result),
            },
        )


def timed(rounds: int, work: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> dict[str, float]:
    """Returns the least and the middle of several rounds, in seconds."""
    took: list[float] = []
    for _ in range(rounds):
        began = clock()
        work()
        took.append(clock() - began)
    return {"least_s": round(min(took), 2), "middle_s": round(statistics.median(took), 2)}


def read(home: Path, letter: str) -> list[Event]:
    """Returns a run in full."""
    store = SqliteStore(home / "inspector.db")
    try:
        return list(events_of(store, letter * 32, full=True))
    finally:
        store.close()


def measure(home: Path, rounds: int) -> Iterator[dict[str, Any]]:
    """Yields how long each way takes."""
    a, b = read(home, "a"), read(home, "b")
    found = cause_of(compare(a, b))
    assert found is not None
    assert found.sentence == "search gave a different answer to the same input"
    yield {"compared": "in this process"} | timed(rounds, lambda: compare(a, b))
    yield {"compared": "read before, too"} | timed(rounds, lambda: compare(read(home, "a"), read(home, "b")))
    with serving(home) as server:
        yield {"compared": "GET /diff"} | timed(rounds, lambda: server.get("/diff?a=run-a&b=run-b"), time.perf_counter)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spans", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        home = Path(made) / "home"
        fill(home, (span for letter in "ab" for span in spans_of(letter, options.spans)))
        rows = list(measure(home, options.rounds))
    for row in rows:
        text = f"{row['compared']:18} least {row['least_s']:5} s  middle {row['middle_s']:5} s"
        print(json.dumps(row) if options.json else text)
    return int(rows[0]["least_s"] > BUDGET_S)


if __name__ == "__main__":
    sys.exit(main())
