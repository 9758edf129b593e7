"""From the facts of a call to the name and attributes of its span, as docs/telemetry.md lists them.

Runs in the writer's thread. Standard OpenTelemetry names come first, the original ``mcp.*`` names beside them,
everything of our own under ``inspector.*``.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from inspector import semconv as sc
from inspector.nouns import NOUNS
from inspector.plain import Cut, Plain, behind
from inspector.reading.messages import input_messages, output_messages, request_facts, response_facts
from inspector.reading.usage import read_usage
from inspector.record.addresses import place_attributes
from inspector.record.calls import chain
from inspector.record.content import is_content
from inspector.record.middleware import outcome, without_content
from inspector.record.spans import Failure, RecordedSpan, State, Text
from inspector.record.texts import Texts
from inspector.toolnames import without_server

INTERNAL: Final = 1
SERVER: Final = 2
CLIENT: Final = 3
"""Span kinds, numbered as OTLP does."""

Scalar: TypeAlias = str | bool | int | float
Attribute: TypeAlias = Scalar | tuple[Scalar, ...]


class Description(msgspec.Struct):
    """What a span is called and what is known of it."""

    name: str
    kind: int = INTERNAL
    attributes: dict[str, Attribute] = {}
    bodies: dict[str, Text] = {}
    """Texts of captured values, by attribute."""

    def put(self, *keys: str, value: Plain) -> None:
        """Set one fact under every name it goes by; an unknown fact sets nothing."""
        if value is not None and not isinstance(value, _CONTAINERS):
            for key in keys:
                self.attributes[key] = value


_CONTAINERS = (dict, list)

Describe: TypeAlias = Callable[[RecordedSpan, Texts], Description]


def describe(span: RecordedSpan, state: State, texts: Texts) -> Description:
    """Return the name and attributes of a span that runs or has ended."""
    found = DESCRIBE.get(span.noun, _other)(span, texts)
    _identify(span, found.attributes)
    # Of several requests for one call, as when a server asks back, the first gives the beginning and the last the end.
    for part in reversed(span.merged or ()):
        its = describe(part, state, texts)
        found.attributes = {**its.attributes, **found.attributes}
        found.bodies = {**its.bodies, **found.bodies}
    _status(span.failure, state, found, content=texts.content)
    if span.noun in _IN_AGENTS and sc.AGENT_NAME not in found.attributes:
        found.put(sc.AGENT_NAME, value=_agent_around(span))
    if span.extra is not None:
        _extra(texts, found, span.extra)
    if span.bodies is not None:
        for key, plain in tuple(span.bodies.items()):
            _note(texts, found, key, plain)
    if span.rename is not None:
        found.name = span.rename
    return found


def _titled(what: str, subject: Plain) -> str:
    """What is done and to what: the name of a span."""
    return what if type(what) is Cut else behind(f"{what} ", _text(subject))


def _text(plain: Plain) -> str:
    """A scalar as text; one that was cut stays so, since it is trimmed only once it was searched for secrets."""
    return plain if isinstance(plain, str) else str(plain)


def _identify(span: RecordedSpan, attributes: dict[str, Attribute]) -> None:
    attributes[sc.HOOK] = span.noun
    if span.session_id is not None:
        attributes[sc.SESSION_ID] = span.session_id
    if span.call_id is not None:
        attributes[sc.CALL_ID] = span.call_id
    if span.emitter is not None:
        attributes[sc.EMITTER] = span.emitter


_IN_AGENTS = frozenset(noun.name for noun in NOUNS.values() if noun.in_agent)


def _agent_around(span: RecordedSpan) -> str | None:
    """Name the agent that made a call: the innermost one around it in this process."""
    for above in chain(span.parent):
        if above.noun == "agent_call" and isinstance(name := above.before.get("name"), str):
            return name
    return None


def _extra(texts: Texts, found: Description, extra: dict[str, Plain]) -> None:
    for key, plain in tuple(extra.items()):
        if isinstance(plain, str | bool | int | float):
            found.attributes[key] = plain
        elif isinstance(plain, list) and len(words := [item for item in plain if isinstance(item, str)]) == len(plain):
            found.attributes[key] = tuple(words)
        elif plain is not None:
            _note(texts, found, key, plain)


def _note(texts: Texts, found: Description, key: str, plain: Plain) -> None:
    """Set what the application noted, which it may have noted anew since the call's start was written."""
    if texts.content:
        found.bodies[key] = text = texts.once(key, plain)
        if text.shortened:
            found.attributes[key + sc.TRUNCATED_SUFFIX] = True


