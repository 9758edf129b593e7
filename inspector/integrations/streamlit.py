"""Streamlit: a script runs anew for each thing that a visitor does, by ``exec_func_with_error_handling``.

The script runs in a thread that is started for the visitor's websocket, which is open for as long as the visitor stays.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.integrations.jobs import Job
from inspector.integrations.patches import Patches, wrapping


def install(patches: Patches) -> None:
    """Wrap the function that runs a script and catches what it raises."""
    runner = "streamlit.runtime.scriptrunner.script_runner"
    patches.wrap_once_imported(runner, None, {"exec_func_with_error_handling": _execute})


@wrapping
def _execute(original: Any, func: Callable[[], Any], ctx: Any) -> Any:
    with Job(Path(ctx.main_script_path).stem, session=ctx.session_id, in_request=True) as job:
        outcome = original(func, ctx)
        job.exc = next((each for each in outcome if isinstance(each, BaseException)), None)
        return outcome
