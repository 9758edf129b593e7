"""Steps of workflows: single ones, and those that consist of others."""

from functools import partial
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, conclude, guarded
from inspector.integrations.endings import Interrupted
from inspector.integrations.generators import Following, in_steps, opened_apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping


class StepFailed(Exception):
    """The output of a step says that it failed, and the workflow goes on."""


@wrapping
def streamed(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each step, like `executed`, where they give events, and their output at last."""
    events = original(self, *args, **kwargs)
    return in_steps(events, partial(_begun, self, args, kwargs))


def _begun(step: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Following:
    call = _opened(step, args, kwargs)
    outputs: list[Any] = []

    def saw(item: Any) -> None:
        if type(item).__name__ == "StepOutput":
            outputs[:] = [item]

    return Following(call, guarded(saw), lambda: conclude(call, _outcome, outputs[0]) if outputs else call.ended())


def _opened(step: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    def describe() -> Keywords:
        kind = type(step).__name__
        given = args[0] if args else kwargs["step_input"]
        before = given.previous_step_content
        asked = given.input if before is None else {"input": given.input, "previous_step_content": before}
        return {"workflow": Named(step.name or kind, workflow_type=kind.lower(), class_name=kind), "input": asked}

    return opened_apart("workflow_run", describe, emitter="agno")


def _outcome(output: Any) -> Keywords | BaseException:
    if getattr(output, "is_paused", False):
        return Interrupted()
    if not output.success:
        return StepFailed(output.error or str(output.content))
    return {"result": [each.content for each in output.steps] if output.steps else output.content}


executed: Final = reported(_opened, _outcome)
"""Reports each step."""
