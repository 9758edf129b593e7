"""What sessions have to tell outside of any call: it waits for the next call of the same session, in this context.

A notice is no call, so it never becomes a span of its own. One that no call follows is not kept.
"""

from collections import deque
from contextvars import ContextVar
from time import time_ns
from typing import Final, TypeAlias

from inspector.plain import Plain
from inspector.record.spans import RecordedSpan

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
    """Give a call the notices that waited for it, as events; those of other sessions are let go of."""
    waiting = _waiting.get()
    while waiting:
        try:
            hook, at_ns, facts = waiting.popleft()
        except IndexError:  # tasks share what waits: another one's call took it
            return
        if facts.get("session_id") in (None, span.session_id):
            span.happened(hook, facts, at_ns)
