"""Runs that end without an event: CrewAI emits one for an ``Exception``, but not for interrupted or cancelled runs."""

from typing import Any

from inspector.integrations.calls import Call, around_here
from inspector.integrations.patches import Patches, wrapping


def close_runs(patches: Patches) -> None:
    """Fail the open calls of a run that raises."""
    patches.wrap_once_imported("crewai.crew", "Crew", {"kickoff": _closing, "akickoff": _closing_async})
    patches.wrap_once_imported("crewai.flow.runtime", "Flow", {"kickoff_async": _closing_async})


@wrapping
def _closing(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    outer = next(around_here(), None)
    try:
        return original(*args, **kwargs)
    except BaseException as exc:
        _close(outer, exc)
        raise


@wrapping
async def _closing_async(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    outer = next(around_here(), None)
    try:
        return await original(*args, **kwargs)
    except BaseException as exc:
        _close(outer, exc)
        raise


def _close(outer: Call | None, exc: BaseException) -> None:
    for call in list(around_here()):
        if call is outer:
            return
        call.failed(exc)
