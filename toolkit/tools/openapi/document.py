"""Reads an OpenAPI document, wherever it is, and finds what its references name."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from toolkit.errors import DefinitionInvalid, ToolkitError
from toolkit.schemas.fetching import fetch

Node = Mapping[str, Any]
"""An object of the document."""

MAX_DOCUMENT_BYTES = 20_000_000
FETCH_TIMEOUT_S = 30.0

_SUPPORTED = re.compile(r"3\.[012](\.|$)")
_MOST_REFERENCES_IN_A_ROW = 32


@dataclass(frozen=True)
class Document:
    """A document and where it came from."""

    root: Node
    url: str | None = None
    """Where it was fetched, which relative servers are relative to."""

    @property
    def is_3_0(self) -> bool:
        """Whether its schemas are those of OpenAPI 3.0, which are not JSON Schema."""
        return str(self.root["openapi"]).startswith("3.0")

    def resolve(self, value: object) -> Node:
        """Return the object that ``value`` is or refers to; what stands beside a reference is left out."""
        for _ in range(_MOST_REFERENCES_IN_A_ROW):
            node = as_node(value)
            reference = node.get("$ref")
            if not isinstance(reference, str):
                return node
            value = self.find(reference)
        raise DefinitionInvalid(f"the references at {value!r} go in a circle")

    def find(self, reference: str) -> object:
        """Return what a reference such as ``#/components/schemas/Pet`` names."""
        from referencing.exceptions import Unresolvable

        try:
            return self._resolver.lookup(reference).contents
        except (Unresolvable, ValueError) as error:
            raise DefinitionInvalid(
                f"{reference!r} is not in the document, and nothing else is read; bundle the document first"
            ) from error

    @cached_property
    def _resolver(self) -> Any:
        from referencing import Resource
        from referencing.jsonschema import DRAFT202012, EMPTY_REGISTRY

        return EMPTY_REGISTRY.resolver_with_root(Resource(self.root, DRAFT202012))


def as_node(value: object) -> Node:
    """Return ``value`` if it is an object, and an empty one otherwise."""
    return cast("Node", value) if isinstance(value, Mapping) else {}


def as_nodes(value: object) -> list[object]:
    """Return the items of an array, none if it is no array."""
    return list(cast("list[object]", value)) if isinstance(value, list) else []


def read_document(source: object) -> Document:
    """Read the document at a path or an http(s) URL, or the mapping that ``source`` is."""
    where, url = str(source), None
    if isinstance(source, Mapping):
        where, root = "the mapping", cast("Node", source)
    elif isinstance(source, str) and source.startswith(("http://", "https://")):
        text, url = _fetched(source)
        root = _parsed(text, where)
    elif isinstance(source, str | Path):
        root = _parsed(_file(Path(source)), where)
    else:
        kind = type(source).__name__
        raise DefinitionInvalid(f"an OpenAPI document is a path, an URL or a mapping, not {kind}")
    version = str(root.get("openapi", ""))
    if not _SUPPORTED.match(version):
        written = next(
            (f"says '{key}: {root[key]}'" for key in ("openapi", "swagger") if key in root), "has no 'openapi'"
        )
        raise DefinitionInvalid(f"{where} {written}; expected OpenAPI 3.0, 3.1 or 3.2")
    return Document(root, url)


def _file(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_DOCUMENT_BYTES:
            raise DefinitionInvalid(f"{path} is larger than {MAX_DOCUMENT_BYTES:,} bytes")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionInvalid(f"the OpenAPI document {path} cannot be read: {error}") from error


def _fetched(url: str) -> tuple[str, str]:
    try:
        fetched = fetch(url, most_bytes=MAX_DOCUMENT_BYTES, timeout_s=FETCH_TIMEOUT_S)
    except ToolkitError as error:
        raise DefinitionInvalid(f"the OpenAPI document {url}: {error}") from error
    return fetched.data.decode("utf-8", errors="replace"), fetched.url


def _parsed(text: str, where: str) -> Node:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DefinitionInvalid(f"{where} is not JSON: {error}; pass what yaml.safe_load makes of YAML") from error
    if not isinstance(value, dict):
        raise DefinitionInvalid(f"{where} holds {type(value).__name__}; expected an OpenAPI document")
    return cast("Node", value)