def _status(failure: Failure | None, state: State, found: Description, *, content: bool) -> None:
    if state == "running":
        return
    found.attributes[sc.STATUS] = state
    if state in ("ok", "error"):
        found.attributes[sc.SEED_STATUS_CODE] = state
    if failure is not None and state == "error":
        found.attributes[sc.ERROR_TYPE] = failure.type
        if content or not failure.is_content:
            found.put(sc.SEED_ERROR_MESSAGE, value=failure.message or None)
        found.put(sc.SEED_ERROR_CODE, value=failure.code)


def _body(span: RecordedSpan, texts: Texts, found: Description, *keys: str, value: Plain, fact: str) -> None:
    """Set a value as JSON text under each of ``keys``; ``fact`` names the text for its second use."""
    if not texts.content:
        return
    text = texts.of(span, fact, value)
    for key in keys:
        found.bodies[key] = text
        if text.shortened:
            found.attributes[key + sc.TRUNCATED_SUFFIX] = True


def _middleware(span: RecordedSpan, texts: Texts, found: Description) -> None:
    """Set what middleware did; where content is not recorded, who did what."""
    entries = span.before.get("middleware")
    if entries is None:
        return
    if texts.content:
        _body(span, texts, found, sc.MIDDLEWARE, value=entries, fact="middleware")
    else:
        found.bodies[sc.MIDDLEWARE] = texts.once("middleware", without_content(entries))


def _workflow(span: RecordedSpan, texts: Texts) -> Description:
    facts, after = span.before, span.after
    found = Description(_titled("invoke_workflow", facts.get("name") or "workflow"))
    found.attributes |= {sc.OPERATION_NAME: "invoke_workflow", sc.SPAN_TYPE: "workflow.run"}
    found.put(sc.WORKFLOW_NAME, value=facts.get("name"))
    found.put(sc.SEED_WORKFLOW_TYPE, value=facts.get("type"))
    if "input" in facts:
        _body(span, texts, found, sc.SEED_WORKFLOW_INPUT, value=facts["input"], fact="input")
    if after is not None:
        _body(span, texts, found, sc.SEED_WORKFLOW_OUTPUT, value=after.get("result"), fact="result")
    return found


def _agent(span: RecordedSpan, texts: Texts) -> Description:
    facts, after = span.before, span.after
    found = Description(_titled("invoke_agent", facts.get("name") or "agent"))
    found.attributes |= {sc.OPERATION_NAME: "invoke_agent", sc.SPAN_TYPE: "agent.call"}
    found.put(sc.AGENT_NAME, sc.SEED_AGENT_NAME, value=facts.get("name"))
    found.put(sc.AGENT_DESCRIPTION, value=facts.get("description"))
    found.put(sc.SEED_AGENT_CLASS, value=facts.get("class"))
    if "input" in facts:
        _body(span, texts, found, sc.AGENT_INPUT, value=facts["input"], fact="input")
    if after is not None:
        _body(span, texts, found, sc.SEED_AGENT_RESULT, value=after.get("result"), fact="result")
    return found


