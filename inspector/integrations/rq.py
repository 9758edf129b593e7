"""RQ: ``Job.perform`` is what every worker calls to do a job, in its own process or in one that it forks for it."""

from typing import Any

from inspector.integrations.jobs import Job
from inspector.integrations.patches import Patches, wrapping
from inspector.record import attached


def install(patches: Patches) -> None:
    """Wrap the function that does a job."""
    patches.wrap_once_imported("rq.job", "Job", {"perform": _perform})


@wrapping
def _perform(original: Any, self: Any) -> Any:
    try:
        with Job(_name(self)):
            return original(self)
    finally:
        # The process of a forked job is left by os._exit, right after its result was stored.
        if (attachment := attached()) is not None:
            attachment.flush()


def _name(job: Any) -> str:
    try:
        return str(job.func_name)
    # What was stored in Redis may not be readable, which RQ is about to say.
    except Exception:  # noqa: BLE001
        return "job"
