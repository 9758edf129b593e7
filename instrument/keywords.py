"""The keywords of each hook as types, for subscribers: ``def start(**keywords: Unpack[BeforeToolCall])``.

What belongs to a framework (agents, models, prompts, contexts, results) is ``Any``: the contract leaves it open.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

Phase = Literal["before", "after", "error", "notice"]
"""When a hook fires: on one of the three edges of a call, or on its own."""

Noun = Literal[
    "agent_call", "llm_generate", "tool_call", "workflow_run", "rpc_request", "resource_fetch", "prompt_apply"
]
"""The calls that have a before, an after and an error hook: what ``around`` takes."""

Transport = Literal["stdio", "sse", "http", "websocket", "memory"]
"""How a JSON-RPC message travels."""

Direction = Literal["outbound", "inbound"]
"""Whether this process asks or is asked; outbound where it is not given."""

Did = Literal["passed", "changed", "answered", "raised", "skipped", "refused", "asked", "recovered"]
"""What a middleware came to: ``answered`` without calling what comes after it, or ``skipped`` since it was not reached.

``passed`` also where an exception only went through it.
"""


class Change(TypedDict):
    """A value before and after a middleware changed it."""

    before: Any
    after: Any


class Middleware(TypedDict):
    """What one middleware did to a call; values are copies, as JSON has them."""

    name: str
    did: Did
    calls: NotRequired[int]
    """How often it called what comes after it, where more than once."""
    args: NotRequired[Change]
    """The arguments or the request that it was given, and what it passed on, where they differ."""
    result: NotRequired[Change]
    """What it got and what it returned, where they differ; nothing was before where it answered itself."""


class Exchange(TypedDict):
    """What the HTTP client of a model's provider got in one attempt of a call, before anything parsed it."""

    end: Literal["whole", "left", "failed"]
    """Whether the body was read to its end, left before that, or broken off by ``exc``."""
    status: NotRequired[int]
    """Of HTTP; missing where there was no response."""
    headers: NotRequired[dict[str, str]]
    """Those that parsing needs, by their names in lower case."""
    pieces: NotRequired[list[bytes]]
    """The body without its encodings, in pieces as they were read; missing where it was too long to keep."""
    at_ns: NotRequired[list[int]]
    """When each piece of a stream was read, in nanoseconds since the request; empty where the body came whole."""
    exc: NotRequired[BaseException]
    """What the client raised."""
    said: NotRequired[str]
    """Its message, where that is read from more than it was made with."""


Verdict = Literal["passed", "changed", "answered", "denied", "raised"]
"""What a controller came to: ``changed`` the arguments, ``answered`` in place of the call, or ``raised`` anything but a
``Denied``, such as a cancellation while it waited."""


class Controlled(TypedDict):
    """What the controller did to a call."""

    controller: str
    """Its name."""
    did: Verdict
    waited_ms: float
    """How long the call waited for it, in milliseconds."""
    by: NotRequired[str]
    """Who decided, where that was not the controller itself."""
    reason: NotRequired[str]
    """Why the call was denied."""
    args: NotRequired[Change]
    """The arguments that were proposed, and those that the call was made with, where they were changed."""


class BeforeAgentCall(TypedDict):
    """Keywords of ``before_agent_call``."""

    agent: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    input: NotRequired[Any]
    at_ns: NotRequired[int]


class AfterAgentCall(TypedDict):
    """Keywords of ``after_agent_call``."""

    agent: Any
    result: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    input: NotRequired[Any]
    at_ns: NotRequired[int]


class ErrorAgentCall(TypedDict):
    """Keywords of ``error_agent_call``."""

    agent: Any
    exc: BaseException
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    input: NotRequired[Any]
    at_ns: NotRequired[int]


class BeforeLlmGenerate(TypedDict):
    """Keywords of ``before_llm_generate``."""

    llm: Any
    prompt: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    at_ns: NotRequired[int]


class AfterLlmGenerate(TypedDict):
    """Keywords of ``after_llm_generate``."""

    llm: Any
    prompt: Any
    response: Any
    usage: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    controlled: NotRequired[Controlled]
    middleware: NotRequired[list[Middleware]]
    time_to_first_chunk: NotRequired[float]
    exchanges: NotRequired[list[Exchange]]
    at_ns: NotRequired[int]


class ErrorLlmGenerate(TypedDict):
    """Keywords of ``error_llm_generate``."""

    llm: Any
    prompt: Any
    exc: BaseException
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    controlled: NotRequired[Controlled]
    middleware: NotRequired[list[Middleware]]
    time_to_first_chunk: NotRequired[float]
    exchanges: NotRequired[list[Exchange]]
    at_ns: NotRequired[int]
    response: NotRequired[Any]
    usage: NotRequired[Any]


