"""Turns the schemas of an OpenAPI document into JSON Schema (2020-12) that stands alone."""

import re
from collections.abc import Mapping
from typing import Any, Literal, cast

from toolkit.errors import DefinitionInvalid
from toolkit.plain import plain
from toolkit.tools.openapi.document import Document, as_node, as_nodes

Direction = Literal["request", "response"]
"""Which way a value travels: ``readOnly`` properties are not sent, ``writeOnly`` ones do not come back."""

# https://json-schema.org/draft/2020-12: the keywords whose value is a schema, an array of schemas, a map of schemas.
_ONE = frozenset(
    {
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_SEVERAL = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED = frozenset({"$defs", "dependentSchemas", "patternProperties", "properties"})
# Words of OpenAPI's own, and those that would give the schema another base.
_DROPPED = frozenset(
    {
        "$anchor",
        "$dynamicAnchor",
        "$id",
        "$schema",
        "deprecated",
        "discriminator",
        "example",
        "externalDocs",
        "nullable",
        "readOnly",
        "writeOnly",
        "xml",
    }
)
_MOST_NODES = 50_000


class SchemaReader:
    """Converts the schemas of one tool; what they refer to is gathered as ``defs``."""

    def __init__(self, document: Document, direction: Direction) -> None:
        self.defs: dict[str, Any] = {}
        """The schemas referred to so far, for ``$defs`` of the whole."""
        self._document = document
        self._hidden = "readOnly" if direction == "request" else "writeOnly"
        self._names: dict[str, str] = {}
        self._nodes = 0

    def read(self, schema: object) -> Any:
        """Return ``schema`` converted.

        Raises:
            DefinitionInvalid: A reference leads nowhere or out of the document, or there is no end to it.
        """
        self._count()
        if isinstance(schema, bool):
            return schema
        given = as_node(schema)
        made: dict[str, Any] = {}
        for key, value in given.items():
            if key not in _DROPPED and not key.startswith("x-") and _usable(key, value):
                made[key] = self._read_word(key, value)
        self._hide(given, made)
        if self._document.is_3_0:
            made = _modern(given, made)
        if "example" in given and "examples" not in made and "$ref" not in made:
            made["examples"] = [self._plain(given["example"])]
        return made

    def _read_word(self, key: str, value: object) -> Any:
        if key == "$ref":
            return self._reference(str(value))
        if key in _NAMED:
            return {name: self.read(each) for name, each in as_node(value).items()}
        if key in _SEVERAL:
            return [self.read(each) for each in as_nodes(value)]
        return self.read(value) if key in _ONE else self._plain(value)

    def _plain(self, value: object) -> Any:
        """Return a value that is no schema, once it is known that what its aliases share is not too much."""
        waiting = [value]
        while waiting:
            each = waiting.pop()
            self._count()
            waiting += [*as_node(each).values(), *as_nodes(each)]
        return plain(value)

    def _count(self) -> None:
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise DefinitionInvalid(f"a schema of more than {_MOST_NODES:,} parts")

    def _reference(self, reference: str) -> str:
        """Return the reference within the tool's own schema, whose target is now among ``defs``."""
        name = self._names.get(reference)
        if name is None:
            target = self._document.find(reference)
            name = self._name(reference)
            self._names[reference] = name
            self.defs[name] = True  # holds the place while the target is read, which may refer to itself
            self.defs[name] = self.read(target)
        return f"#/$defs/{name}"

    def _name(self, reference: str) -> str:
        stem = re.sub(r"[^A-Za-z0-9_.-]", "_", reference.rpartition("/")[2]) or "schema"
        name, number = stem, 2
        while name in self.defs:
            name, number = f"{stem}_{number}", number + 1
        return name

    def _hide(self, given: Mapping[str, Any], made: dict[str, Any]) -> None:
        properties = as_node(given.get("properties"))
        hidden = {name for name, each in properties.items() if self._document.resolve(each).get(self._hidden) is True}
        if not hidden:
            return
        made["properties"] = {name: each for name, each in made["properties"].items() if name not in hidden}
        if "required" in made:
            made["required"] = [name for name in made["required"] if name not in hidden]


def with_defs(schema: Any, defs: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``schema`` with what it refers to beside it."""
    made: dict[str, Any] = {} if schema is True else {"not": {}} if schema is False else dict(schema)
    return made | ({"$defs": dict(defs)} if defs else {})


def _usable(key: str, value: object) -> bool:
    """Whether Python can tell what it means: patterns are ECMAScript's, and not all of them are Python's as well."""
    if key != "pattern":
        return True
    try:
        re.compile(str(value))
    except re.error:
        return False
    return True


def _modern(given: Mapping[str, Any], made: dict[str, Any]) -> dict[str, Any]:
    """Return what OpenAPI 3.0 says in JSON Schema's words (https://spec.openapis.org/oas/v3.0.3#schema-object)."""
    if "$ref" in made:
        return {"$ref": made["$ref"]}
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        flag = made.pop(exclusive, None)
        if flag is True and bound in made:
            made[exclusive] = made.pop(bound)
        elif flag is not None and not isinstance(flag, bool):
            made[exclusive] = flag
    if given.get("nullable") is not True:
        return made
    kind = made.get("type")
    if isinstance(kind, str):
        made["type"] = [kind, "null"]
        if "enum" in made and None not in made["enum"]:
            made["enum"] = [*cast("list[Any]", made["enum"]), None]
        return made
    if not made.keys() & {"allOf", "anyOf", "oneOf", "enum", "not"}:
        return made
    told = {key: made.pop(key) for key in ("title", "description", "default") if key in made}
    return {**told, "anyOf": [made, {"type": "null"}]}
