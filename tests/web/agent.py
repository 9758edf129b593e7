"""A process that is recorded: emits the hooks that it reads from its standard input, one JSON line each.

Usage: agent.py SERVICE. Each line is ``[hook, keywords]`` and is answered by when it was emitted.
``exc`` is a text here.
"""

import json
import sys
import time

import inspector
from instrument import _emit_sync


class DeskError(Exception):
    """What failing calls fail with."""


def emit(hook, keywords):
    if "exc" in keywords:
        keywords["exc"] = DeskError(keywords["exc"])
    began_s = time.time()
    _emit_sync(hook, **keywords)
    return began_s


def flood(seconds, spans_per_second):
    begun = time.monotonic()
    for number in range(int(seconds * spans_per_second)):
        due = begun + number / spans_per_second
        if (early := due - time.monotonic()) > 0:
            time.sleep(early)
        keywords = {"tool_name": f"flood_{number % 7}", "args": {"number": number}, "context": None}
        emit("before_tool_call", {**keywords, "call_id": f"flood-{number}"})
        emit("after_tool_call", {**keywords, "call_id": f"flood-{number}", "result": {"number": number}})
    return time.time()


def answer(seconds):
    sys.stdout.write(f"{seconds}\n")
    sys.stdout.flush()


def main():
    inspector.attach(service=sys.argv[1])
    answer(time.time())
    for line in sys.stdin:
        hook, keywords = json.loads(line)
        answer(flood(**keywords) if hook == "flood" else emit(hook, keywords))
    inspector.detach()


main()
