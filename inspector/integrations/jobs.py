"""Jobs of task queues; each is a run of its own if something is recorded in it.

A worker does one job after the other for as long as it lives. A job that the program does itself, without a worker, is
part of what the program was doing.
"""

from contextlib import AbstractContextManager, nullcontext

from inspector.record import run
from inspector.record.current import innermost
from inspector.record.sdk_spans import sdk_span_at
from inspector.record.served_request import current_request


def run_of(name: str) -> AbstractContextManager[object]:
    """Return the run of a job that a worker is about to do; nothing if the job is part of an open call, run or request.

    The span that an instrumentor of OpenTelemetry makes for the job stands for it, as that of a request does.
    """
    if innermost() is not None or current_request() is not None or sdk_span_at() is not None:
        return nullcontext()
    return run(name)
