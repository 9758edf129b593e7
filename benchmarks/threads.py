"""Microseconds of a processor that a span by OTLP takes until it is acknowledged, by process and thread (Linux).

    python benchmarks/threads.py [--spans 40960] [--batch 512] [--senders 4]

The spans and senders are those of `otlp.py`, in protobuf. Beside the processor's time is how long a thread was ready to
run and had no core: on a busy machine that is most of the time by the clock.
"""

import argparse
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from otlp import SERVE, Used, children, received, requests, wait_until_warm

_NAMED = """
import ctypes, threading
name_thread, run = ctypes.CDLL(None).prctl, threading.Thread.run
def run_named(thread):
    # What Python calls a thread the system does not know before Python 3.14: 15 is PR_SET_NAME.
    name_thread(15, thread.name.removeprefix("inspector-")[:15].encode(), 0, 0, 0)
    run(thread)
threading.Thread.run = run_named
"""


class Threads(Used):
    """What each thread uses; each question for the processor time of all of them is remembered."""

    def __init__(self, pid: int) -> None:
        self._spent: dict[tuple[str, str, str], tuple[int, int]] = {}
        self.remembered: list[dict[tuple[str, str, str], tuple[int, int]]] = []
        super().__init__(pid)

    def cpu_s(self) -> float:
        found = super().cpu_s()
        self.remembered.append(dict(self._spent))
        return found

    def _sample(self) -> None:
        super()._sample()
        for pid in (self._pid, *children(self._pid)):
            with suppress(OSError):
                process = "server" if pid == self._pid else "second process"
                for task in Path(f"/proc/{pid}/task").iterdir():
                    ran_ns, waited_ns, _ = map(int, (task / "schedstat").read_text().split())
                    self._spent[process, task.name, (task / "comm").read_text().strip()] = ran_ns, waited_ns

    def by_name(self) -> tuple[Counter, Counter]:
        """Nanoseconds between the two questions, by process and name of the thread."""
        before, after = self.remembered
        ran, waited = Counter(), Counter()
        for (process, task, name), spent in after.items():
            earlier = before.get((process, task, name), (0, 0))
            # The first thread has the name of the program.
            key = process, "main" if name.startswith("python") else name
            ran[key] += spent[0] - earlier[0]
            waited[key] += spent[1] - earlier[1]
        return ran, waited


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--spans", type=int, default=40_960)
    options.add_argument("--batch", type=int, default=512)
    options.add_argument("--senders", type=int, default=4)
    given = options.parse_args()
    bodies = requests(given.spans, given.batch, seed=7)
    spans = len(bodies) * given.batch
    watched: list[Threads] = []

    def watch(pid: int) -> Threads:
        watched.append(Threads(pid))
        return watched[-1]

    wait_until_warm.until = time.monotonic() + 2
    head = {"Content-Type": "application/x-protobuf"}
    measured = received(bodies, head, given.senders, _NAMED + SERVE, watch)
    ran, waited = watched[0].by_name()
    print(f"{spans / measured.seconds:,.0f} spans/s{'':17}{'CPU us':>10}{'ready us':>10}")
    for (process, name), ns in ran.most_common():
        print(f"{process + ', ' + name:32}{ns / spans / 1000:10.1f}{waited[process, name] / spans / 1000:10.1f}")
    print(f"{'all':32}{ran.total() / spans / 1000:10.1f}{waited.total() / spans / 1000:10.1f}")


if __name__ == "__main__":
    main()
