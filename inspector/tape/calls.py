"""A call as a replay answers it, made from its recording."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, TypeAlias, cast

from msgspec import Struct

from inspector import semconv as sc
from inspector.model import Event, attributes_of
from inspector.reading.exchanges import Exchange, ExchangeUnreadable, read_exchanges
from inspector.tape import mcp_requests
from inspector.tape.obstacles import ANNOUNCED, CACHED, NOT_ENDED, NotReplayable, Obstacle
from inspector.tape.request_parts import RequestParts, parts_of_arguments, parts_of_body

CLIENTS: Final = ("openai", "anthropic", "aiohttp", "botocore", "dspy", "httpx", "httpx2", "requests")
"""Emitters of model calls that a replay can answer."""
FRAMEWORKS: Final = frozenset(
    (
        "ag2",
        *("agent_framework", "agno", "anthropic", "autogen", "crewai", "dspy", "fast_agent", "google_adk"),
        *("haystack", "langchain", "llama_index", "mcp_agent", "openai_agents", "pydantic_ai", "semantic_kernel"),
        *("smolagents", "strands"),
    )
)
"""Emitters whose tools a replay does not run, and whose model calls it answers where they reach a client."""
_BODIES_NOTED: Final = frozenset(("agent_framework", "agno", "google_adk"))
"""Those of them that run the body of every tool where it is noted, so that a call without one ran none."""
ELSEWHERE: Final = {
    "claude_agent_sdk": "Claude Code",
    "com.anthropic.claude_code.tracing": "Claude Code",
    "claude-code.transcript": "Claude Code",
    "codex.transcript": "Codex",
    "gemini-cli.transcript": "Gemini CLI",
    "github.copilot": "GitHub Copilot",
    "opencode.transcript": "opencode",
    "node": "Node",
    "@modelcontextprotocol/sdk": "Node",
}
"""Emitters and scopes of calls that another program makes, and that program."""
AROUND: Final = {"agent_call": "invoke_agent", "workflow_run": "invoke_workflow"}
"""Calls of the program around its model calls, and the beginnings of their names."""
TOOLKIT: Final = "toolkit"
"""The emitter of the toolkit, whose models may call one of these clients or answer by themselves."""
WITHHELD: Final = frozenset(("instrument", TOOLKIT)) | FRAMEWORKS
"""Emitters of tool calls that a replay answers, including functions with the decorator of `instrument.tools`."""
_EXCHANGES: Final = "inspector.raw.exchanges"
_RESULT: Final = "inspector.raw.result"
_ERROR: Final = "inspector.raw.error"
_BODY: Final = "inspector.raw.body"
_OVER_MCP: Final = frozenset(("tool_call", "resource_fetch", "prompt_apply"))
"""Requests to MCP servers."""
_NOT_NAMED: Final = frozenset(("run", "cell", "request", "label", "uncaught"))
_REDACTED: Final = b"[redacted:"
_NOT_YET: Final = "a replay does not withhold {} calls of this kind yet, it would make them again"
_LIVE: Final = "its model is asked over a live connection, which is not recorded"
_ONLY_A_SPAN: Final = "it is known by an OpenTelemetry span only, so it runs again; if it may, record without --otel"


class _Unrecordable(Exception):
    """Why a call cannot be replayed."""


class TapeCall(Struct, frozen=True):
    """One call of the run that a replay answers."""

    span: str
    noun: str
    """As in the hooks: ``llm_generate``, ``tool_call``, ``rpc_request``."""
    name: str
    """As shown: ``chat gpt-4o``, ``execute_tool search``."""
    subject: str
    """The tool or the method. Empty for a model, which is a part of its request, but ``toolkit`` for those of the
    toolkit."""
    path: tuple[str, ...]
    """The program's agents and workflows around it, outermost first."""
    parts: dict[str, str]
    """Its input, as `parts_of_body` splits it."""
    exchanges: str | None = None
    """The responses that a model's client received, as `read_exchanges` reads them."""
    result: str | None = None
    """The result of a tool, as `read_result` reads it."""
    output: str = ""
    """The same as JSON text; for a request to a server, the response, or empty if there was none."""
    error: str | None = None
    """The error it raised, as `read_error` reads it."""
    unrecordable: str | None = None
    """Why it cannot be replayed, if it has none of these three."""
    is_replaced: bool = False
    """Whether a person replaced the recorded answer."""
    goes_on: bool = False
    """Whether it is made again, and the calls inside are answered: a tool that is an agent, a model that calls a
    client."""
    server: str = ""
    """Which server was called, if there are several."""
    duplicates: tuple[str, ...] = ()
    """The spans of other recorders for the same call."""

    @property
    def obstacle(self) -> Obstacle | None:
        """Why it is an obstacle, if it cannot be replayed."""
        return None if self.unrecordable is None else Obstacle(self.span, self.name, self.unrecordable)

    @property
    def key(self) -> "Key":
        """What equal calls have in common."""
        return key_of(self.noun, self.subject, self.path, self.parts)


