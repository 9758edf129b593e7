"""Microseconds of a processor that a span by OTLP takes, by stage: in one thread, for several checkouts in turn.

    python benchmarks/stages.py [--batches 16] [--batch 512] [CHECKOUT ...]

Without a checkout it is this one. Each goes through all stages of a batch before the next one does, so that a slow
moment of the machine meets all of them; the middle of the batches counts. Stages up to ``store`` come before a request
is acknowledged, the others after it.
"""

import argparse
import gc
import json
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from otlp import requests

_HERE = Path(__file__).resolve()
_LATER = ("index", "add up", "checkpoint")
_WARM = 2
"""Batches at first that do not count."""


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--batches", type=int, default=16)
    options.add_argument("--batch", type=int, default=512)
    options.add_argument("checkouts", nargs="*", type=Path, default=[_HERE.parent.parent])
    given = options.parse_args()
    with tempfile.NamedTemporaryFile() as file:
        pickle.dump(requests(given.batches * given.batch, given.batch, seed=7), file)
        file.flush()
        found = in_turn(given.checkouts, file.name, given.batches)
    print(f"{'us a span':14}" + "".join(f"{str(checkout.resolve())[-24:]:>26}" for checkout in given.checkouts))
    for name in (*found[0][0], "acknowledged", "all"):
        print(f"{name:14}" + "".join(f"{of_stage(name, each) / given.batch * 1e6:26.1f}" for each in found))


def in_turn(checkouts: list[Path], requests: str, batches: int) -> list[list[dict[str, float]]]:
    """The seconds of each stage, for each checkout and batch."""
    code = "import sys; sys.path[:0] = sys.argv[1:3]; import stages; stages.side(sys.argv[3])"
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    sides = [
        subprocess.Popen([*command, str(checkout.resolve()), str(_HERE.parent), requests], **pipes)
        for checkout in checkouts
    ]
    found: list[list[dict[str, float]]] = [[] for _ in sides]
    for batch in range(batches):
        for side, its in list(zip(sides, found, strict=True))[:: -1 if batch % 2 else 1]:
            side.stdin.write("next\n")
            side.stdin.flush()
            its.append(json.loads(side.stdout.readline()))
    for side in sides:
        side.communicate()
    return found


def side(requests: str) -> None:
    """One checkout: takes the next request through all stages with each line, and tells the seconds of each."""
    from inspector.otlp import decode_request
    from inspector.reading import cost
    from inspector.reading.dialects import read_span
    from inspector.received import redacting
    from inspector.store.sqlite import SqliteStore

    bodies = pickle.loads(Path(requests).read_bytes())
    with tempfile.TemporaryDirectory() as home:
        store, redact = SqliteStore(Path(home) / "store.db"), redacting(Path(home), on=True)
        cost.warm()
        gc.collect()
        gc.freeze()
        # As the server has it.
        gc.set_threshold(50_000)
        stages = {
            "decode": lambda body: decode_request(body, "protobuf"),
            "redact": redact,
            "read": lambda decoded: [read_span(span) for span in decoded.spans],
            "hand over": lambda spans: pickle.loads(pickle.dumps(spans, protocol=5)),
            "store": store.write,
            "index": lambda _: all(iter(store.index, 0)),
            "add up": lambda _: store._add_up(4096, 1),
            "checkpoint": lambda _: store.sync(),
        }
        for body, _ in zip(bodies, sys.stdin, strict=True):
            spent, value = {}, body
            for name, run in stages.items():
                began = time.thread_time()
                value = run(value)
                spent[name] = time.thread_time() - began
            print(json.dumps(spent), flush=True)
        store.close()


def of_stage(name: str, batches: list[dict[str, float]]) -> float:
    """The middle of the batches, of one stage or of several."""
    wanted = {
        "acknowledged": [each for each in batches[0] if each not in _LATER],
        "all": list(batches[0]),
    }.get(name, [name])
    return statistics.median(sum(each[stage] for stage in wanted) for each in batches[_WARM:] or batches)


if __name__ == "__main__":
    main()
