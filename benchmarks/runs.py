"""How long the list of runs takes to answer, over HTTP, with as many runs as a busy year has.

    python benchmarks/runs.py [--runs 100000] [--requests 40] [--home DIR] [--json]

Ten spans a run: an agent, model calls, tools, some of which failed. A real `inspector serve` answers `GET /runs` as the
page and the command line ask it, one request after the other. With ``--home`` the store is made once and kept there.
Exits with 1 when the middle of the plain list takes more than its budget.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from inspector.model import Span

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "web"))

from serving import fill, serving
from stories import MINUTE, run_spans

BUDGET_MS = 10.0
SPANS = 10
"""Spans a run."""
ASKED = ("/runs", "/runs?timeline=true", "/runs?status=error", "/runs?sort=cost", "/runs?q=invoice", "/stats?of=runs")


def spans_of(runs: int) -> Iterator[Span]:
    """Yields the runs, each filled up with further calls of one of its tools."""
    for number in range(runs):
        made = list(run_spans(number, -(runs - 1 - number) * 7 * MINUTE))
        yield from made
        tool = next((span for span in made if span.kind == "tool"), made[-1])
        for at in range(SPANS - len(made)):
            yield replace(tool, span_id=f"{0xABC0000 + at:016x}")


def measure(home: Path, requests: int) -> Iterator[dict[str, object]]:
    """Yields how long each question takes."""
    with serving(home) as server:
        server.get("/runs")
        for path in ASKED:
            took: list[float] = []
            for _ in range(requests):
                began = time.perf_counter()
                server.get(path)
                took.append((time.perf_counter() - began) * 1e3)
            p95 = statistics.quantiles(took, n=20)[18]
            yield {"asked": path, "p50_ms": round(statistics.median(took), 1), "p95_ms": round(p95, 1)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        home = options.home or Path(made) / "home"
        if not (home / "inspector.db").exists():
            fill(home, spans_of(options.runs))
        rows = list(measure(home, options.requests))
    for row in rows:
        print(
            json.dumps(row) if options.json else f"{row['asked']:24} p50 {row['p50_ms']:7} ms  p95 {row['p95_ms']:7} ms"
        )
    return int(float(str(rows[0]["p50_ms"])) > BUDGET_MS)


if __name__ == "__main__":
    sys.exit(main())
