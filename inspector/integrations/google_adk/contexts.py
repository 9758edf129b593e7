"""What a tool leaves in its context beside its result: state, a transfer, an escalation, artifacts.

ADK reads it there once the tool has returned. So it is recorded with the result, and a result that has it is given
back with it.
"""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from inspector.integrations.calls import safely

Artifact: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""What ``save_artifact`` was called with."""

_ARTIFACTS: Final = "artifact_delta"
_STATE: Final = "state_delta"
_saved: ContextVar[list[Artifact] | None] = ContextVar("inspector_artifacts_of_an_adk_tool", default=None)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a tool that did more than return."""

    result: Any
    """What it returned."""
    actions: dict[str, Any]
    """What it left to be done, as ``EventActions`` names it."""
    artifacts: list[Artifact]
    """What it saved."""

    async def leave_in(self, context: Any) -> None:
        """Leave the same in the context of another call."""
        for args, kwargs in self.artifacts:
            await context.save_artifact(*args, **kwargs)
        for name, value in self.actions.items():
            if name == _STATE:
                context.state.update(value)
            elif isinstance(value, dict):
                getattr(context.actions, name).update(value)
            else:
                setattr(context.actions, name, value)


async def outcome_of(body: Callable[[], Any], context: Any) -> Any:
    """Run the body of a tool; return its result, in an `Outcome` where it left something in its context."""
    artifacts: list[Artifact] = []
    token = _saved.set(artifacts)
    try:
        result = await body()
    finally:
        _saved.reset(token)
    actions = safely(lambda: _left_in(context), {})
    return Outcome(result, actions, artifacts) if actions or artifacts else result


def saved(original: Callable[..., Any]) -> Callable[..., Any]:
    """Have ``save_artifact`` of a context noted, where a tool calls it."""

    async def save_artifact(self: Any, *args: Any, **kwargs: Any) -> Any:
        version = await original(self, *args, **kwargs)
        artifacts = _saved.get()
        if artifacts is not None:
            artifacts.append((args, kwargs))
        return version

    return save_artifact


def _left_in(context: Any) -> dict[str, Any]:
    """Return what is set of a context's actions; of what is said in a dictionary, a copy."""
    found: dict[str, Any] = context.actions.__dict__
    return {
        name: dict(value) if isinstance(value, dict) else value  # pyright: ignore[reportUnknownArgumentType] - of any two types
        for name, value in found.items()
        if value and name != _ARTIFACTS
    }