def _llm(span: RecordedSpan, texts: Texts) -> Description:
    facts = span.before
    prompt = facts.get("prompt")
    if texts.content:
        prompt = texts.of(span, "prompt", prompt).value
    request = request_facts(prompt)
    answered = span.after or {}
    model = answered.get("model") or facts.get("model") or request.model
    operation = facts.get("operation")
    operation = operation if isinstance(operation, str) else "chat"
    found = Description(_titled(operation, model) if model else operation, kind=CLIENT)
    found.attributes |= {sc.OPERATION_NAME: operation, sc.SPAN_TYPE: "llm.generate"}
    found.put(sc.REQUEST_MODEL, sc.SEED_LLM_MODEL, value=model)
    found.put(sc.PROVIDER_NAME, sc.SEED_LLM_PROVIDER, value=answered.get("provider") or facts.get("provider"))
    found.attributes |= place_attributes(facts.get("url"), texts.redactor)
    found.put(sc.REQUEST_TEMPERATURE, value=request.temperature)
    found.put(sc.REQUEST_TOP_P, value=request.top_p)
    found.put(sc.REQUEST_TOP_K, value=request.top_k)
    found.put(sc.REQUEST_MAX_TOKENS, value=request.max_tokens)
    found.put(sc.REQUEST_SEED, value=request.seed)
    found.put(sc.REQUEST_STREAM, value=request.stream)
    if request.stop:
        found.attributes[sc.REQUEST_STOP_SEQUENCES] = tuple(request.stop)
    _body(span, texts, found, sc.SEED_LLM_PROMPT, value=facts.get("prompt"), fact="prompt")
    if texts.content:
        messages, system = input_messages(prompt)
        _body(span, texts, found, sc.INPUT_MESSAGES, value=messages, fact="messages")
        if system:
            _body(span, texts, found, sc.SYSTEM_INSTRUCTIONS, value=system, fact="system")
        if request.tools:
            _body(span, texts, found, sc.TOOL_DEFINITIONS, value=request.tools, fact="tools")
    if span.after is not None:
        _llm_answer(span, texts, found, span.after)
    match facts.get("lane"):
        case [int(thread), task]:
            found.put(sc.THREAD_ID, value=thread)
            found.put(sc.TASK, value=task)
        case _:
            pass
    request_id = answered.get("request_id") or facts.get("request_id")
    if isinstance(request_id, str):
        # The SDKs of OpenAI and Anthropic give the value without the header's name.
        is_anthropic = "anthropic" in (span.emitter, facts.get("provider"))
        found.attributes[sc.RESPONSE_HEADER_REQUEST_ID if is_anthropic else sc.RESPONSE_HEADER_X_REQUEST_ID] = (
            request_id,
        )
    _middleware(span, texts, found)
    return found


def _llm_answer(span: RecordedSpan, texts: Texts, found: Description, after: dict[str, Plain]) -> None:
    response = after.get("response")
    if texts.content:
        response = texts.of(span, "response", response).value
    facts = response_facts(response)
    found.put(sc.RESPONSE_ID, value=facts.id)
    found.put(sc.RESPONSE_MODEL, value=facts.model)
    if facts.finish_reasons:
        found.attributes[sc.RESPONSE_FINISH_REASONS] = tuple(facts.finish_reasons)
        found.attributes[sc.SEED_STOP_REASON] = facts.finish_reasons[0]
    found.put(sc.RESPONSE_TIME_TO_FIRST_CHUNK, value=after.get("time_to_first_chunk"))
    raw_usage = after.get("usage")
    usage = read_usage(raw_usage) or read_usage(response)
    if usage is not None:
        found.put(sc.USAGE_INPUT_TOKENS, value=usage.input_tokens)
        found.put(sc.USAGE_OUTPUT_TOKENS, value=usage.output_tokens)
        found.put(sc.USAGE_CACHE_READ, value=usage.cache_read_tokens)
        found.put(sc.USAGE_CACHE_WRITE, value=usage.cache_write_tokens)
        found.put(sc.USAGE_REASONING, value=usage.reasoning_tokens)
    if raw_usage is not None:
        found.bodies[sc.USAGE_JSON] = texts.of(span, "usage", raw_usage)
    _body(span, texts, found, sc.SEED_LLM_RESPONSE, value=after.get("response"), fact="response")
    if texts.content:
        _body(span, texts, found, sc.OUTPUT_MESSAGES, value=output_messages(response), fact="output")


_STRUCTURED = ("structured_content", "structuredContent", "structured")
_TOOL_FACTS_ALWAYS = 2
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


