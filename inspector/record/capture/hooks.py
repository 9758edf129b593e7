"""Captures the values of each hook: private copies, made in the agent's thread while the hook runs.

Each noun of the contract has one ``Capture``: how to identify its calls, and which facts to record of its before and
after hooks. `inspector.reading` turns the facts into attributes when the spool is read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from opentelemetry import trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from inspector.plain import Plain
from inspector.record.calls.states import is_refusal
from inspector.record.capture import jsonrpc
from inspector.record.capture.captured import captured, captured_prompt, captured_result
from inspector.record.capture.functions import function_facts
from inspector.record.values.attributes import read, read_live
from inspector.record.values.layouts import mro, type_name
from inspector.record.values.short_text import short_text
from inspector.record.values.snapshot import snapshot
from inspector.toolnames import is_same_tool
from instrument.signals import is_of_signal

HookValues: TypeAlias = Mapping[str, Any]
"""The keywords of one emitted hook."""
Facts: TypeAlias = dict[str, Plain]

_W3C = TraceContextTextMapPropagator()


@dataclass(frozen=True, slots=True)
class Capture:
    """How to capture the calls of one noun."""

    noun: str
    before_hook: str
    after_hook: str
    error_hook: str
    before: Callable[[HookValues], Facts]
    after: Callable[[HookValues], Facts]
    identity: Callable[[HookValues, Facts], object]
    """Returns the name of the tool, agent or model, which pairs the hooks of a call without a ``call_id``; hashable.

    It gets the values of any of the three hooks, and the facts of the before hook if they are available.
    """
    owner: str | None = None
    """The keyword of the called object, whose name may change during the call."""

    def subject(self, values: HookValues) -> int | None:
        """Return an identifier of the called object, to distinguish it from others of the same name while it exists."""
        return None if self.owner is None else id(values.get(self.owner))


def _type_name(value: object) -> str:
    try:
        # For a proxy, this is the class of the object behind it.
        name = value.__class__.__qualname__
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the boundary to the agent: it may be a property that does anything
        if is_of_signal(error):
            raise
        name = None
    return short_text(name) or type_name(type(value))


def _class_name(value: object) -> Plain:
    # An integration's description of another object has the name of that object's class, or none.
    return _named(value, "class_name") if hasattr(type(value), "class_name") else _type_name(value)


def _named(value: object, *names: str) -> Plain:
    for name in names:
        named = read_live(value, name)
        if named is not None and named != "":
            return short_text(named) if isinstance(named, str) else named
    return None


def _owner_facts(value: object) -> Facts:
    if value is None:
        return {}
    return {"name": _named(value, "name") or _type_name(value), "class": _class_name(value)}


def _given_input(values: HookValues) -> Facts:
    return {"input": captured(values["input"])} if "input" in values else {}


def _result(values: HookValues) -> Facts:
    return {"result": captured_result(values.get("result"))}


def _workflow(values: HookValues) -> Facts:
    workflow = values.get("workflow")
    if isinstance(workflow, str):
        return {"name": short_text(workflow), **_given_input(values)}
    kind = _named(workflow, "workflow_type", "pattern")
    return {**_owner_facts(workflow), "type": kind, **_given_input(values)}


def _agent(values: HookValues) -> Facts:
    agent = values.get("agent")
    if isinstance(agent, str):
        return {"name": short_text(agent), **_given_input(values)}
    described = _named(agent, "description")
    return {**_owner_facts(agent), "description": described, **_given_input(values)}


_MODEL_NAMES = ("model", "model_name", "model_id", "default_model")


def _llm(values: HookValues) -> Facts:
    llm = values.get("llm")
    facts: Facts = {"prompt": captured_prompt(values.get("prompt"))}
    if isinstance(llm, str):
        return {"model": short_text(llm), **facts}
    facts["model"] = _named(llm, *_MODEL_NAMES)
    facts["provider"] = _named(llm, "provider", "provider_name")
    facts["operation"] = _named(llm, "operation")
    facts["url"] = _named(llm, "url")
    facts["class"] = _class_name(llm)
    return facts


def _llm_after(values: HookValues) -> Facts:
    first_chunk_s = values.get("time_to_first_chunk")
    llm = values.get("llm")
    return {
        # With fallbacks, another model may answer than the before hook named.
        "model": short_text(llm) if isinstance(llm, str) else _named(llm, *_MODEL_NAMES),
        "provider": None if isinstance(llm, str) else _named(llm, "provider", "provider_name"),
        "response": captured(values.get("response")),
        "usage": snapshot(values.get("usage")),
        "request_id": short_text(read(values.get("response"), "_request_id")),
        "time_to_first_chunk": first_chunk_s if isinstance(first_chunk_s, int | float) else None,
    }


_TOOL_CONTEXT = {
    "tool_call_id": ("tool_use_id", "tool_call_id"),
    "correlation_id": ("correlation_id",),
    "source": ("tool_source",),
    "server": ("server_name",),
    "agent": ("agent_name",),
}


def _tool(values: HookValues) -> Facts:
    facts: Facts = {"name": short_text(values.get("tool_name")), "args": captured(values.get("args"))}
    context = values.get("context")
    if context is not None:
        for fact, names in _TOOL_CONTEXT.items():
            found = read(context, *names)
            if isinstance(found, str) and found:
                facts[fact] = short_text(found)
    function = values.get("function")
    if function is not None:
        facts |= function_facts(function, values.get("args"))
    return facts


_WHO_CHANGED = ("middleware", "controlled")
_NEVER_RUN = frozenset({"ToolUnknown", "ArgumentsInvalid"})


def ending(values: HookValues) -> Facts:
    """Return the facts of any ending hook: who changed the call, whether it ran, the id of a failed request."""
    facts: Facts = {key: snapshot(values[key]) for key in _WHO_CHANGED if values.get(key) is not None}
    exc = values.get("exc")
    if isinstance(exc, BaseException):
        facts |= {"refused": True} if is_refusal(exc) else {}
        facts |= {"never_run": True} if _NEVER_RUN & {cls.__name__ for cls in mro(type(exc))} else {}
        request_id = short_text(read(exc, "request_id"))
        facts |= {"request_id": request_id} if request_id else {}
    return facts


def _rpc(values: HookValues) -> Facts:
    transport = values.get("transport")
    facts: Facts = {
        "envelope": jsonrpc.read_envelope(values.get("envelope")),
        "transport": jsonrpc.transport_of(transport),
    }
    place = _place(values.get("server"))
    if place is not None:
        facts["place"] = place
    if facts["transport"] is None and transport is not None:
        facts["other_transport"] = short_text(transport) or _type_name(transport)
    return facts


def _place(server: object) -> Plain:
    """Return the address of a server: its URL, or the command that starts it as a list."""
    if not isinstance(server, list | tuple):
        return short_text(server)
    words = [short_text(each) for each in cast("Sequence[object]", server)]
    return None if None in words or len(words) > _MOST_WORDS else cast("list[Plain]", words)


_MOST_WORDS: Final = 200


def _rpc_after(values: HookValues) -> Facts:
    duration_ms = values.get("duration_ms")
    envelope = jsonrpc.read_envelope(values.get("envelope"))
    return {
        "envelope": envelope,
        # Some emitters pass the request again.
        "response": None if jsonrpc.is_request(envelope) else envelope,
        "duration_ms": duration_ms if isinstance(duration_ms, int | float) else None,
    }


def _rpc_identity(values: HookValues, facts: Facts) -> object:
    return jsonrpc.identity(facts.get("envelope"), values.get("transport"), values.get("direction"))


def _resource(values: HookValues) -> Facts:
    return {"uri": _uri(values)}


def _uri(values: HookValues) -> str | None:
    uri = values.get("uri")
    if uri is None or isinstance(uri, str):
        return short_text(uri)
    try:
        # Frameworks use URL classes of their own, which are not strings.
        return short_text(str(uri))
    except Exception as error:  # the boundary to the agent: it may be anything
        if is_of_signal(error):
            raise
        return None


def _resource_after(values: HookValues) -> Facts:
    content = values.get("content")
    size = len(content) if isinstance(content, str | bytes) else None
    return {"content": captured(content), "mime_type": short_text(values.get("mime_type")), "size": size}


def _prompt(values: HookValues) -> Facts:
    return {"template": short_text(values.get("template_id")), "parameters": captured(values.get("parameters"))}


def _prompt_after(values: HookValues) -> Facts:
    return {"rendered": captured(values.get("rendered"))}


def _name_of(keyword: str) -> Callable[[HookValues, Facts], object]:
    def identity(values: HookValues, facts: Facts) -> object:
        return facts["name"] if "name" in facts else _owner_name(values.get(keyword))

    return identity


def _owner_name(owner: object) -> Plain:
    return short_text(owner) if isinstance(owner, str) else _named(owner, "name") or _type_name(owner)


def _model_of(values: HookValues, facts: Facts) -> object:
    if "model" in facts:
        return facts["model"] or facts.get("class")
    llm = values.get("llm")
    return short_text(llm) if isinstance(llm, str) else _named(llm, *_MODEL_NAMES) or _class_name(llm)


def _text_of(keyword: str, fact: str) -> Callable[[HookValues, Facts], object]:
    def identity(values: HookValues, facts: Facts) -> object:
        return facts[fact] if fact in facts else short_text(values.get(keyword))

    return identity


def _trio(noun: str) -> tuple[str, str, str, str]:
    return noun, f"before_{noun}", f"after_{noun}", f"error_{noun}"


CAPTURES: tuple[Capture, ...] = (
    Capture(*_trio("workflow_run"), before=_workflow, after=_result, identity=_name_of("workflow"), owner="workflow"),
    Capture(*_trio("agent_call"), before=_agent, after=_result, identity=_name_of("agent"), owner="agent"),
    Capture(*_trio("llm_generate"), before=_llm, after=_llm_after, identity=_model_of, owner="llm"),
    Capture(*_trio("tool_call"), before=_tool, after=_result, identity=_text_of("tool_name", "name")),
    Capture(
        "rpc_request",
        "before_rpc_request",
        "after_rpc_response",
        "error_rpc_request",
        before=_rpc,
        after=_rpc_after,
        identity=_rpc_identity,
    ),
    Capture(
        *_trio("resource_fetch"),
        before=_resource,
        after=_resource_after,
        identity=lambda values, facts: facts.get("uri") or _uri(values),
    ),
    Capture(*_trio("prompt_apply"), before=_prompt, after=_prompt_after, identity=_text_of("template_id", "template")),
)


def remote_parent(envelope: Plain) -> trace.SpanContext | None:
    """Return the caller's span that an inbound JSON-RPC request names in ``params._meta``.

    The MCP specification of 2026-07-28 (SEP-414) reserves these keys without a prefix.
    """
    if not isinstance(envelope, dict) or not isinstance(params := envelope.get("params"), dict):
        return None
    meta = params.get("_meta", params.get("meta"))
    if not isinstance(meta, dict) or not isinstance(meta.get("traceparent"), str):
        return None
    carrier = {key: value for key, value in meta.items() if isinstance(value, str)}
    parent = trace.get_current_span(_W3C.extract(carrier)).get_span_context()
    return parent if parent.is_valid else None


def covers(span_noun: str, facts: Facts, envelope: Plain) -> bool:
    """Tell whether an open call already represents the JSON-RPC request that is about to be sent for it.

    OpenTelemetry's MCP conventions ask for attributes on the existing tool span instead of a second span.
    """
    if not isinstance(envelope, dict):
        return False
    params = envelope.get("params")
    if not isinstance(params, dict):
        return False
    match (span_noun, envelope.get("method")):
        case ("tool_call", "tools/call"):
            name, asked = facts.get("name"), params.get("name")
            return isinstance(name, str) and isinstance(asked, str) and is_same_tool(name, asked)
        case ("resource_fetch", "resources/read"):
            return str(facts.get("uri")) == str(params.get("uri"))
        case ("prompt_apply", "prompts/get"):
            return facts.get("template") == params.get("name")
        case _:
            return False