Key: TypeAlias = tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...]]


def key_of(noun: str, subject: str, path: tuple[str, ...], parts: Mapping[str, str]) -> Key:
    """Return what equal calls have in common."""
    return noun, subject, path, tuple(sorted(parts.items()))


def call_of(event: Event, path: tuple[str, ...]) -> tuple[TapeCall, RequestParts] | None:
    """Return a call as it is answered, with its input; None if the program makes it again by itself."""
    attributes = attributes_of(event)
    if event.kind == "llm":
        request = parts_of_body(_body(event))
        make = _model_of_toolkit if attributes.get(sc.EMITTER) == TOOLKIT else _model_call
        return make(event, path, request), request
    is_withheld = attributes.get(sc.EMITTER) in WITHHELD and not _is_left_to_server(attributes)
    if event.hook == "tool_call" and is_withheld:
        request = parts_of_arguments(_arguments(event))
        return _tool_call(event, path, request), request
    if mcp_requests.is_unanswered(attributes):
        return None
    if sc.DSPY_CACHE_HIT in attributes:
        raise _refused(event, CACHED)
    if attributes.get(sc.EMITTER) == "google_adk" and attributes.get(sc.SEED_WORKFLOW_TYPE) == "live":
        raise _refused(event, _LIVE, yet=True)
    if mcp_requests.is_sent(attributes):
        return _request(event, path)
    if event.hook in _NOT_NAMED or event.hook in AROUND or _is_of_requests(event, attributes):
        return None
    if event.hook == "tool_call" and sc.EMITTER not in attributes:
        raise _refused(event, ANNOUNCED)
    raise _refused(event, _ONLY_A_SPAN if event.hook is None else _NOT_YET.format(event.kind))


def _is_of_requests(event: Event, attributes: Mapping[str, Any]) -> bool:
    """Return whether a client's operation on an MCP server consists of requests that are calls of their own."""
    is_client = attributes.get(sc.EMITTER) in ("mcp", TOOLKIT) and attributes.get(sc.TOOL_SOURCE) != "function"
    return event.hook in _OVER_MCP and is_client


def is_of_client(attributes: Mapping[str, Any]) -> bool:
    """Return whether a model call is that of a client, or of a framework that sends its requests itself."""
    emitter = attributes.get(sc.EMITTER)
    return emitter in CLIENTS or (emitter in (*FRAMEWORKS, "litellm") and _EXCHANGES in attributes)


def refuse_asking_back(event: Event, made_by: Iterable[TapeCall]) -> None:
    """Refuse a request of a server to the program, because nobody would make it again."""
    method = attributes_of(event).get(sc.SEED_RPC_METHOD) if event.kind == "rpc" else None
    if method in mcp_requests.ASKING_BACK and all(call.noun == mcp_requests.NOUN for call in made_by):
        raise _refused(event, "a server asks it of the program", yet=True)


def is_of_its_client(event: Event, above: TapeCall) -> bool:
    """Return whether the MCP SDK itself made a further request to the same server, such as for its list of tools."""
    attributes = attributes_of(event)
    is_request = attributes.get(sc.EMITTER) == "mcp" and mcp_requests.is_sent(attributes)
    return is_request and above.noun == mcp_requests.NOUN and above.span == event.parent_id


def goes_unasked(event: Event, reaching: Collection[str]) -> bool:
    """Return whether the program makes a call again about which no controller is asked."""
    is_over_client = event.span_id in reaching and attributes_of(event).get(sc.EMITTER) != TOOLKIT
    return is_over_client or _is_made_again(event)


