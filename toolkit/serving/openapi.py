"""Describes the routes of a server in OpenAPI 3.1."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from toolkit.serving.offers import Offer

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]")
_DATA = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords of a schema whose values are no schemas."""


def document(title: str, version: str, offers: Iterable[Offer], *, has_tokens: bool) -> dict[str, Any]:
    """Return the document."""
    schemas: dict[str, Any] = {"Problem": _PROBLEM}
    paths: dict[str, Any] = {offer.path: {"post": _operation(offer, schemas)} for offer in offers}
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
    for kind, schema in (("input", definition.input_schema), ("output", definition.output_schema)):
        if schema is not None:
            schemas[f"{name}.{kind}"] = _placed(schema, f"{name}.{kind}")
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": definition.description.partition("\n")[0] or definition.name,
        "description": definition.description,
        "requestBody": {
            "required": bool(definition.input_schema.get("required")),
            "content": _json(_reference(f"{name}.input")),
        },
        "responses": _responses(None if definition.output_schema is None else _reference(f"{name}.output")),
    }
    return operation | ({"x-permissions": list(definition.permissions)} if definition.permissions else {})


def _responses(schema: Any) -> dict[str, Any]:
    content = _json({}) | {"text/plain": {"schema": {"type": "string"}}} if schema is None else _json(schema)
    problem = {"application/problem+json": {"schema": _reference("Problem")}}
    return {
        "200": {"description": "what the tool returned", "content": content},
        "default": {"description": "why it was not done", "content": problem},
    }


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _placed(schema: Any, name: str) -> Any:
    """Return a schema whose references are right among the components: ``#`` is the whole document there."""
    if isinstance(schema, list):
        return [_placed(item, name) for item in cast("list[Any]", schema)]
    if not isinstance(schema, Mapping):
        return schema
    placed: dict[str, Any] = {}
    for key, value in cast("Mapping[str, Any]", schema).items():
        if key == "$ref" and isinstance(value, str) and value.startswith("#"):
            placed[key] = f"#/components/schemas/{name}{value[1:]}"
        else:
            placed[key] = value if key in _DATA else _placed(value, name)
    return placed


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
