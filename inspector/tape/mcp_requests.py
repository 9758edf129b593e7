"""Requests to MCP servers: to which server, with which parameters, and the response."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from inspector import semconv as sc
from inspector.plain import Plain
from inspector.reading.places import place_attributes, place_without_secrets
from inspector.tape.request_parts import RequestParts, parts_of_arguments
from instrument.control import Proposal

if TYPE_CHECKING:
    from inspector.redaction import Redactor

NOUN: Final = "rpc_request"
ASKING_BACK: Final = frozenset(("sampling/createMessage", "elicitation/create", "roots/list"))
"""Requests that servers send to their clients."""
_INPUT: Final = "inputResponses"
"""In a request that is sent again because its server needed more input; the first one is not recorded."""
_LISTENING: Final = "subscriptions/listen"
_VOLATILE: Final = frozenset(("progressToken", "traceparent", "tracestate", "baggage"))
"""Members of ``_meta`` that differ each time."""


def is_sent(attributes: Mapping[str, Any]) -> bool:
    """Return whether a call is a request that the program sent, or stands for one."""
    return attributes.get(sc.SEED_RPC_DIRECTION) == "outbound" and isinstance(attributes.get(sc.SEED_RPC_METHOD), str)


def is_unanswered(attributes: Mapping[str, Any]) -> bool:
    """Return whether it gets no answer: a notification, or a request that stays open while its client listens."""
    method = str(attributes.get(sc.SEED_RPC_METHOD))
    return method.startswith("notifications/") or method == _LISTENING


def parts_of_params(params: Any) -> RequestParts:
    """Return a request to a server, in parts, from params without secrets."""
    fields: dict[str, Any] = dict(cast("Mapping[str, Any]", params)) if isinstance(params, Mapping) else {}
    meta = fields.pop("_meta", None)
    if isinstance(meta, Mapping):
        stable_meta = {key: value for key, value in cast("Mapping[str, Any]", meta).items() if key not in _VOLATILE}
        fields |= {"_meta": stable_meta} if stable_meta else {}
    return parts_of_arguments(fields)


def recorded_request(attributes: Mapping[str, Any]) -> tuple[RequestParts | None, str | None]:
    """Return a recorded request to a server, or why it is not known."""
    text = attributes.get(sc.SEED_RPC_REQUEST)
    if not isinstance(text, str):
        return None, "it was recorded without content"
    if attributes.get(sc.SEED_RPC_REQUEST + sc.TRUNCATED_SUFFIX):
        return None, "its request was too long to be recorded whole"
    message = _read(text)
    if not isinstance(message, Mapping):
        return None, "it was recorded without its request"
    params = cast("Mapping[str, Any]", message).get("params")
    if isinstance(params, Mapping) and _INPUT in params:
        return None, "its server asked the program for input in the middle of it, which a replay does not do yet"
    return parts_of_params(params), None


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def recorded_response(attributes: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the response of a server as JSON text, if any, and why it cannot be replayed, if it cannot."""
    text = attributes.get(sc.SEED_RPC_RESPONSE)
    if not isinstance(text, str):
        return None, None
    if attributes.get(sc.SEED_RPC_RESPONSE + sc.TRUNCATED_SUFFIX):
        return None, "its answer was too long to be recorded whole"
    return text, "a secret was taken out of its answer" if "[redacted:" in text else None


def server_of(attributes: Mapping[str, Any]) -> str:
    """Return what distinguishes a server from others; empty if not known."""
    server = attributes.get(sc.URL_FULL) or attributes.get(sc.RPC_SERVER_COMMAND)
    return server if isinstance(server, str) else "" if server is None else json.dumps(server)


def server_at(place: object, redactor: "Redactor") -> str:
    """Return the same for a server that is about to be called."""
    return server_of(place_attributes(place_without_secrets(cast("Plain", place), redactor)))


def tool_call_in(proposal: Proposal) -> Proposal | None:
    """Return the tool call inside a request, unless it is proposed separately."""
    if proposal.name != "tools/call" or proposal.emitter == "toolkit":
        return None
    params = cast("Mapping[str, Any]", proposal.args)
    return Proposal("tool_call", str(params.get("name")), params.get("arguments"), emitter=proposal.emitter)
