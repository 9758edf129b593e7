"""Dramatiq: ``Broker.emit_before`` and ``emit_after`` are what a worker calls around each message, in its thread."""

from threading import local
from typing import Any

from inspector.integrations.jobs import Job
from inspector.integrations.patches import Patches, wrapping

_here = local()


def install(patches: Patches) -> None:
    """Wrap the functions that tell the middleware of a message."""
    wrappers = {"emit_before": _emit_before, "emit_after": _emit_after}
    patches.wrap_once_imported("dramatiq.broker", "Broker", wrappers)


@wrapping
def _emit_before(original: Any, /, self: Any, signal: str, *args: Any, **kwargs: Any) -> None:
    # First, since middleware may skip the message.
    original(self, signal, *args, **kwargs)
    if signal == "process_message":
        _here.job = Job(str(args[0].actor_name)).__enter__()


@wrapping
def _emit_after(original: Any, /, self: Any, signal: str, *args: Any, **kwargs: Any) -> None:
    if signal in {"process_message", "skip_message"} and (job := getattr(_here, "job", None)) is not None:
        _here.job = None
        job.exc = kwargs.get("exception")
        job.__exit__(None, None, None)
    original(self, signal, *args, **kwargs)