def _is_made_again(event: Event) -> bool:
    """Return whether a framework repeats a tool call that does nothing: its body was not run, or it has none.

    Raises:
        NotReplayable: It cannot be kept from running.
    """
    attributes = attributes_of(event)
    if event.hook != "tool_call" or attributes.get(sc.EMITTER) not in FRAMEWORKS or _BODY in attributes:
        return False
    if _is_left_to_server(attributes):
        return False
    is_move = attributes.get(sc.TOOL_SOURCE) == "runtime" and sc.SEED_TOOL_INPUT in attributes
    if is_move or _is_agent(attributes):
        return True
    if event.status == "ok":
        if attributes.get(sc.EMITTER) in _BODIES_NOTED:
            # A callback or middleware of the program answered instead.
            return True
        raise _refused(event, _NOT_YET.format(event.kind))
    # The body of a call that did not end may have begun, unless it waited for a person before.
    has_paused = event.status == "cancelled" and b'"session_paused"' in bytes(event.events or b"")
    return has_paused or event.status in ("error", "denied")


def _is_left_to_server(attributes: Mapping[str, Any]) -> bool:
    """Return whether a framework's tool belongs to an MCP server, so that the request to it is answered instead."""
    is_unasked = attributes.get(sc.EMITTER) in FRAMEWORKS and _BODY not in attributes
    return is_unasked and mcp_requests.is_sent(attributes)


def _is_agent(attributes: Mapping[str, Any]) -> bool:
    return attributes.get(sc.EMITTER) in WITHHELD and attributes.get(sc.TOOL_SOURCE) == "agent"


def _model_call(event: Event, path: tuple[str, ...], request: RequestParts) -> TapeCall:
    facts = (event.span_id, "llm_generate", event.name, "", path, dict(request.parts))
    try:
        return TapeCall(*facts, _exchanges(event))
    except _Unrecordable as why:
        return TapeCall(*facts, unrecordable=str(why))


def _model_of_toolkit(event: Event, path: tuple[str, ...], request: RequestParts) -> TapeCall:
    """Return the call of a model that answers by itself, such as a script or a model of the program."""
    attributes = attributes_of(event)
    response, error = attributes.get(sc.SEED_LLM_RESPONSE), attributes.get(_ERROR)
    why = None
    if event.status not in ("ok", "error"):
        why = NOT_ENDED
    elif isinstance(error, str):
        why = _unrecordable(error)
    elif not isinstance(response, str):
        why = "what it answered was not recorded"
    elif attributes.get(sc.SEED_LLM_RESPONSE + sc.TRUNCATED_SUFFIX):
        why = "its answer was too long to be recorded whole"
    elif _REDACTED.decode() in response:
        why = "a secret was taken out of its answer"
    return TapeCall(
        *(event.span_id, "llm_generate", event.name, TOOLKIT, path, dict(request.parts)),
        output=response if isinstance(response, str) else "",
        error=error if isinstance(error, str) else None,
        unrecordable=why,
    )


def _tool_call(event: Event, path: tuple[str, ...], request: RequestParts) -> TapeCall:
    tool = str(attributes_of(event).get(sc.SEED_TOOL_NAME))
    facts = (event.span_id, "tool_call", event.name, tool, path, dict(request.parts))
    if _is_agent(attributes_of(event)):
        return TapeCall(*facts, goes_on=True)
    try:
        result, output, error = _outcome(event)
        return TapeCall(*facts, result=result, output=output, error=error)
    except _Unrecordable as why:
        return TapeCall(*facts, unrecordable=str(why))


def _outcome(event: Event) -> tuple[str | None, str, str | None]:
    """Return the result or the error of a tool."""
    attributes = attributes_of(event)
    result, error = attributes.get(_RESULT), attributes.get(_ERROR)
    has_ended = event.status in ("ok", "error") or _BODY in attributes or _is_refusal(event)
    if not has_ended or not (isinstance(result, str) or isinstance(error, str)):
        why = "what it gave was not recorded" if has_ended else NOT_ENDED
        raise _Unrecordable(why)
    output = bytes(event.output or b"null").decode()
    texts = f"{result}{error}{output}"
    why = _unrecordable(result if isinstance(result, str) else str(error))
    if why is None and attributes.get(sc.SEED_TOOL_OUTPUT + sc.TRUNCATED_SUFFIX):
        why = "its result was too long to be recorded whole"
    if why is None and _REDACTED.decode() in texts:
        why = f"a secret was taken out of its result{_at(output)}"
    if why is not None:
        raise _Unrecordable(why)
    return result if isinstance(result, str) else None, output, error if isinstance(error, str) else None


