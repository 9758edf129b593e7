"""The effects of a tool on its context, besides its result: state, a transfer, an escalation, artifacts.

ADK reads them once the tool has returned. So they are recorded with the result, and replayed with it.
"""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from inspector.integrations.calls import safely
from inspector.integrations.patches import wrapping

Artifact: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""The arguments of ``save_artifact``."""

_ARTIFACTS: Final = "artifact_delta"
_OWN: Final = ""
"""Stands for the id of the call itself."""
_STATE: Final = "state_delta"
_saved: ContextVar[list[Artifact] | None] = ContextVar("inspector_artifacts_of_an_adk_tool", default=None)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a tool that did more than return."""

    result: Any
    """Its result."""
    actions: dict[str, Any]
    """Its actions, named as in ``EventActions``."""
    artifacts: list[Artifact]
    """The artifacts that it saved."""

    async def leave_in(self, context: Any) -> None:
        """Apply the same effects to the context of another call."""
        for args, kwargs in self.artifacts:
            await context.save_artifact(*args, **kwargs)
        for name, value in self.actions.items():
            if name == _STATE:
                context.state.update(value)
            elif isinstance(value, dict):
                by_call = cast("dict[str, Any]", value)
                own = {context.function_call_id if key == _OWN else key: each for key, each in by_call.items()}
                getattr(context.actions, name).update(own)
            else:
                setattr(context.actions, name, value)


async def outcome_of(body: Callable[[], Any], context: Any) -> Any:
    """Run the body of a tool; return its result, in an `Outcome` if it changed its context."""
    artifacts: list[Artifact] = []
    token = _saved.set(artifacts)
    try:
        result = await body()
    finally:
        _saved.reset(token)
    actions = safely(lambda: _left_in(context), {})
    return Outcome(result, actions, artifacts) if actions or artifacts else result


@wrapping
async def saved(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Note calls of ``save_artifact`` by a tool."""
    version = await original(self, *args, **kwargs)
    artifacts = _saved.get()
    if artifacts is not None:
        artifacts.append((args, kwargs))
    return version


def _left_in(context: Any) -> dict[str, Any]:
    """Return the actions that are set in a context; dictionaries are copied.

    Requests to confirm or sign in are by the id of the call, which may be another one each time.
    """
    actions: dict[str, Any] = context.actions.__dict__
    own = context.function_call_id
    return {
        name: {_OWN if key == own else key: each for key, each in value.items()} if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType] - of any two types
        for name, value in actions.items()
        if value and name != _ARTIFACTS
    }
