"""The input of a run, for the workflow and the agent of its spans."""

from contextvars import ContextVar
from typing import Any

from inspector.integrations.calls import safely
from inspector.integrations.patches import wrapping


class RunInput:
    """One call of a runner."""

    __slots__ = ("agent_is_recorded", "given", "is_being_set_up", "is_resumed", "name", "session_id")

    def __init__(self, given: Any, options: dict[str, Any]) -> None:
        config = options.get("run_config")
        self.is_resumed = type(given).__name__ == "RunState"
        self.given = getattr(given, "_original_input", None) if self.is_resumed else given
        self.name = getattr(config, "workflow_name", None) or "Agent workflow"
        self.session_id = _session(config, options)
        self.is_being_set_up = False
        """Whether this is the part of a streamed run that is over before its workflow begins."""
        self.agent_is_recorded = False


def _session(config: Any, options: dict[str, Any]) -> str | None:
    session = options.get("session")
    for candidate in (
        getattr(config, "group_id", None),
        getattr(session, "session_id", None),
        options.get("conversation_id"),
    ):
        if isinstance(candidate, str):
            return candidate
    return None


run_input: ContextVar[RunInput | None] = ContextVar("inspector_openai_agents_run", default=None)


@wrapping
async def run(original: Any, /, self: Any, starting_agent: Any, input: Any, **options: Any) -> Any:  # noqa: A002 - the SDK's name
    """Note the input of a run while it runs."""
    around = run_input.get()
    run_input.set(safely(lambda: RunInput(input, options), otherwise=None))
    try:
        return await original(self, starting_agent, input, **options)
    finally:
        run_input.set(around)


@wrapping
def run_streamed(original: Any, /, self: Any, starting_agent: Any, input: Any, **options: Any) -> Any:  # noqa: A002 - as above
    """Note the input of a run while it is started; its task inherits it."""
    around = run_input.get()
    its = safely(lambda: RunInput(input, options), otherwise=None)
    if its is not None:
        its.is_being_set_up = True
    run_input.set(its)
    try:
        return original(self, starting_agent, input, **options)
    finally:
        if its is not None:
            its.is_being_set_up = False
        run_input.set(around)
