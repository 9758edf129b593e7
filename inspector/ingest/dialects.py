"""The vocabularies that spans come in, as tables: which attribute is the model, the session, the input of a call.

A dialect is recognised by its attributes, never by span names, which differ between versions of the same library.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

import msgspec

from inspector import semconv
from inspector.ingest.cost import Tokens, price_usd
from inspector.ingest.otlp import DecodedSpan
from inspector.model import AttributeValue, Kind, Span, SpanError, Status

_Attributes = Mapping[str, AttributeValue]

NOUNS: Mapping[str, Kind] = {
    "workflow_run": "workflow",
    "agent_call": "agent",
    "llm_generate": "llm",
    "tool_call": "tool",
    "rpc_request": "rpc",
    "resource_fetch": "resource",
    "prompt_apply": "prompt",
}
"""Kinds by the noun of the hook that made the span."""

OPERATIONS: Mapping[str, Kind] = {
    "chat": "llm",
    "text_completion": "llm",
    "generate_content": "llm",
    "embeddings": "llm",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "create_agent": "agent",
    "handle_conversation_turn": "agent",
    "invoke_workflow": "workflow",
}
"""Kinds by ``gen_ai.operation.name`` of OpenTelemetry's conventions."""

METHODS: Mapping[str, Kind] = {"resources/read": "resource", "prompts/get": "prompt"}
"""Kinds by ``mcp.method.name``, where it is not plainly an RPC."""

SESSION = (semconv.SESSION_ID, semconv.CONVERSATION_ID)
AGENT = (semconv.AGENT_NAME, semconv.SEED_AGENT_NAME)
MODEL = (semconv.RESPONSE_MODEL, semconv.REQUEST_MODEL, semconv.SEED_LLM_MODEL)
PROVIDER = (semconv.PROVIDER_NAME, "gen_ai.system", semconv.SEED_LLM_PROVIDER)
TOOL = (semconv.TOOL_NAME, semconv.SEED_TOOL_NAME)
INPUT_TOKENS = (semconv.USAGE_INPUT_TOKENS, "gen_ai.usage.prompt_tokens")
OUTPUT_TOKENS = (semconv.USAGE_OUTPUT_TOKENS, "gen_ai.usage.completion_tokens")
CACHE_READ = (semconv.USAGE_CACHE_READ, "gen_ai.usage.cache_read_input_tokens")
CACHE_WRITE = (
    semconv.USAGE_CACHE_WRITE,
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
)
PRICE = ("gen_ai.usage.cost", "operation.cost", "llm.cost.total")
"""What other libraries call the cost in US dollars; theirs wins over the price list."""

INPUTS: Mapping[Kind, tuple[str, ...]] = {
    "workflow": (semconv.SEED_WORKFLOW_INPUT, semconv.INPUT_MESSAGES),
    "agent": (semconv.AGENT_INPUT, semconv.INPUT_MESSAGES),
    "llm": (semconv.INPUT_MESSAGES, semconv.SEED_LLM_PROMPT, "gen_ai.prompt"),
    "tool": (semconv.TOOL_CALL_ARGUMENTS, semconv.SEED_TOOL_INPUT),
    "rpc": (semconv.SEED_RPC_REQUEST, semconv.TOOL_CALL_ARGUMENTS),
    "resource": (semconv.MCP_RESOURCE_URI,),
    "prompt": (semconv.SEED_PROMPT_PARAMETERS, semconv.SEED_RPC_REQUEST),
    "other": (semconv.INPUT_MESSAGES, semconv.TOOL_CALL_ARGUMENTS),
}
"""Attributes that say what a call was given; the first that is there counts."""

OUTPUTS: Mapping[Kind, tuple[str, ...]] = {
    "workflow": (semconv.SEED_WORKFLOW_OUTPUT, semconv.OUTPUT_MESSAGES),
    "agent": (semconv.SEED_AGENT_RESULT, semconv.OUTPUT_MESSAGES),
    "llm": (semconv.OUTPUT_MESSAGES, semconv.SEED_LLM_RESPONSE, "gen_ai.completion"),
    "tool": (semconv.TOOL_CALL_RESULT, semconv.SEED_TOOL_OUTPUT, semconv.SEED_TOOL_STRUCTURED_OUTPUT),
    "rpc": (semconv.SEED_RPC_RESPONSE, semconv.TOOL_CALL_RESULT),
    "resource": (semconv.RESOURCE_CONTENT, semconv.SEED_RPC_RESPONSE),
    "prompt": (semconv.PROMPT_RENDERED, semconv.SEED_RPC_RESPONSE),
    "other": (semconv.OUTPUT_MESSAGES, semconv.TOOL_CALL_RESULT),
}
"""Attributes that say what a call answered; the first that is there counts."""

