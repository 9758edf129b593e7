"""Runs of agents, and of graphs and swarms of them: generators of events, of which the last has the result."""

from functools import partial
from typing import Any, Final

from inspector.integrations.calls import (
    Call,
    Describe,
    Keywords,
    Named,
    announce,
    around_here,
    conclude,
    guarded,
    safely,
)
from inspector.integrations.endings import Interrupted
from inspector.integrations.generators import Following, generating, opened_apart
from inspector.integrations.plain import is_fields
from instrument.keywords import Noun

_WAITS: Final = ("interrupt", "checkpoint", "interrupted")
_CANCELLED: Final = ("cancelled",)
_FAILED: Final = "failed"
"""How a run ended, as an agent's stop reason and as the status of a graph or swarm have it."""


class RunFailed(Exception):
    """The result of a graph or swarm says that it failed, and no exception was raised."""


def _agent(agent: Any, /, prompt: Any = None, *_: Any, **__: Any) -> Following:
    def describe() -> Keywords:
        kind = type(agent).__name__
        return {"agent": Named(agent.name or kind, agent.description, class_name=kind), "input": prompt}

    return _following("agent_call", agent, describe)


def _several(owner: Any, /, task: Any = None, *_: Any, **__: Any) -> Following:
    def describe() -> Keywords:
        kind = type(owner).__name__
        return {"workflow": Named(owner.id or kind, workflow_type=_pattern(owner), class_name=kind), "input": task}

    return _following("workflow_run", owner, describe)


def _pattern(owner: Any) -> str:
    return next((name.lower() for each in type(owner).__mro__ if (name := each.__name__) in ("Graph", "Swarm")), "")


def _following(noun: Noun, owner: Any, describe: Describe) -> Following:
    session = safely(lambda: _session(owner), None)
    call = opened_apart(noun, describe, emitter="strands", session_id=session)

    def saw(event: Any) -> None:
        result = event.get("result") if is_fields(event) else None
        # At once: who has the result may not come back for the end.
        if type(result).__name__.endswith("Result"):
            _finish(call, result)

    return Following(call, guarded(saw), call.ended)


def _session(owner: Any) -> str | None:
    """Return the session that the program gave; Strands makes up an id for an agent without."""
    if any(call.emitter == "strands" for call in around_here()):
        return None
    kept = getattr(owner, "_session_manager", None) or getattr(owner, "session_manager", None)
    session = getattr(kept, "session_id", None)
    return session if isinstance(session, str) else None


def _finish(call: Call, result: Any) -> None:
    end = _end(result)
    if end in _WAITS:
        name = getattr(call.keyword("agent") or call.keyword("workflow"), "name", None)
        call.inside().run(announce, "session_paused", lambda: {"reason": f"{name} waits for a person", "context": None})
    conclude(call, partial(_outcome, end), result)


def _end(result: Any) -> str:
    end = getattr(result, "stop_reason", None) or getattr(result, "status", None)
    return str(getattr(end, "value", end))


def _outcome(end: str, result: Any) -> Keywords | BaseException:
    if end in _WAITS or end in _CANCELLED:
        return Interrupted()
    if end == _FAILED:
        return RunFailed(str(result))
    whole = getattr(result, "structured_output", None)
    return {"result": str(result).removesuffix("\n") if whole is None else whole}


ran: Final = generating(_agent)
"""Reports each run of an agent."""
ran_together: Final = generating(_several)
"""Reports each run of a graph or swarm."""
