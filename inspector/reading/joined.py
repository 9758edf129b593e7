"""Joins logs to the stored span that they belong to, as events of it.

The result is the same in whatever order and however often the logs and the span arrive
(docs/decisions/logs-join-their-span.md).
"""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

import msgspec
from msgspec.structs import replace

from inspector.model import AttributeValue, Event, Log, Span
from inspector.otlp import MAX_EVENTS
from inspector.reading.dialects import read_span
from inspector.reading.stored import as_it_ended, as_sent
from inspector.semconv import CODE_ERROR, EXCEPTION_EVENTS

_CANONICAL: Final = msgspec.json.Encoder(order="sorted")


def with_logs(event: Event, logs: Iterable[Log]) -> Span:
    """Return a stored span with its logs among its events, as it reads with them.

    It has at most as many events as one that is sent, the first ones. A log that is an exception makes a call that
    seemed to succeed one that failed, unless its own recorder says otherwise.

    Args:
        event: The span, in full.
        logs: Its logs; those that it has already are not added again.
    """
    sent = as_sent(event)
    those = [log.event for log in logs]
    known = {_CANONICAL.encode(each) for each in sent.events}
    added = {text: each for each in those if (text := _CANONICAL.encode(each)) not in known}
    events = sorted(chain(sent.events, added.values()), key=_place)[:MAX_EVENTS]
    if event.status == "ok" and any(each["name"] in EXCEPTION_EVENTS for each in those):
        return read_span(replace(sent, events=events, status_code=CODE_ERROR))
    return as_it_ended(event, read_span(replace(sent, events=events)))


def _place(event: Mapping[str, AttributeValue]) -> tuple[int, bytes]:
    return int(str(event["time_unix_nano"])), _CANONICAL.encode(event)
