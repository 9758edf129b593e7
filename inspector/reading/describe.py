"""Turns the facts of a call into the name and attributes of its span, as listed in docs/telemetry.md.

Standard OpenTelemetry names come first, the original ``mcp.*`` names beside them, everything of our own under
``inspector.*``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from inspector import semconv as sc
from inspector.nouns import NOUNS
from inspector.parts import Parts
from inspector.plain import Plain
from inspector.reading.call_record import CallRecord, State
from inspector.reading.describe_model import describe_model
from inspector.reading.describe_request import describe_prompt, describe_request, describe_resource
from inspector.reading.description import Description, shown, titled
from inspector.reading.facts import Facts
from inspector.reading.message_parts import STRUCTURED
from inspector.reading.middleware import outcome
from inspector.toolnames import without_server

Describe: TypeAlias = Callable[[CallRecord, Facts, Facts | None], Description]
"""Describes a call, given the values of its before hook and, if it has ended, those of its ending hook."""


def describe(record: CallRecord, parts: Parts[Any] | None = None, *, state: State | None = None) -> Description:
    """Return the name and attributes of the span of a call; another call that includes it may decide its state."""
    state = state or record.state
    before = Facts(record, "before", parts)
    after = None if record.after is None else Facts(record, "after", parts)
    description = DESCRIBE.get(record.noun, _other)(record, before, after)
    if record.noun in DESCRIBE:
        description.put_fact(sc.CONTROLLED, "controlled", of=before)
    _identify(record, description.attributes)
    # If a call took several requests, as when a server asks back, the first has its start and the last its end.
    for part in reversed(record.merged):
        its = describe(part, parts, state=state)
        description.attributes = {**its.attributes, **description.attributes}
        description.bodies = {**its.bodies, **description.bodies}
    _status(record, state, description)
    if record.agent is not None and record.noun in _IN_AGENTS:
        description.attributes.setdefault(sc.AGENT_NAME, record.agent)
    if record.extra or record.noted or record.parts:
        _extra(description, Facts(record, "extra", parts))
        _noted(description, Facts(record, "noted", parts))
    if record.raw or "raw" in record.parts:
        _raw(description, Facts(record, "raw", parts))
    if record.name is not None:
        description.name = record.name
    return description


_IN_AGENTS: Final = frozenset(noun.name for noun in NOUNS.values() if noun.in_agent)


def _identify(record: CallRecord, attributes: dict[str, Any]) -> None:
    attributes[sc.HOOK] = record.noun
    if record.session is not None:
        attributes[sc.SESSION_ID] = record.session
    if record.call is not None:
        attributes[sc.CALL_ID] = record.call
    if record.emitter is not None:
        attributes[sc.EMITTER] = record.emitter


def _status(record: CallRecord, state: State, description: Description) -> None:
    if state == "running":
        return
    description.attributes[sc.STATUS] = state
    if state in ("ok", "error"):
        description.attributes[sc.SEED_STATUS_CODE] = state
    failure = record.failure
    if failure is not None and state in ("error", "denied"):
        description.attributes[sc.ERROR_TYPE] = failure.type
        description.put(sc.SEED_ERROR_MESSAGE, value=failure.message or None)
        description.put(sc.SEED_ERROR_CODE, value=failure.code)


def _extra(description: Description, extra: Facts) -> None:
    for key in extra:
        plain = extra[key]
        if isinstance(plain, str | bool | int | float):
            description.attributes[key] = plain
        elif isinstance(plain, list) and len(words := [item for item in plain if isinstance(item, str)]) == len(plain):
            description.attributes[key] = [*words]
        elif plain is not None:
            description.put_text(key, text=extra.text(key))


def _noted(description: Description, noted: Facts) -> None:
    for key in noted:
        description.put_text(key, text=noted.text(key))


def _raw(description: Description, raw: Facts) -> None:
    for key in raw:
        description.put_text(f"{sc.RAW_PREFIX}{key}", text=raw.text(key))


def _workflow(record: CallRecord, facts: Facts, after: Facts | None) -> Description:
    name = facts.get("name")
    description = Description(titled("invoke_workflow", name or "workflow"))
    description.attributes |= {sc.OPERATION_NAME: "invoke_workflow", sc.SPAN_TYPE: "workflow.run"}
    description.put(sc.WORKFLOW_NAME, value=name)
    description.put(sc.SEED_WORKFLOW_TYPE, value=facts.get("type"))
    if not record.content:
        return description
    description.put_fact(sc.SEED_WORKFLOW_INPUT, "input", of=facts)
    if after is not None:
        description.put_text(sc.SEED_WORKFLOW_OUTPUT, text=after.text("result"))
    return description


def _agent(record: CallRecord, facts: Facts, after: Facts | None) -> Description:
    name = facts.get("name")
    description = Description(titled("invoke_agent", name or "agent"))
    description.attributes |= {sc.OPERATION_NAME: "invoke_agent", sc.SPAN_TYPE: "agent.call"}
    description.put(sc.AGENT_NAME, sc.SEED_AGENT_NAME, value=name)
    description.put(sc.AGENT_DESCRIPTION, value=facts.get("description"))
    description.put(sc.SEED_AGENT_CLASS, value=facts.get("class"))
    if not record.content:
        return description
    description.put_fact(sc.AGENT_INPUT, "input", of=facts)
    if after is not None:
        description.put_text(sc.SEED_AGENT_RESULT, text=after.text("result"))
    return description


_TOOL_FACTS = (
    ("source", sc.TOOL_SOURCE),
    ("server", sc.TOOL_SERVER),
    ("tool_call_id", sc.TOOL_CALL_ID),
    ("correlation_id", sc.CORRELATION_ID),
    ("agent", sc.AGENT_NAME),
    ("function", sc.FUNCTION_NAME),
    ("reference", sc.TOOL_REFERENCE),
    ("unreachable", sc.TOOL_UNREACHABLE),
)


def _tool(record: CallRecord, facts: Facts, after: Facts | None) -> Description:
    full_name = shown(facts.get("name") or "tool")
    server = facts.get("server")
    # `execute` would say nothing of `shell.execute`.
    is_prefixed = isinstance(server, str) and facts.get("source") != "runtime"
    name = without_server(full_name, str(server)) if is_prefixed else full_name
    description = Description(titled("execute_tool", name))
    description.attributes = {
        sc.OPERATION_NAME: "execute_tool",
        sc.SPAN_TYPE: "tool.call",
        sc.TOOL_NAME: name,
        sc.SEED_TOOL_NAME: full_name,
    }
    if "source" in facts:
        description.put(sc.TOOL_TYPE, value="extension" if facts["source"] == "mcp" else "function")
    for fact, key in _TOOL_FACTS:
        description.put(key, value=facts.get(fact))
    if record.content:
        description.put_text(sc.TOOL_CALL_ARGUMENTS, sc.SEED_TOOL_INPUT, text=facts.text("args"))
        if after is not None:
            _tool_result(description, after)
    description.put_fact(sc.MIDDLEWARE, "middleware", of=facts)
    description.put(sc.TOOL_OUTCOME, value=outcome(facts))
    return description


def _tool_result(description: Description, after: Facts) -> None:
    text = after.text("result")
    description.put_text(sc.TOOL_CALL_RESULT, sc.SEED_TOOL_OUTPUT, text=text)
    # Only an object that names one has to be read for it.
    if not any(name in text.json for name in STRUCTURED):
        return
    result = after.get("result")
    fields = result if isinstance(result, dict) else {}
    for name in STRUCTURED:
        if (value := fields.get(name)) is not None:
            description.put_part(sc.SEED_TOOL_STRUCTURED_OUTPUT, value=value, facts=after, of="result")
            return


_UNNAMED: Final = {"uncaught": "uncaught exception"}


def _root(record: CallRecord, facts: Facts, _: Facts | None) -> Description:
    name = facts.get("name")
    return Description(name if isinstance(name, str) and name else _UNNAMED.get(record.noun, record.noun))


def _label(_: CallRecord, facts: Facts, __: Facts | None) -> Description:
    description = Description(titled("label", facts.get(sc.EVALUATION_NAME)))
    for key in facts:
        description.put(key, value=facts[key])
    return description


def _request(_: CallRecord, facts: Facts, __: Facts | None) -> Description:
    method, route, path = (facts.get(fact) for fact in ("method", "route", "path"))
    description = Description(titled(shown(method or "HTTP"), route or path), sc.KIND_SERVER)
    # A websocket begins as a GET.
    description.put(sc.HTTP_METHOD, value="GET" if method == "WEBSOCKET" else method)
    description.put(sc.HTTP_ROUTE, value=route)
    description.put(sc.URL_PATH, value=path)
    description.put(sc.HTTP_STATUS, value=facts.get("status"))
    return description


def _other(record: CallRecord, facts: Facts, _: Facts | None) -> Description:
    description = Description(record.noun)
    for key in facts:
        plain: Plain = facts[key]
        if isinstance(plain, str):
            description.attributes[f"inspector.{key}"] = plain
        elif plain is not None:
            description.put_text(f"inspector.{key}_json", text=facts.text(key))
    return description


DESCRIBE: Mapping[str, Describe] = {
    "run": _root,
    "cell": _root,
    "request": _request,
    "label": _label,
    "uncaught": _root,
    "workflow_run": _workflow,
    "agent_call": _agent,
    "llm_generate": describe_model,
    "tool_call": _tool,
    "rpc_request": describe_request,
    "resource_fetch": describe_resource,
    "prompt_apply": describe_prompt,
}
