"""The calls that wait for the writer, bounded in number and in what was captured of them."""

from collections import deque
from typing import Any

import msgspec

from inspector.plain import weigh
from inspector.record.captured import Prompt
from inspector.record.results import SAME
from inspector.record.sdk_spans import SdkSpan
from inspector.record.spans import Failure, RecordedSpan

_pack = msgspec.msgpack.Encoder().encode

MAX_CALLS = 200_000
MAX_BYTES = 64 << 20
_TAKEN_BYTES = 1 << 20
"""What is taken takes up no room any more, and its lines are made together: that, too, has to stay small."""
_FRAME_BYTES = 128
"""What a line of a traceback holds on to, besides names that the program holds anyway."""


class Waiting:
    """A queue that threads, signal handlers and finalizers may put to at any instruction, and one thread takes from.

    A call is in it once: what it has become while it waited is read when it is taken. Nothing here takes a lock; adding
    to a number is one step of the interpreter as far as other threads go.

    Args:
        max_calls: Calls that may wait.
        max_bytes: How much text and other content captured of them may wait.
    """

    def __init__(self, max_calls: int = MAX_CALLS, max_bytes: int = MAX_BYTES) -> None:
        self._max_calls = max_calls
        self._max_bytes = max_bytes
        self._calls: deque[RecordedSpan] = deque()
        self._put_bytes = 0
        self._taken_bytes = 0

    def __len__(self) -> int:
        """Return how many calls wait."""
        return len(self._calls)

    def put(self, span: RecordedSpan) -> bool:
        """Have a call wait, or the end of one that waits; False when there is no room."""
        # What an open call holds is held anyway, and weighed when it ends.
        more = 0 if span.state == "running" else _weight_of(span) - span.weight
        held = self._put_bytes - self._taken_bytes
        # One that is larger than all of the room has to pass as well.
        if held + more > self._max_bytes and held:
            return False
        if not span.is_waiting and len(self._calls) >= self._max_calls:
            return False
        # Before it can be taken: what is added after that is never given back.
        if more:
            span.weight += more
            self._put_bytes += more
        if not span.is_waiting:
            span.is_waiting = True
            self._calls.append(span)
        return True

    def take(self, most: int) -> list[RecordedSpan]:
        """Return the calls that wait longest: at most ``most``, and of large ones as many as make a megabyte."""
        calls = self._calls
        taken: list[RecordedSpan] = []
        size = 0
        while calls and len(taken) < most and size < _TAKEN_BYTES:
            span = calls.popleft()
            # Before its state is read: an end that comes from here on puts it back.
            span.is_waiting = False
            weight, span.weight = span.weight, 0
            self._taken_bytes += weight
            size += weight or _weight_of(span)
            taken.append(span)
        return taken


def _weight_of_failure(failure: Failure | None) -> int:
    return 0 if failure is None else len(failure.message) + _FRAME_BYTES * len(failure.frames or ())


def _weight_of(span: RecordedSpan) -> int:
    before: dict[str, Any] = span.before
    weight = 0
    if type(prompt := before.get("prompt")) is Prompt:
        before, weight = {**before, "prompt": None}, prompt.size
    try:
        # A third of what it takes to add it up, and large texts are copied faster than they were captured.
        weight += len(_pack((before, span.after)))
    except Exception:  # noqa: BLE001 - half surrogates, numbers past 64 bits, and whatever else it does not take
        weight += weigh((before, span.after or {}))
    if span.extra or span.bodies or span.events or span.merged:
        weight += weigh((span.extra, span.bodies, span.events))
        weight += sum(_weight_of_failure(event[3]) for event in span.events or ())
        weight += sum(_weight_of(part) for part in span.merged or ())
    # The writer may let go of it meanwhile.
    raw = span.raw
    if raw is not None and raw is not SAME:
        weight += sum(exchange.weight for exchange in raw.get("exchanges", ()))
        weight += weigh((raw.get("result"), raw.get("error")))
    if type(span) is SdkSpan:
        weight += weigh(tuple(span.attributes.values()))
    return weight