RESOURCE_KEYS = (
    "service.version",
    "deployment.environment.name",
    semconv.HOST_NAME,
    semconv.PROCESS_PID,
    semconv.SDK_LANGUAGE,
)
"""Attributes of the resource that are kept with each span, unless the span has an attribute of that name.

``service.name`` is the span's ``service``; the others of a resource (paths, versions of libraries) would cost more room
than they tell.
"""

_SPAN_KINDS = {2: "server", 3: "client", 4: "producer", 5: "consumer"}
_SERVER, _CLIENT = 2, 3
_STATUSES: Mapping[str, Status] = {"ok": "ok", "error": "error", "cancelled": "cancelled", "abandoned": "abandoned"}
_INT64_MAX = 2**63 - 1
_LONGEST_NAME = 1_024


@dataclass(frozen=True, slots=True)
class Dialect:
    """A vocabulary, and how a span of it is told from others."""

    name: Literal["inspector/1", "gen_ai", "otel"]
    kind: Callable[[DecodedSpan], Kind | None]
    """Returns what the span stands for, or None when the span is not of this dialect."""


def _kind_by_noun(span: DecodedSpan) -> Kind | None:
    noun = span.attributes.get(semconv.HOOK)
    return NOUNS.get(noun, "other") if isinstance(noun, str) else None


def _kind_by_operation(span: DecodedSpan) -> Kind | None:
    """Return the kind by the conventions.

    A client or server span that names an MCP method is the message, though it may name the operation as well; a tool's
    own span may name the method, and stays the tool.
    """
    operation, method = (span.attributes.get(key) for key in (semconv.OPERATION_NAME, semconv.MCP_METHOD_NAME))
    if isinstance(method, str) and (span.kind in (_SERVER, _CLIENT) or operation is None):
        return METHODS.get(method, "rpc")
    if isinstance(operation, str):
        return OPERATIONS.get(operation, "other")
    return "llm" if "gen_ai.system" in span.attributes else None


def _any_kind(span: DecodedSpan) -> Kind:  # noqa: ARG001 - the signature of a dialect
    return "other"


DIALECTS = (
    Dialect("inspector/1", _kind_by_noun),
    Dialect("gen_ai", _kind_by_operation),
    Dialect("otel", _any_kind),
)
"""In the order they are tried; the last one takes everything."""


def read_span(decoded: DecodedSpan) -> Span:
    """Read a span in the first dialect that knows it."""
    dialect, kind = _recognised(decoded)
    attributes = decoded.attributes
    status = _status(decoded)
    tokens = _tokens(attributes) if kind == "llm" else None
    model = _text(attributes, MODEL)
    if dialect != "inspector/1":
        _note_origin(decoded)
    _note_resource(decoded)
    return Span(
        trace_id=decoded.trace_id,
        span_id=decoded.span_id,
        parent_id=decoded.parent_id,
        name=decoded.name[:_LONGEST_NAME],
        kind=kind,
        status=status,
        start_ns=decoded.start_ns,
        end_ns=decoded.end_ns,
        session_id=_text(attributes, SESSION),
        hook=_text(attributes, (semconv.HOOK,)),
        dialect=dialect,
        service=_text(decoded.resource, (semconv.SERVICE_NAME,)),
        agent=_text(attributes, AGENT),
        model=model,
        tool=_text(attributes, TOOL),
        input_tokens=tokens and tokens.input,
        output_tokens=tokens and tokens.output,
        cached_tokens=tokens and tokens.cache_read,
        cost_usd=_cost(decoded, tokens, model) if kind == "llm" else None,
        error=_error(decoded, status),
        input_key=_content_key(attributes, INPUTS[kind]),
        output_key=_content_key(attributes, OUTPUTS[kind]),
        attributes=attributes,
        events=decoded.events,
        links=decoded.links,
        process=_text(decoded.resource, (semconv.PROCESS,)),
    )


