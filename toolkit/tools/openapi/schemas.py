"""Turns the schemas of an OpenAPI document into JSON Schema (2020-12) that stands alone."""

import re
from collections.abc import Mapping
from typing import Any, cast

from toolkit.tools.openapi.document import Document, Node, as_node

# https://json-schema.org/draft/2020-12: the keywords with a map of schemas, and those with values that are none.
_NAMED = frozenset({"$defs", "dependentSchemas", "patternProperties", "properties"})
_VALUES = frozenset({"const", "default", "dependentRequired", "enum", "examples"})
# Words of OpenAPI's own, and those that would give the schema another base.
_DROPPED = frozenset(
    {"deprecated", "discriminator", "example", "externalDocs", "nullable", "readOnly", "writeOnly", "xml"}
    | {"$anchor", "$dynamicAnchor", "$id", "$schema"}
)


class SchemaReader:
    """Converts the schemas of what one tool sends; what they refer to is gathered as ``defs``."""

    def __init__(self, document: Document) -> None:
        self.defs: dict[str, Any] = {}
        """The schemas referred to so far, for ``$defs`` of the whole."""
        self._document = document
        self._names: dict[str, str] = {}

    def read(self, schema: object) -> Any:
        """Return ``schema`` converted."""
        if isinstance(schema, bool):
            return schema
        node = as_node(schema)
        converted = {
            key: self._read_keyword(key, value)
            for key, value in node.items()
            if key not in _DROPPED and not key.startswith("x-") and _usable(key, value)
        }
        self._leave_out_read_only(node, converted)
        if self._document.is_3_0:
            converted = _modern(node, converted)
        if "example" in node and "examples" not in converted and "$ref" not in converted:
            converted["examples"] = [node["example"]]
        return converted

    def _read_keyword(self, key: str, value: object) -> Any:
        if key == "$ref":
            return self._reference(str(value))
        if key in _NAMED:
            return {name: self.read(schema) for name, schema in as_node(value).items()}
        if isinstance(value, Mapping) and key not in _VALUES:
            return self.read(cast("Node", value))
        if isinstance(value, list) and key not in _VALUES:
            items = cast("list[object]", value)
            return [self.read(cast("Node", item)) if isinstance(item, Mapping) else item for item in items]
        return cast("object", value)

    def _reference(self, reference: str) -> str:
        """Return the reference within the tool's own schema, whose target is now among ``defs``."""
        name = self._names.get(reference)
        if name is None:
            target = self._document.find(reference)
            stem = re.sub(r"[^A-Za-z0-9_.-]", "_", reference.rpartition("/")[2]) or "schema"
            name = self._names[reference] = free_name(stem, self.defs)
            self.defs[name] = True  # holds the place while the target is read, which may refer to itself
            self.defs[name] = self.read(target)
        return f"#/$defs/{name}"

    def _leave_out_read_only(self, node: Node, converted: dict[str, Any]) -> None:
        properties = as_node(node.get("properties"))
        hidden = [name for name, value in properties.items() if self._document.resolve(value).get("readOnly") is True]
        for name in hidden:
            del converted["properties"][name]
        if hidden and "required" in converted:
            converted["required"] = [name for name in converted["required"] if name not in hidden]


def free_name(stem: str, taken: Mapping[str, object] | set[str], longest: int = 200) -> str:
    """Return ``stem``, or with a number after it where that is taken."""
    name, number = stem[:longest], 2
    while name in taken:
        ending = f"_{number}"
        name, number = f"{stem[: longest - len(ending)]}{ending}", number + 1
    return name


def with_defs(schema: Any, defs: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``schema`` with what it refers to beside it."""
    whole: dict[str, Any] = {} if schema is True else {"not": {}} if schema is False else dict(schema)
    return whole | ({"$defs": dict(defs)} if defs else {})


def _usable(key: str, value: object) -> bool:
    """Whether Python can tell what it means: patterns are ECMAScript's, and not all of them are Python's as well."""
    if key != "pattern":
        return True
    try:
        re.compile(str(value))
    except re.error:
        return False
    return True


def _modern(node: Node, converted: dict[str, Any]) -> dict[str, Any]:
    """Return what OpenAPI 3.0 says in JSON Schema's words (https://spec.openapis.org/oas/v3.0.3#schema-object)."""
    if "$ref" in converted:
        return {"$ref": converted["$ref"]}
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        flag = converted.get(exclusive)
        if isinstance(flag, bool):
            del converted[exclusive]
            if flag and bound in converted:
                converted[exclusive] = converted.pop(bound)
    kind = converted.get("type")
    # Beside a type alone does the word say anything.
    if node.get("nullable") is True and isinstance(kind, str):
        converted["type"] = [kind, "null"]
        if "enum" in converted and None not in converted["enum"]:
            converted["enum"] = [*cast("list[Any]", converted["enum"]), None]
    return converted
