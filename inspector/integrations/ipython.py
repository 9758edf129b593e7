"""IPython and notebooks: each cell is a run of its own if something is recorded in it.

``InteractiveShell.run_cell_async`` runs the cells of terminals and of kernels. The events ``pre_run_cell`` and
``post_run_cell`` belong to one shell each, and a kernel emits the second one later, from another place.
"""

import os
from collections.abc import Callable
from typing import Any

from inspector.integrations.patches import Patches
from inspector.logger import warn_of_error_once
from inspector.record.attach import attached
from inspector.record.calls.spans import RecordedSpan
from inspector.record.recorder import Recorder


def install(patches: Patches) -> None:
    """Wrap the function that runs a cell."""
    patches.wrap_once_imported("IPython.core.interactiveshell", "InteractiveShell", {"run_cell_async": _run_cell})


def _run_cell(original: Callable[..., Any]) -> Callable[..., Any]:
    async def run_cell_async(self: Any, raw_cell: str, store_history: bool = False, *args: Any, **kwargs: Any) -> Any:  # noqa: FBT001, FBT002 - IPython's own
        begun = _begun(self.execution_count) if store_history else None
        result = await original(self, raw_cell, store_history, *args, **kwargs)
        if begun is not None:
            _end(*begun, result)
        return result

    return run_cell_async


def _begun(number: int) -> tuple[Recorder, RecordedSpan] | None:
    attachment = attached()
    if attachment is None:
        return None
    recorder = attachment.recorder
    try:
        return recorder, recorder.begin_root("cell", f"cell [{number}]", os.urandom(6).hex())
    except Exception:  # noqa: BLE001 - the boundary to the program
        warn_of_error_once("a cell could not be recorded")
        return None


def _end(recorder: Recorder, span: RecordedSpan, result: Any) -> None:
    try:
        recorder.end_root(span, getattr(result, "error_before_exec", None) or getattr(result, "error_in_exec", None))
    except Exception:  # noqa: BLE001 - the boundary to the program
        warn_of_error_once("the end of a cell could not be recorded")