def _recognised(decoded: DecodedSpan) -> tuple[str, Kind]:
    for dialect in DIALECTS:
        kind = dialect.kind(decoded)
        if kind is not None:
            return dialect.name, kind
    return "otel", "other"


def _note_origin(decoded: DecodedSpan) -> None:
    """Keep what only OTLP's own fields say, under OpenTelemetry's names for formats without such fields."""
    attributes, scope = decoded.attributes, decoded.scope
    if decoded.kind in _SPAN_KINDS:
        attributes.setdefault("span.kind", _SPAN_KINDS[decoded.kind])
    if scope.name:
        attributes.setdefault("otel.scope.name", scope.name)
    if scope.version:
        attributes.setdefault("otel.scope.version", scope.version)


def _note_resource(decoded: DecodedSpan) -> None:
    for key in RESOURCE_KEYS:
        value = decoded.resource.get(key)
        if value is not None:
            decoded.attributes.setdefault(key, value)


def _text(attributes: _Attributes, keys: tuple[str, ...]) -> str | None:
    """Return the first text among the keys; a number counts as the text it is written as, nothing else does."""
    for key in keys:
        value = attributes.get(key)
        if value is None or value == "":
            continue
        if isinstance(value, str):
            return value[:_LONGEST_NAME]
        if type(value) is int:
            return str(value)
    return None


def _status(decoded: DecodedSpan) -> Status:
    status = decoded.attributes.get(semconv.STATUS)
    if isinstance(status, str) and status in _STATUSES:
        return _STATUSES[status]
    if decoded.status_code == 2:
        return "error"
    return "running" if decoded.end_ns is None else "ok"


def _tokens(attributes: _Attributes) -> Tokens | None:
    """Return the counts, cached ones inside the input.

    The conventions count cached tokens as part of the input; a span whose parts exceed the whole was written by a
    library that passes on the exclusive counts of Anthropic's API, so there the parts are added.
    """
    counts = [_token_count(attributes, keys) for keys in (INPUT_TOKENS, OUTPUT_TOKENS, CACHE_READ, CACHE_WRITE)]
    if all(count is None for count in counts):
        return None
    given, output, cache_read, cache_write = (count or 0 for count in counts)
    cached = cache_read + cache_write
    return Tokens(min(given if cached <= given else given + cached, _INT64_MAX), output, cache_read, cache_write)


def _token_count(attributes: _Attributes, keys: tuple[str, ...]) -> int | None:
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20:
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is int and value >= 0:
            return min(value, _INT64_MAX)
    return None


def _cost(decoded: DecodedSpan, tokens: Tokens | None, model: str | None) -> float | None:
    for key in PRICE:
        price = decoded.attributes.get(key)
        if type(price) in (int, float) and cast("float", price) >= 0:
            return float(cast("float", price))
    if tokens is None or model is None:
        return None
    return price_usd(tokens, model=model, provider=_text(decoded.attributes, PROVIDER), start_ns=decoded.start_ns)


def _error(decoded: DecodedSpan, status: Status) -> SpanError | None:
    if status in ("ok", "running"):
        return None
    exception = _exception(decoded)
    attributes = decoded.attributes
    kind = _text(attributes, (semconv.ERROR_TYPE,)) or _text(exception, (semconv.EXCEPTION_TYPE,))
    message = _whole_text(exception, semconv.EXCEPTION_MESSAGE) or decoded.status_message
    message = message or _whole_text(attributes, semconv.SEED_ERROR_MESSAGE)
    traceback = _whole_text(exception, semconv.EXCEPTION_STACKTRACE)
    if status == "error" or kind or message or traceback:
        return SpanError(kind, message, traceback)
    return None


def _exception(decoded: DecodedSpan) -> _Attributes:
    """Return the attributes of the last exception event: earlier ones were survived."""
    for event in reversed(decoded.events):
        attributes = event["attributes"]
        if event["name"] == semconv.EXCEPTION_EVENT and isinstance(attributes, Mapping):
            return attributes
    return decoded.attributes


def _whole_text(attributes: _Attributes, key: str) -> str | None:
    value = attributes.get(key)
    return value if isinstance(value, str) and value else None


def _content_key(attributes: dict[str, AttributeValue], keys: tuple[str, ...]) -> str | None:
    """Return the first key that is there; its value becomes JSON text if the sender gave it as lists and maps."""
    for key in keys:
        value = attributes.get(key)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            attributes[key] = msgspec.json.encode(value).decode()
        return key
    return None