def _at(output: str) -> str:
    """Say which field of a result contained a secret; nothing if it is not part of one."""

    def path(value: Any) -> str | None:
        if isinstance(value, str):
            return "" if _REDACTED.decode() in value else None
        items: Iterable[tuple[Any, Any]] = ()
        if isinstance(value, dict):
            items = cast("dict[str, Any]", value).items()
        elif isinstance(value, list):
            items = enumerate(cast("list[Any]", value))
        return next((f".{name}{rest}" for name, item in items if (rest := path(item)) is not None), None)

    place = path(json.loads(output))
    return f", at {place[1:]}" if place else ""


def _is_refusal(event: Event) -> bool:
    """Return whether the tool's own side refused the call, which is an answer; a refusal by a controller has none."""
    if event.status != "denied":
        return False
    controlled = attributes_of(event).get(sc.CONTROLLED)
    return not (isinstance(controlled, str) and json.loads(controlled).get("did") == "denied")


def _request(event: Event, path: tuple[str, ...]) -> tuple[TapeCall, RequestParts]:
    attributes = attributes_of(event)
    request, why = mcp_requests.recorded_request(attributes)
    if request is None:
        raise _refused(event, str(why))
    response, why = mcp_requests.recorded_response(attributes)
    error = attributes.get(_ERROR)
    if event.status not in ("ok", "error"):
        why = NOT_ENDED
    elif response is None and why is None:
        why = _unrecordable(error) if isinstance(error, str) else "what it gave was not recorded"
    method = str(attributes[sc.SEED_RPC_METHOD])
    return TapeCall(
        *(event.span_id, mcp_requests.NOUN, event.name, method, path, dict(request.parts)),
        output=response or "",
        error=error if response is None else None,
        unrecordable=why,
        server=mcp_requests.server_of(attributes),
    ), request


def _unrecordable(written: str) -> str | None:
    """Return what part of a result or an error cannot be replayed, as the recorder noted it."""
    value: Any = json.loads(written)
    if not (isinstance(value, dict) and "unrecordable" in value):
        return None
    fields = cast("dict[str, Any]", value)
    place = f", at {fields['at']}" if fields.get("at") else ""
    return f"its result cannot be replayed ({fields['unrecordable']}{place})"


def _arguments(event: Event) -> Any:
    return _given(event, sc.SEED_TOOL_INPUT, "its arguments were")


def _given(event: Event, key: str, what: str) -> Any:
    """Return the input of a call, which has to be complete."""
    attributes = attributes_of(event)
    text = attributes.get(key)
    if not isinstance(text, str):
        raise _refused(event, "it was recorded without content")
    if attributes.get(key + sc.TRUNCATED_SUFFIX):
        raise _refused(event, f"{what} too long to be recorded whole")
    return json.loads(text)


def _refused(event: Event, why: str, *, yet: bool = False) -> NotReplayable:
    obstacle = Obstacle(event.span_id, event.name, why, yet)
    return NotReplayable(obstacle.sentence, obstacle)


def _body(event: Event) -> Any:
    attributes = attributes_of(event)
    emitter = attributes.get(sc.EMITTER)
    if emitter != TOOLKIT and not is_of_client(attributes):
        who = "the program itself" if emitter is None else f"the integration {emitter}"
        known = ", ".join((*CLIENTS, TOOLKIT))
        raise _refused(event, f"it was recorded by {who}, not by {known}", yet=True)
    return _given(event, sc.SEED_LLM_PROMPT, "its request was")


def _exchanges(event: Event) -> str:
    attributes = attributes_of(event)
    text = attributes.get(_EXCHANGES)
    if event.status not in ("ok", "error") or not isinstance(text, str):
        why = NOT_ENDED if event.status not in ("ok", "error") else "what its client got was not recorded"
        raise _Unrecordable(why)
    try:
        exchanges = read_exchanges(text)
    except ExchangeUnreadable as error:
        raise _Unrecordable(str(error)) from error
    for exchange in exchanges:
        why = _unplayable(exchange, str(attributes[sc.EMITTER]))
        if why is not None:
            raise _Unrecordable(why)
    return text


def _unplayable(exchange: Exchange, emitter: str) -> str | None:
    if exchange.left_out is not None:
        return f"its answer was not recorded ({exchange.left_out})"
    if any(_REDACTED in piece for piece in exchange.pieces):
        return "a secret was taken out of its answer"
    if exchange.end != "whole" and exchange.status is not None and emitter == "requests":
        return "its stream was not read to its end, which cannot be replayed through requests yet"
    return None
