"""Session hooks outside any call, which wait for the next call of the same session in the same context.

Such a notice is not a call, so it never becomes a span of its own. If no call follows, it is not recorded.
"""

from collections import deque
from contextvars import ContextVar
from time import time_ns
from typing import Final, TypeAlias

from inspector.plain import Plain
from inspector.record.calls.spans import RecordedSpan

_KEPT: Final = 64
_Notice: TypeAlias = tuple[str, int, dict[str, Plain]]
_waiting: ContextVar[deque[_Notice] | None] = ContextVar("inspector_notices", default=None)


def wait(hook: str, facts: dict[str, Plain]) -> None:
    """Keep a notice until a call begins."""
    waiting = _waiting.get()
    if waiting is None:
        waiting = deque[_Notice](maxlen=_KEPT)
        _waiting.set(waiting)
    waiting.append((hook, time_ns(), facts))


def take(span: RecordedSpan) -> None:
    """Add the waiting notices to a call as span events; those of other sessions are dropped."""
    waiting = _waiting.get()
    while waiting:
        try:
            hook, at_ns, facts = waiting.popleft()
        except IndexError:  # tasks share the list, and a call of another task took it
            return
        if facts.get("session_id") in (None, span.session_id):
            span.record_event(hook, facts, at_ns)
