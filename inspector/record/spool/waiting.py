"""The queue of calls for the writer, bounded by their number and the size of their captured values."""

from collections import deque
from typing import Any

import msgspec

from inspector.plain import weigh
from inspector.record.calls.sdk_spans import SdkSpan
from inspector.record.calls.spans import Failure, RecordedSpan
from inspector.record.capture.captured import Prompt
from inspector.record.capture.results import SAME
from instrument.signals import is_of_signal

_pack = msgspec.msgpack.Encoder().encode

MAX_CALLS = 200_000
MAX_BYTES = 64 << 20
_TAKEN_BYTES = 1 << 20
"""How much the writer takes at once. What it has taken no longer counts as waiting, so it has to be small."""
_FRAME_BYTES = 128
"""The approximate memory of a traceback line, without the names that the program holds anyway."""


class WaitingCalls:
    """A queue that threads, signal handlers and finalizers may put to at any instruction, and one thread takes from.

    A call is in it once; its state is read when it is taken. There are no locks: adding to a number is atomic for other
    threads.

    Args:
        max_calls: How many calls may wait.
        max_bytes: How many bytes of captured texts and other content may wait.
    """

    def __init__(self, max_calls: int = MAX_CALLS, max_bytes: int = MAX_BYTES) -> None:
        self._max_calls = max_calls
        self._max_bytes = max_bytes
        self._calls: deque[RecordedSpan] = deque()
        self._put_bytes = 0
        self._taken_bytes = 0
        self.taken = 0
        """How many calls were taken so far."""

    def __len__(self) -> int:
        return len(self._calls)

    def put(self, span: RecordedSpan) -> bool:
        """Add a call, or the end of a call that is waiting; return False if there is no room."""
        # The program holds the values of an open call anyway; they are weighed when it ends.
        more = 0 if span.state == "running" else _weight_of(span) - span.weight
        waiting = self._put_bytes - self._taken_bytes
        # A call that is larger than the whole limit must pass too.
        if waiting + more > self._max_bytes and waiting:
            return False
        if not span.is_waiting and len(self._calls) >= self._max_calls:
            return False
        # Before the call can be taken: weight added later would never be subtracted.
        if more:
            span.weight += more
            self._put_bytes += more
        if not span.is_waiting:
            span.is_waiting = True
            self._calls.append(span)
        return True

    def take(self, most: int) -> list[RecordedSpan]:
        """Return the calls that have waited longest: at most ``most``, or fewer if they are large, about a megabyte."""
        calls = self._calls
        taken: list[RecordedSpan] = []
        size = 0
        while calls and len(taken) < most and size < _TAKEN_BYTES:
            self.taken += 1
            span = calls.popleft()
            # Before its state is read: if it ends from here on, it is put back.
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
        # A third of the time of adding it up; large texts are copied faster than they were captured.
        weight += len(_pack((before, span.after)))
    except Exception as error:  # lone surrogates, numbers beyond 64 bits, and anything else that it cannot encode
        if is_of_signal(error):
            raise
        weight += weigh((before, span.after or {}))
    if span.extra or span.noted or span.events or span.merged:
        weight += weigh((span.extra, span.noted, span.events))
        weight += sum(_weight_of_failure(event[3]) for event in span.events or ())
        weight += sum(_weight_of(part) for part in span.merged or ())
    # The writer may release it at the same time.
    raw = span.raw
    if raw is not None and raw is not SAME:
        weight += sum(exchange.weight for exchange in raw.get("exchanges", ()))
        weight += weigh((raw.get("result"), raw.get("error")))
    if type(span) is SdkSpan:
        weight += weigh(tuple(span.attributes.values()))
    return weight
