"""The spans of JSON-RPC requests, and of the resources and prompts of MCP servers."""

from typing import Final

from inspector import semconv as sc
from inspector.plain import Plain
from inspector.reading.call_record import CallRecord
from inspector.reading.description import Description, shown, titled
from inspector.reading.facts import Facts
from inspector.reading.places import place_attributes

_NETWORK_TRANSPORT: Final = {"stdio": "pipe", "sse": "tcp", "http": "tcp", "websocket": "tcp"}
_NETWORK_PROTOCOL: Final = {"sse": "http", "http": "http", "websocket": "websocket"}
_SPAN_TYPES: Final = {"resources/read": "resource.fetch", "prompts/get": "prompt.apply"}


def describe_request(record: CallRecord, facts: Facts, after: Facts | None) -> Description:
    """Return the name and attributes of a JSON-RPC request."""
    request = facts.get("envelope")
    envelope = request if isinstance(request, dict) else {}
    params = envelope.get("params")
    params = params if isinstance(params, dict) else {}
    method = envelope.get("method")
    method = method if isinstance(method, str) else "rpc"
    target = params.get("name") if method in ("tools/call", "prompts/get") else None
    description = Description(titled(method, target) if isinstance(target, str) else method)
    description.kind = sc.KIND_SERVER if record.inbound else sc.KIND_CLIENT
    description.attributes[sc.SPAN_TYPE] = _SPAN_TYPES.get(method, "rpc")
    description.put(sc.MCP_METHOD_NAME, sc.SEED_RPC_METHOD, value=method)
    if (request_id := envelope.get("id")) is not None:
        description.put(sc.JSONRPC_REQUEST_ID, sc.SEED_RPC_ID, value=shown(request_id))
    description.put(sc.SEED_JSONRPC_VERSION, value=envelope.get("jsonrpc"))
    description.put(sc.SEED_RPC_DIRECTION, value="inbound" if record.inbound else "outbound")
    _put_transport(description, facts)
    _put_target(description, method, params)
    if record.content:
        description.put_text(sc.SEED_RPC_REQUEST, text=facts.text("envelope"))
    if after is not None:
        _put_response(record, description, after)
    return description


def _put_transport(description: Description, facts: Facts) -> None:
    transport = facts.get("transport")
    if isinstance(transport, str):
        description.put(sc.SEED_RPC_TRANSPORT, value=transport)
        description.put(sc.NETWORK_TRANSPORT, value=_NETWORK_TRANSPORT.get(transport))
        description.put(sc.NETWORK_PROTOCOL_NAME, value=_NETWORK_PROTOCOL.get(transport))
    description.put(sc.OTHER_TRANSPORT, value=facts.get("other_transport"))
    description.attributes |= place_attributes(facts.get("place"))


def _put_target(description: Description, method: str, params: dict[str, Plain]) -> None:
    if method == "tools/call":
        description.put(sc.OPERATION_NAME, value="execute_tool")
        description.put(sc.TOOL_NAME, value=params.get("name"))
    elif method == "prompts/get":
        description.put(sc.PROMPT_NAME, sc.SEED_PROMPT_TEMPLATE_ID, value=params.get("name"))
    elif method.startswith(("resources/", "notifications/resources/")):
        description.put(sc.MCP_RESOURCE_URI, value=params.get("uri"))
    meta = params.get("_meta", params.get("meta"))
    if isinstance(meta, dict):
        description.put(sc.SEED_PROGRESS_TOKEN, value=meta.get("progressToken"))
        description.put(sc.MCP_PROTOCOL_VERSION, value=meta.get("io.modelcontextprotocol/protocolVersion"))
    description.put(sc.MCP_PROTOCOL_VERSION, value=params.get("protocolVersion"))


def _put_response(record: CallRecord, description: Description, after: Facts) -> None:
    description.put(sc.SEED_RPC_DURATION, value=after.get("duration_ms"))
    description.attributes[sc.SEED_TRANSPORT_STATUS] = "connected"
    if record.content:
        description.put_text(sc.SEED_RPC_RESPONSE, text=after.text("response"))
    response = after.get("response")
    error = response.get("error") if isinstance(response, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    description.put(sc.RPC_STATUS_CODE, value=None if code is None else shown(code))


def describe_resource(record: CallRecord, facts: Facts, after: Facts | None) -> Description:
    """Return the name and attributes of a resource that was read."""
    # The address stays out of the name, which is to have few values.
    description = Description("resources/read", kind=sc.KIND_CLIENT)
    description.attributes |= {sc.SPAN_TYPE: "resource.fetch", sc.MCP_METHOD_NAME: "resources/read"}
    description.put(sc.MCP_RESOURCE_URI, value=facts.get("uri"))
    if after is not None:
        description.put(sc.SEED_RESOURCE_MIME_TYPE, value=after.get("mime_type"))
        description.put(sc.SEED_RESOURCE_BYTES, value=after.get("size"))
        if record.content:
            description.put_text(sc.RESOURCE_CONTENT, text=after.text("content"))
    return description


def describe_prompt(record: CallRecord, facts: Facts, after: Facts | None) -> Description:
    """Return the name and attributes of a prompt that a server filled in."""
    template = facts.get("template") or "prompt"
    description = Description(titled("prompts/get", template), kind=sc.KIND_CLIENT)
    description.attributes |= {sc.SPAN_TYPE: "prompt.apply", sc.MCP_METHOD_NAME: "prompts/get"}
    description.put(sc.PROMPT_NAME, sc.SEED_PROMPT_TEMPLATE_ID, value=template)
    if record.content:
        description.put_text(sc.SEED_PROMPT_PARAMETERS, text=facts.text("parameters"))
        if after is not None:
            description.put_text(sc.PROMPT_RENDERED, text=after.text("rendered"))
    return description