def _tool(span: RecordedSpan, texts: Texts) -> Description:
    facts, after = span.before, span.after
    full_name = _text(facts.get("name") or "tool")
    server = facts.get("server")
    # `execute` would say nothing of `shell.execute`.
    is_prefixed = isinstance(server, str) and facts.get("source") != "runtime" and type(full_name) is not Cut
    name = without_server(full_name, str(server)) if is_prefixed else full_name
    found = Description(_titled("execute_tool", name))
    found.attributes = {
        sc.OPERATION_NAME: "execute_tool",
        sc.SPAN_TYPE: "tool.call",
        sc.TOOL_NAME: name,
        sc.SEED_TOOL_NAME: full_name,
    }
    if "source" in facts:
        found.put(sc.TOOL_TYPE, value="extension" if facts["source"] == "mcp" else "function")
    if len(facts) > _TOOL_FACTS_ALWAYS:
        for fact, key in _TOOL_FACTS:
            found.put(key, value=facts.get(fact))
    _body(span, texts, found, sc.TOOL_CALL_ARGUMENTS, sc.SEED_TOOL_INPUT, value=facts.get("args"), fact="args")
    if after is not None:
        result = after.get("result")
        _body(span, texts, found, sc.TOOL_CALL_RESULT, sc.SEED_TOOL_OUTPUT, value=result, fact="result")
        if isinstance(result, dict):
            for name in _STRUCTURED:
                if result.get(name) is not None:
                    _body(span, texts, found, sc.SEED_TOOL_STRUCTURED_OUTPUT, value=result[name], fact="structured")
                    break
    _middleware(span, texts, found)
    found.put(sc.TOOL_OUTCOME, value=outcome(facts))
    return found


_NETWORK_TRANSPORT = {"stdio": "pipe", "sse": "tcp", "http": "tcp", "websocket": "tcp"}
_NETWORK_PROTOCOL = {"sse": "http", "http": "http", "websocket": "websocket"}
_RPC_SPAN_TYPES = {"resources/read": "resource.fetch", "prompts/get": "prompt.apply"}


def _rpc(span: RecordedSpan, texts: Texts) -> Description:
    facts, after = span.before, span.after
    request = facts.get("envelope")
    envelope = request if isinstance(request, dict) else {}
    params = envelope.get("params")
    params = params if isinstance(params, dict) else {}
    method = envelope.get("method")
    method = method if isinstance(method, str) else "rpc"
    target = params.get("name") if method in ("tools/call", "prompts/get") else None
    found = Description(_titled(method, target) if isinstance(target, str) else method)
    found.kind = SERVER if span.direction == "inbound" else CLIENT
    found.attributes[sc.SPAN_TYPE] = _RPC_SPAN_TYPES.get(method, "rpc")
    found.put(sc.MCP_METHOD_NAME, sc.SEED_RPC_METHOD, value=method)
    request_id = envelope.get("id")
    if request_id is not None:
        found.put(sc.JSONRPC_REQUEST_ID, sc.SEED_RPC_ID, value=_text(request_id))
    found.put(sc.SEED_JSONRPC_VERSION, value=envelope.get("jsonrpc"))
    found.put(sc.SEED_RPC_DIRECTION, value=span.direction)
    transport = facts.get("transport")
    if isinstance(transport, str):
        found.put(sc.SEED_RPC_TRANSPORT, value=transport)
        found.put(sc.NETWORK_TRANSPORT, value=_NETWORK_TRANSPORT.get(transport))
        found.put(sc.NETWORK_PROTOCOL_NAME, value=_NETWORK_PROTOCOL.get(transport))
    found.put(sc.OTHER_TRANSPORT, value=facts.get("other_transport"))
    found.attributes |= place_attributes(facts.get("place"), texts.redactor)
    _rpc_target(found, method, params)
    _body(span, texts, found, sc.SEED_RPC_REQUEST, value=request, fact="envelope")
    if after is not None:
        found.put(sc.SEED_RPC_DURATION, value=after.get("duration_ms"))
        found.attributes[sc.SEED_TRANSPORT_STATUS] = "connected"
        response = after.get("response")
        _body(span, texts, found, sc.SEED_RPC_RESPONSE, value=response, fact="response")
        if isinstance(response, dict) and isinstance(error := response.get("error"), dict):
            code = error.get("code")
            found.put(sc.RPC_STATUS_CODE, value=None if code is None else _text(code))
    return found


