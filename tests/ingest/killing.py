"""Kills the owner at seeded moments while spools grow, then prints what the store holds as JSON.

Usage: killing.py HOME SEED KILLS. Every round writes lines, forks an owner and kills it with SIGKILL after a while of
its work; at the end one owner is left in peace. The ledger of what was written is beside the home: ledger.json.
"""

import fcntl
import json
import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path

from inspector.ingest import Owner
from inspector.reading.cost import warm
from inspector.settings import Settings


def line(span_id: int, version: int, *, ended: bool) -> bytes:
    span = {
        "traceId": f"{span_id // 10 + 1:032x}",
        "spanId": f"{span_id:016x}",
        "name": "execute_tool search",
        "startTimeUnixNano": str(1_795_000_000_000_000_000 + span_id),
        "attributes": [
            {"key": "inspector.hook", "value": {"stringValue": "tool_call"}},
            {"key": "version", "value": {"intValue": str(version)}},
        ],
    }
    if ended:
        span["endTimeUnixNano"] = str(1_795_000_000_000_000_900 + span_id)
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode() + b"\n"


class Writer:
    """A recorder: starts and ends spans, keeps its file locked, rotates."""

    def __init__(self, spool: Path, ledger: dict[str, int]) -> None:
        self.spool, self.ledger = spool, ledger
        self.number, self.next_id, self.fd = 0, 1, -1
        self.rotate()

    def rotate(self) -> None:
        self.number += 1
        path = self.spool / f"20261122T100000-4711-00c0ffee.{self.number:06d}.jsonl"
        fd = os.open(path.with_suffix(".tmp"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX)
        path.with_suffix(".tmp").rename(path)
        self.finish()
        self.fd = fd

    def finish(self) -> None:
        if self.fd >= 0:
            fcntl.flock(self.fd, fcntl.LOCK_UN)  # the forked owners hold copies of the descriptor
            os.close(self.fd)
            self.fd = -1

    def write(self, spans: int) -> None:
        out = []
        for span_id in range(self.next_id, self.next_id + spans):
            out.append(line(span_id, 1, ended=False))
        for span_id in range(self.next_id, self.next_id + spans):
            out.append(line(span_id, 2, ended=True))
            self.ledger[f"{span_id:016x}"] = 2
        self.next_id += spans
        os.write(self.fd, b"".join(out))


def own_until_killed(settings: Settings, started: int) -> None:
    try:
        with Owner(settings) as owner:
            os.write(started, b"x")
            while True:
                owner.ingest_spools()
    finally:
        traceback.print_exc()
        os._exit(1)


def main() -> None:
    home, seed, kills = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    settings = Settings(home=home, retention_days=36_500)
    settings.spool.mkdir(parents=True)
    ledger: dict[str, int] = {}
    writer = Writer(settings.spool, ledger)
    warm()
    for _ in range(kills):
        writer.write(rng.randrange(200, 700))
        if rng.random() < 0.4:
            writer.rotate()
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            own_until_killed(settings, writes)
        os.close(writes)
        assert os.read(reads, 1) == b"x", "the owner failed"
        os.close(reads)
        time.sleep(rng.random() ** 2 * 0.15)  # the moment of death is the subject, not a wait for something
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    writer.finish()
    with Owner(settings) as owner:
        first = owner.ingest_spools()
        again = owner.ingest_spools()
    left = sorted(path.name for path in settings.spool.iterdir())
    home.with_name("ledger.json").write_text(json.dumps(ledger))
    sys.stdout.write(json.dumps({"left": left, "again": again.spans, "bad": first.bad_lines}))


if __name__ == "__main__":
    main()
