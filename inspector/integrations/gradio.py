"""Gradio: ``Queue.process_events`` does all that an event asks for, from the first step of a generator to the last.

It turns the exception of the program's function into a message to the page, so ``call_process_api``, which calls that
function, notes it.
"""

from contextvars import ContextVar
from typing import Any

from inspector.integrations.jobs import Job
from inspector.integrations.patches import Patches, wrapping

_current: ContextVar[Job | None] = ContextVar("inspector_gradio_event", default=None)


def install(patches: Patches) -> None:
    """Wrap the functions, once they are imported."""
    patches.wrap_once_imported("gradio.queueing", "Queue", {"process_events": _process_events})
    patches.wrap_once_imported("gradio.route_utils", None, {"call_process_api": _call_process_api})


@wrapping
async def _process_events(original: Any, /, self: Any, events: Any, *args: Any, **kwargs: Any) -> None:
    event = events[0]
    with Job(str(event.fn.api_name or event.fn.name), session=event.session_hash) as job:
        _current.set(job)
        await original(self, events, *args, **kwargs)


@wrapping
async def _call_process_api(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    try:
        return await original(*args, **kwargs)
    except Exception as exc:
        job = _current.get()
        if job is not None:
            job.exc = exc
        raise