def _rpc_target(found: Description, method: str, params: dict[str, Plain]) -> None:
    if method == "tools/call":
        found.put(sc.OPERATION_NAME, value="execute_tool")
        found.put(sc.TOOL_NAME, value=params.get("name"))
    elif method == "prompts/get":
        found.put(sc.PROMPT_NAME, sc.SEED_PROMPT_TEMPLATE_ID, value=params.get("name"))
    elif method.startswith("resources/"):
        found.put(sc.MCP_RESOURCE_URI, value=params.get("uri"))
    meta = params.get("_meta", params.get("meta"))
    if isinstance(meta, dict):
        found.put(sc.SEED_PROGRESS_TOKEN, value=meta.get("progressToken"))
        found.put(sc.MCP_PROTOCOL_VERSION, value=meta.get("io.modelcontextprotocol/protocolVersion"))
    found.put(sc.MCP_PROTOCOL_VERSION, value=params.get("protocolVersion"))


def _resource(span: RecordedSpan, texts: Texts) -> Description:
    facts, after = span.before, span.after
    # The address stays out of the name, which is to have few values.
    found = Description("resources/read", kind=CLIENT)
    found.attributes |= {sc.SPAN_TYPE: "resource.fetch", sc.MCP_METHOD_NAME: "resources/read"}
    uri = facts.get("uri")
    found.put(sc.MCP_RESOURCE_URI, value=uri)
    if after is not None:
        found.put(sc.SEED_RESOURCE_MIME_TYPE, value=after.get("mime_type"))
        found.put(sc.SEED_RESOURCE_BYTES, value=after.get("size"))
        _body(span, texts, found, sc.RESOURCE_CONTENT, value=after.get("content"), fact="content")
    return found


def _prompt(span: RecordedSpan, texts: Texts) -> Description:
    facts, after = span.before, span.after
    template = facts.get("template") or "prompt"
    found = Description(_titled("prompts/get", template), kind=CLIENT)
    found.attributes |= {sc.SPAN_TYPE: "prompt.apply", sc.MCP_METHOD_NAME: "prompts/get"}
    found.put(sc.PROMPT_NAME, sc.SEED_PROMPT_TEMPLATE_ID, value=template)
    _body(span, texts, found, sc.SEED_PROMPT_PARAMETERS, value=facts.get("parameters"), fact="parameters")
    if after is not None:
        _body(span, texts, found, sc.PROMPT_RENDERED, value=after.get("rendered"), fact="rendered")
    return found


def _root(span: RecordedSpan, _: Texts) -> Description:
    name = span.before.get("name")
    return Description(name if isinstance(name, str) and name else span.noun)


def _label(span: RecordedSpan, texts: Texts) -> Description:
    facts = span.before
    found = Description(_titled("label", facts.get(sc.EVALUATION_NAME)))
    for key, value in facts.items():
        if texts.content or not is_content(key):
            found.put(key, value=value)
    return found


def _request(span: RecordedSpan, _: Texts) -> Description:
    facts = span.before
    found = Description(_titled(_text(facts.get("method") or "HTTP"), facts.get("route") or facts.get("path")), SERVER)
    # Of an upgrade to a websocket the method is GET.
    found.put(sc.HTTP_METHOD, value="GET" if facts.get("method") == "WEBSOCKET" else facts.get("method"))
    found.put(sc.HTTP_ROUTE, value=facts.get("route"))
    found.put(sc.URL_PATH, value=facts.get("path"))
    found.put(sc.HTTP_STATUS, value=facts.get("status"))
    return found


def _other(span: RecordedSpan, texts: Texts) -> Description:
    found = Description(span.noun)
    for key, plain in span.before.items():
        if isinstance(plain, str):
            found.attributes[f"inspector.{key}"] = plain
        elif plain is not None:
            _body(span, texts, found, f"inspector.{key}_json", value=plain, fact=key)
    return found


DESCRIBE: dict[str, Describe] = {
    "run": _root,
    "cell": _root,
    "request": _request,
    "label": _label,
    "workflow_run": _workflow,
    "agent_call": _agent,
    "llm_generate": _llm,
    "tool_call": _tool,
    "rpc_request": _rpc,
    "resource_fetch": _resource,
    "prompt_apply": _prompt,
}