class BeforeToolCall(TypedDict):
    """Keywords of ``before_tool_call``."""

    tool_name: str
    args: Mapping[str, Any] | None
    context: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    function: NotRequired[Callable[..., Any]]
    at_ns: NotRequired[int]


class AfterToolCall(TypedDict):
    """Keywords of ``after_tool_call``."""

    tool_name: str
    args: Mapping[str, Any] | None
    result: Any
    context: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    controlled: NotRequired[Controlled]
    middleware: NotRequired[list[Middleware]]
    function: NotRequired[Callable[..., Any]]
    returned: NotRequired[Any]
    raised: NotRequired[BaseException]
    at_ns: NotRequired[int]


class ErrorToolCall(TypedDict):
    """Keywords of ``error_tool_call``."""

    tool_name: str
    args: Mapping[str, Any] | None
    exc: BaseException
    context: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    controlled: NotRequired[Controlled]
    middleware: NotRequired[list[Middleware]]
    function: NotRequired[Callable[..., Any]]
    returned: NotRequired[Any]
    raised: NotRequired[BaseException]
    at_ns: NotRequired[int]


class BeforeWorkflowRun(TypedDict):
    """Keywords of ``before_workflow_run``."""

    workflow: Any
    context: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    input: NotRequired[Any]
    at_ns: NotRequired[int]


class AfterWorkflowRun(TypedDict):
    """Keywords of ``after_workflow_run``."""

    workflow: Any
    context: Any
    result: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    input: NotRequired[Any]
    at_ns: NotRequired[int]


class ErrorWorkflowRun(TypedDict):
    """Keywords of ``error_workflow_run``."""

    workflow: Any
    context: Any
    exc: BaseException
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    input: NotRequired[Any]
    at_ns: NotRequired[int]


class BeforeRpcRequest(TypedDict):
    """Keywords of ``before_rpc_request``."""

    envelope: Mapping[str, Any]
    transport: Transport
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    direction: NotRequired[Direction]
    server: NotRequired[str | Sequence[str]]
    at_ns: NotRequired[int]


class AfterRpcResponse(TypedDict):
    """Keywords of ``after_rpc_response``."""

    envelope: Mapping[str, Any]
    transport: Transport
    duration_ms: float
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    direction: NotRequired[Direction]
    server: NotRequired[str | Sequence[str]]
    at_ns: NotRequired[int]
    controlled: NotRequired[Controlled]


class ErrorRpcRequest(TypedDict):
    """Keywords of ``error_rpc_request``."""

    envelope: Mapping[str, Any]
    transport: Transport
    exc: BaseException
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    direction: NotRequired[Direction]
    server: NotRequired[str | Sequence[str]]
    at_ns: NotRequired[int]
    controlled: NotRequired[Controlled]


class BeforeResourceFetch(TypedDict):
    """Keywords of ``before_resource_fetch``."""

    uri: str
    context: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]


class AfterResourceFetch(TypedDict):
    """Keywords of ``after_resource_fetch``."""

    uri: str
    content: Any
    mime_type: str | None
    context: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    controlled: NotRequired[Controlled]


class ErrorResourceFetch(TypedDict):
    """Keywords of ``error_resource_fetch``."""

    uri: str
    exc: BaseException
    context: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    controlled: NotRequired[Controlled]


class BeforePromptApply(TypedDict):
    """Keywords of ``before_prompt_apply``."""

    template_id: str
    parameters: Mapping[str, Any] | None
    context: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]


class AfterPromptApply(TypedDict):
    """Keywords of ``after_prompt_apply``."""

    template_id: str
    parameters: Mapping[str, Any] | None
    rendered: Any
    context: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    controlled: NotRequired[Controlled]


class ErrorPromptApply(TypedDict):
    """Keywords of ``error_prompt_apply``."""

    template_id: str
    parameters: Mapping[str, Any] | None
    exc: BaseException
    context: Any
    call_id: NotRequired[str]
    emitter: NotRequired[str]
    controlled: NotRequired[Controlled]


class SessionStarted(TypedDict):
    """Keywords of ``session_started``."""

    session_id: str
    context: Any


class SessionPaused(TypedDict):
    """Keywords of ``session_paused``."""

    session_id: str
    reason: str | None
    context: Any


class SessionResumed(TypedDict):
    """Keywords of ``session_resumed``."""

    session_id: str
    context: Any


class SessionFinished(TypedDict):
    """Keywords of ``session_finished``."""

    session_id: str
    context: Any


class ProgressUpdate(TypedDict):
    """Keywords of ``progress_update``."""

    progress: float
    total: float | None
    message: str | None
    context: Any
    call_id: NotRequired[str]


class OperationCancelled(TypedDict):
    """Keywords of ``operation_cancelled``."""

    reason: str | None
    context: Any
    call_id: NotRequired[str]
