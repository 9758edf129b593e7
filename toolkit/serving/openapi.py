"""Describes the routes of a server in OpenAPI 3.1."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from toolkit.serving.offers import REQUESTS_PATH, Offer

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]")
_DATA = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords of a schema whose values are no schemas."""
_STATUS = {
    "400": "the body is not what is asked for",
    "401": "a token is needed",
    "403": "the caller has not the permissions, or the call was refused",
    "404": "it is not there",
    "422": "the arguments do not fit their schema",
    "429": "it was called more often than it may be",
    "500": "the tool failed",
    "504": "the tool took longer than it may",
}


def document(title: str, version: str, offers: Iterable[Offer], *, has_tokens: bool) -> dict[str, Any]:
    """Return the document.

    Args:
        title: The server's name.
        version: The server's version.
        offers: What is described.
        has_tokens: Whether callers may, or have to, show a token.
    """
    schemas: dict[str, Any] = {"Problem": _PROBLEM, "Request": _REQUEST}
    paths: dict[str, Any] = {offer.path: {"post": _operation(offer, schemas)} for offer in offers}
    paths[REQUESTS_PATH] = {"post": _requests()}
    components: dict[str, Any] = {"schemas": schemas}
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": components,
    }
    if has_tokens:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
    return described


def _operation(offer: Offer, schemas: dict[str, Any]) -> dict[str, Any]:
    definition = offer.definition
    name = _NOT_IN_A_NAME.sub("_", definition.name)
    summary, _, _ = definition.description.partition("\n")
    answer: dict[str, Any] = {"description": "what the tool returned", "content": _answers(offer, name, schemas)}
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary or definition.name,
        "description": definition.description,
        "responses": {"200": answer} | _problems(),
    }
    schema = dict(definition.input_schema)
    properties = cast("Mapping[str, Any]", schema.get("properties") or {})
    if offer.parameters:
        operation["parameters"] = [
            {
                "name": parameter,
                "in": "path",
                "required": True,
                "schema": _placed(properties.get(parameter, {}), name, "input"),
            }
            for parameter in offer.parameters
        ]
    body = _without(schema, offer.parameters)
    if _has_references(schema):
        schemas[f"{name}.input"] = _placed(schema, name, "input")
        body = {"$ref": f"#/components/schemas/{name}.input"} if not offer.parameters else _placed(body, name, "input")
    required = bool(body.get("required")) or "$ref" in body
    operation["requestBody"] = {"required": required, "content": {"application/json": {"schema": body}}}
    return operation | ({"x-permissions": list(definition.permissions)} if definition.permissions else {})


def _answers(offer: Offer, name: str, schemas: dict[str, Any]) -> dict[str, Any]:
    schema = offer.definition.output_schema
    if schema is None:
        return _ANYTHING
    if _has_references(schema):
        schemas[f"{name}.output"] = _placed(schema, name, "output")
        return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}.output"}}}
    return {"application/json": {"schema": dict(schema)}}


def _requests() -> dict[str, Any]:
    body = {"application/json": {"schema": {"$ref": "#/components/schemas/Request"}}}
    return {
        "operationId": "handle_request",
        "summary": "Have an agent, or a tool of an agent, carry out a request",
        "requestBody": {"required": True, "content": body},
        "responses": {"200": {"description": "what it came to", "content": _ANYTHING}} | _problems(),
    }


def _problems() -> dict[str, Any]:
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": text, "content": content} for status, text in _STATUS.items()}


def _without(schema: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the schema of the arguments that are not in the path."""
    if not names:
        return dict(schema)
    properties = cast("Mapping[str, Any]", schema.get("properties") or {})
    required = cast("list[str]", schema.get("required") or [])
    return {
        **schema,
        "properties": {key: value for key, value in properties.items() if key not in names},
        "required": [name for name in required if name not in names],
    }


def _has_references(schema: object) -> bool:
    if isinstance(schema, Mapping):
        keywords = cast("Mapping[str, object]", schema)
        return isinstance(keywords.get("$ref"), str) or any(map(_has_references, keywords.values()))
    return isinstance(schema, list) and any(map(_has_references, cast("list[object]", schema)))


def _placed(schema: Any, name: str, part: str) -> Any:
    """Return a schema whose references are right where it goes: ``#`` is the whole document there."""
    if isinstance(schema, list):
        return [_placed(item, name, part) for item in cast("list[Any]", schema)]
    if not isinstance(schema, Mapping):
        return schema
    placed: dict[str, Any] = {}
    for key, value in cast("Mapping[str, Any]", schema).items():
        if key == "$ref" and isinstance(value, str) and value.startswith("#"):
            placed[key] = f"#/components/schemas/{name}.{part}{value[1:]}"
        else:
            placed[key] = value if key in _DATA else _placed(value, name, part)
    return placed


_ANYTHING: dict[str, Any] = {"application/json": {"schema": {}}, "text/plain": {"schema": {"type": "string"}}}
_PROBLEM = {
    "type": "object",
    "description": "RFC 9457",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "what a model would read"},
        "instance": {"type": "string"},
        "problems": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["path", "message"],
                "properties": {"path": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
_REQUEST = {
    "type": "object",
    "required": ["target"],
    "additionalProperties": False,
    "properties": {
        "target": {"type": "string", "description": "agent.tool, or agent"},
        "inputs": {"type": "object", "description": "the tool's arguments, or the task"},
        "context": {"type": "object", "description": "what tools find as their state"},
        "metadata": {"type": "object", "description": "request_id is the calls' correlation id"},
    },
}
