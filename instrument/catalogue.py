"""Every hook of the contract: when it is emitted, and with which keywords."""

from collections.abc import Mapping
from types import MappingProxyType

# For type checkers alone: importing typing would take longer than all of this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from instrument.keywords import Phase

CONTRACT_VERSION = "1.9"
"""The minor number grows with new hooks and keywords, the major one when any is renamed or removed."""


_CALL = ("call_id", "emitter")
_RPC = (*_CALL, "direction", "server", "at_ns")
_RPC_ENDED = (*_RPC, "controlled")
_GIVEN = (*_CALL, "input", "at_ns")
_CONTROLLED = (*_CALL, "controlled")
_CHANGED = (*_CONTROLLED, "middleware")
_OUTCOME = (*_CHANGED, "function", "returned", "raised", "at_ns")
_TIMED = (*_CALL, "at_ns")
_ANSWERED = (*_CHANGED, "time_to_first_chunk", "exchanges", "at_ns")


class Hook:
    """One hook of the contract; cannot be changed."""

    __slots__ = ("keywords", "name", "noun", "optional", "phase", "since", "when")

    name: str
    phase: "Phase"
    """The edge of a call on which it fires; ``notice`` for what fires on its own."""
    noun: str
    """What it is about. The hooks of one trio share it, though ``after_rpc_response`` is named otherwise."""
    when: str
    keywords: tuple[str, ...]
    """Always given."""
    optional: tuple[str, ...]
    """Given by some emitters only."""
    since: str
    """The contract version that added the hook."""

    def __init__(self, name: str, when: str, *, keywords: str, since: str, optional: tuple[str, ...] = _CALL) -> None:
        phase, _, noun = name.partition("_")
        if phase not in ("before", "after", "error"):
            phase, noun = "notice", phase
        values = {
            "name": name,
            "phase": phase,
            "noun": "rpc_request" if noun == "rpc_response" else noun,
            "when": when,
            "keywords": tuple(keywords.split()),
            "optional": optional,
            "since": since,
        }
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)

    def __setattr__(self, name: str, value: object) -> "NoReturn":
        raise AttributeError(f"cannot set {name!r}: hooks of the contract do not change")

    def __repr__(self) -> str:
        return f"Hook({self.name!r}, keywords={self.keywords!r}, optional={self.optional!r}, since={self.since!r})"


_ALL = (
    Hook("before_agent_call", "Before an agent is called", keywords="agent", since="1.1", optional=_GIVEN),
    Hook("after_agent_call", "After the agent returned", keywords="agent result", since="1.1", optional=_GIVEN),
    Hook("error_agent_call", "When the agent raised", keywords="agent exc", since="1.1", optional=_GIVEN),
    Hook(
        "before_llm_generate",
        "Just before a model's provider is called",
        keywords="llm prompt",
        since="1.0",
        optional=_TIMED,
    ),
    Hook(
        "after_llm_generate",
        "After the model answered",
        keywords="llm prompt response usage",
        since="1.0",
        optional=_ANSWERED,
    ),
    Hook(
        "error_llm_generate",
        "When the model call raised",
        keywords="llm prompt exc",
        since="1.0",
        optional=(*_ANSWERED, "response", "usage"),
    ),
    Hook(
        "before_tool_call",
        "Just before a tool is resolved and run",
        keywords="tool_name args context",
        since="1.0",
        optional=(*_CALL, "function", "at_ns"),
    ),
    Hook(
        "after_tool_call",
        "After the tool returned",
        keywords="tool_name args result context",
        since="1.0",
        optional=_OUTCOME,
    ),
    Hook(
        "error_tool_call",
        "When the tool raised",
        keywords="tool_name args exc context",
        since="1.0",
        optional=_OUTCOME,
    ),
    Hook(
        "before_workflow_run", "On entry to a workflow's run", keywords="workflow context", since="1.0", optional=_GIVEN
    ),
    Hook(
        "after_workflow_run", "After the run returned", keywords="workflow context result", since="1.0", optional=_GIVEN
    ),
    Hook("error_workflow_run", "When the run raised", keywords="workflow context exc", since="1.0", optional=_GIVEN),
    Hook(
        "before_rpc_request",
        "Just before a JSON-RPC request is sent",
        keywords="envelope transport",
        since="1.0",
        optional=_RPC,
    ),
    Hook(
        "after_rpc_response",
        "When its response was received",
        keywords="envelope transport duration_ms",
        since="1.0",
        optional=_RPC_ENDED,
    ),
    Hook(
        "error_rpc_request",
        "When the transport or the request failed",
        keywords="envelope transport exc",
        since="1.0",
        optional=_RPC_ENDED,
    ),
    Hook("before_resource_fetch", "Just before a resource is read", keywords="uri context", since="1.2"),
    Hook(
        "after_resource_fetch",
        "After the resource was read",
        keywords="uri content mime_type context",
        since="1.2",
        optional=_CONTROLLED,
    ),
    Hook(
        "error_resource_fetch", "When reading it raised", keywords="uri exc context", since="1.2", optional=_CONTROLLED
    ),
    Hook(
        "before_prompt_apply",
        "Just before a prompt template is filled in",
        keywords="template_id parameters context",
        since="1.2",
    ),
    Hook(
        "after_prompt_apply",
        "After it was filled in",
        keywords="template_id parameters rendered context",
        since="1.2",
        optional=_CONTROLLED,
    ),
    Hook(
        "error_prompt_apply",
        "When filling it in raised",
        keywords="template_id parameters exc context",
        since="1.2",
        optional=_CONTROLLED,
    ),
    Hook("session_started", "When a session begins", keywords="session_id context", since="1.2", optional=()),
    Hook(
        "session_paused", "When a session stops to wait", keywords="session_id reason context", since="1.2", optional=()
    ),
    Hook("session_resumed", "When a paused session goes on", keywords="session_id context", since="1.2", optional=()),
    Hook("session_finished", "When a session is over", keywords="session_id context", since="1.2", optional=()),
    Hook(
        "progress_update",
        "When a call reports how far it is",
        keywords="progress total message context",
        since="1.2",
        optional=("call_id",),
    ),
    Hook(
        "operation_cancelled",
        "When someone asks for a call to be cancelled",
        keywords="reason context",
        since="1.2",
        optional=("call_id",),
    ),
)

HOOKS: Mapping[str, Hook] = MappingProxyType({hook.name: hook for hook in _ALL})
"""The contract's hooks by name, read-only. Emitters may use names beyond it, and subscribers must ignore those."""
