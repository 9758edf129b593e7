"""Steps of workflows: single ones, and those that consist of others."""

from functools import partial
from inspect import iscoroutinefunction
from typing import Any

from inspector.integrations.calls import Call, Keywords, Named, conclude, guarded
from inspector.integrations.generators import Following, in_steps, opened_apart


class StepFailed(Exception):
    """The output of a step says that it failed, and the workflow goes on."""


def executed(original: Any) -> Any:
    """Report each step."""

    def execute(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _opened(self, args, kwargs) as call:
            output = original(self, *args, **kwargs)
        _finish(call, output)
        return output

    async def aexecute(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _opened(self, args, kwargs) as call:
            output = await original(self, *args, **kwargs)
        _finish(call, output)
        return output

    return aexecute if iscoroutinefunction(original) else execute


def streamed(original: Any) -> Any:
    """Like `executed`, for steps that give events, and their output at last."""

    def execute_stream(self: Any, *args: Any, **kwargs: Any) -> Any:
        events = original(self, *args, **kwargs)
        return in_steps(events, partial(_begun, self, args, kwargs))

    return execute_stream


def _begun(step: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Following:
    call = _opened(step, args, kwargs)
    outputs: list[Any] = []

    def saw(item: Any) -> None:
        if type(item).__name__ == "StepOutput":
            outputs[:] = [item]

    return Following(call, guarded(saw), lambda: _finish(call, outputs[0]) if outputs else call.ended())


def _opened(step: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    def describe() -> Keywords:
        kind = type(step).__name__
        given = args[0] if args else kwargs["step_input"]
        before = given.previous_step_content
        asked = given.input if before is None else {"input": given.input, "previous_step_content": before}
        return {"workflow": Named(step.name or kind, workflow_type=kind.lower(), class_name=kind), "input": asked}

    return opened_apart("workflow_run", describe, emitter="agno")


def _finish(call: Call, output: Any) -> None:
    if getattr(output, "is_paused", False):
        call.interrupted()
    else:
        conclude(call, _outcome, output)


def _outcome(output: Any) -> Keywords | BaseException:
    if not output.success:
        return StepFailed(output.error or str(output.content))
    return {"result": [each.content for each in output.steps] if output.steps else output.content}
