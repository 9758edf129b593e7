"""Reads what an OpenAPI document offers: each operation with its arguments, its body and its answer."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.plain import texts_of
from toolkit.tools.openapi.document import Document, Node, as_node, as_nodes
from toolkit.tools.openapi.schemas import SchemaReader, free_name, with_defs
from toolkit.tools.openapi.security import Requirement, Scheme, read_requirements

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_STYLES = {"path": "simple", "query": "form", "header": "simple"}
# https://spec.openapis.org/oas/v3.1.1#parameter-object: these are said elsewhere in the document.
_IGNORED_HEADERS = frozenset(
    # The last ones are the transport's own.
    {"accept", "authorization", "content-type", "connection", "content-length", "host", "transfer-encoding"}
)
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_NAME_LENGTH = 64
# A body of these words alone can become arguments; ``allOf`` and the like say more than a list of properties can.
_FLAT = frozenset({"type", "properties", "required", "title", "description", "example", "examples"})
_NOT_WRITTEN = ", which is not supported; choose other operations by only=[…]"
TEMPLATE = re.compile(r"\{([^{}]+)\}")
"""What stands for a parameter in a path, and for a variable in a server's address."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing that an operation takes, in its place's default style.

    See https://spec.openapis.org/oas/v3.1.1#style-values.
    """

    argument: str
    """The tool's argument that it is."""
    name: str
    """Its name there; "" for a whole body, of which others are properties."""
    place: Literal["path", "query", "header", "body"]
    explode: bool = False
    """Whether the items of an array, or the properties of an object, stand by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation, ready to be called."""

    definition: ToolDefinition
    method: str
    server: str
    """The address that ``path`` is added to."""
    path: str
    parameters: tuple[Parameter, ...]
    media_type: str
    """Of its body, which is JSON; "" where it has none."""
    needs_body: bool
    """Whether an object without any property is sent rather than nothing."""
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class _Listed:
    name: str
    method: str
    path: str
    item: Node
    node: Node

    @property
    def names(self) -> tuple[str, ...]:
        return self.name, str(self.node.get("operationId", self.name)), f"{self.method} {self.path}"


def read_operations(
    document: Document,
    *,
    base_url: str | None = None,
    only: Iterable[str] | None = None,
    schemes: Mapping[str, Scheme],
) -> Iterator[Operation]:
    """Yield the operations as listed; ``only`` holds patterns for names, operationIds or ``GET /path``."""
    for listed in _chosen(list(_listed(document)), only):
        try:
            yield _read(document, listed, base_url, schemes)
        except DefinitionInvalid as error:
            raise DefinitionInvalid(f"{listed.method} {listed.path}: {error}") from error


def is_json(media_type: str) -> bool:
    """Whether values of ``media_type`` are written as JSON."""
    plain = media_type.partition(";")[0].strip().lower()
    return plain in ("application/json", "text/json", "*/*") or plain.endswith("+json")


def _listed(document: Document) -> Iterator[_Listed]:
    taken: set[str] = set()
    for path, value in as_node(document.root.get("paths")).items():
        item = document.resolve(value)
        for method in _METHODS:
            if method in item:
                node = as_node(item[method])
                stem = _UNSAFE.sub("_", str(node.get("operationId") or f"{method} {path}")).strip("_") or method
                name = free_name(stem, taken, _NAME_LENGTH)
                taken.add(name)
                yield _Listed(name, method.upper(), path, item, node)


def _chosen(listed: list[_Listed], only: Iterable[str] | None) -> list[_Listed]:
    if only is None:
        return listed
    patterns = texts_of(only, "openapi_tools(only=…)")
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for entry in listed for name in entry.names):
            names = ", ".join(entry.name for entry in listed) or "none"
            raise DefinitionInvalid(f"only={pattern!r} fits no operation; there are: {names}")
    return [
        entry for entry in listed if any(fnmatchcase(name, pattern) for name in entry.names for pattern in patterns)
    ]


def _read(document: Document, listed: _Listed, base_url: str | None, schemes: Mapping[str, Scheme]) -> Operation:
    requirements = tuple(read_requirements(document, listed.node))
    reader = SchemaReader(document)
    arguments = _Arguments()
    wanted = [schemes[name] for requirement in requirements for name in requirement if name in schemes]
    # Credentials are nothing for a model to fill in.
    hidden = {(scheme.place, scheme.word.lower()) for scheme in wanted}
    for node in _parameters(document, listed):
        _add_parameter(arguments, reader, node, hidden)
    media_type, needs_body = _add_body(arguments, document, reader, listed.node)
    schema: dict[str, Any] = {"type": "object", "properties": arguments.schemas, "additionalProperties": False}
    if arguments.required:
        schema["required"] = arguments.required
    return Operation(
        definition=ToolDefinition(
            name=listed.name,
            description=_description(listed),
            input_schema=with_defs(schema, reader.defs),
            version=str(as_node(document.root.get("info")).get("version", "")),
        ),
        method=listed.method,
        server=_server(document, listed, base_url),
        path=listed.path,
        parameters=tuple(arguments.parameters),
        media_type=media_type,
        needs_body=needs_body,
        requirements=requirements,
    )


class _Arguments:
    """The arguments of a tool, gathered from everywhere; the first of a name keeps it."""

    def __init__(self) -> None:
        self.schemas: dict[str, Any] = {}
        self.required: list[str] = []
        self.parameters: list[Parameter] = []

    def add(self, name: str, place: Any, schema: Any, *, required: bool, explode: bool = False) -> None:
        """Add what goes to a place under a name; a whole body has none."""
        stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_")[:_NAME_LENGTH] or place
        argument = free_name(f"{place}_{stem}" if stem in self.schemas else stem, self.schemas, _NAME_LENGTH)
        self.schemas[argument] = schema
        self.parameters.append(Parameter(argument, name, place, explode))
        if required:
            self.required.append(argument)


def _parameters(document: Document, listed: _Listed) -> list[Node]:
    """Return the operation's parameters and the path's, by place; the operation's win."""
    nodes: dict[tuple[str, str], Node] = {}
    for value in [*as_nodes(listed.item.get("parameters")), *as_nodes(listed.node.get("parameters"))]:
        node = document.resolve(value)
        nodes[str(node.get("in")), str(node.get("name"))] = node
    for name in TEMPLATE.findall(listed.path):
        # A path that names what no parameter does is a slip, and clear enough.
        nodes.setdefault(("path", name), {"in": "path", "name": name, "schema": {"type": "string"}})
    places = [*_STYLES, "cookie"]
    return sorted(
        (node for (place, _), node in nodes.items() if place in places), key=lambda node: places.index(node["in"])
    )


def _add_parameter(arguments: _Arguments, reader: SchemaReader, node: Node, hidden: set[tuple[str, str]]) -> None:
    name, place = str(node["name"]), str(node["in"])
    if (place, name.lower()) in hidden or (place == "header" and name.lower() in _IGNORED_HEADERS):
        return
    style = str(node.get("style", _STYLES.get(place)))
    if place == "cookie" or "content" in node or style != _STYLES[place]:
        how = "is a cookie" if place == "cookie" else "has a media type" if "content" in node else f"is {style!r}"
        raise DefinitionInvalid(f"the parameter {name!r} {how}{_NOT_WRITTEN}")
    required = place == "path" or node.get("required") is True
    schema = _described(reader.read(node.get("schema", True)), node)
    explode = node.get("explode", style == "form") is True
    arguments.add(name, place, schema, required=required, explode=explode)


def _described(schema: Any, node: Node) -> Any:
    """Return the schema with what the parameter, or the body, says about itself."""
    described: dict[str, Any] = with_defs(schema, {})
    if "description" in node:
        described["description"] = str(node["description"]).strip()
    if "example" in node:
        described.setdefault("examples", [node["example"]])
    return described


def _add_body(arguments: _Arguments, document: Document, reader: SchemaReader, operation: Node) -> tuple[str, bool]:
    """Add what an operation has as its body; return the media type, and whether there has to be a body."""
    request = document.resolve(operation.get("requestBody"))
    content = as_node(request.get("content"))
    if not content:
        return "", False
    media_types = sorted(filter(is_json, content), key=lambda media_type: media_type != "application/json")
    if not media_types:
        raise DefinitionInvalid(f"its body is {' or '.join(content)}{_NOT_WRITTEN}")
    media_type = "application/json" if "*" in media_types[0] else media_types[0]
    schema = document.resolve(content[media_types[0]]).get("schema", True)
    required = request.get("required") is True
    flat = document.resolve(schema)
    closed = {"additionalProperties"} if flat.get("additionalProperties") is False else set[str]()
    # Of a body that may be missing, but not in part, the one argument `body` says just that.
    if flat.keys() <= _FLAT | closed and "properties" in flat and (required or not flat.get("required")):
        read = reader.read(flat)
        for name, value in read["properties"].items():
            arguments.add(name, "body", value, required=name in read.get("required", []))
        return media_type, required
    arguments.add("", "body", _described(reader.read(schema), request), required=required)
    return media_type, False


def _description(listed: _Listed) -> str:
    summary = str(listed.node.get("summary") or listed.item.get("summary") or "").strip()
    text = str(listed.node.get("description") or listed.item.get("description") or "").strip()
    parts = [part for part in (summary, "" if text == summary else text) if part]
    if listed.node.get("deprecated") is True:
        parts.append("Deprecated.")
    return "\n\n".join(parts) or f"{listed.method} {listed.path}"


def _server(document: Document, listed: _Listed, base_url: str | None) -> str:
    """Return the address that the path is added to."""
    servers = (as_nodes(node.get("servers")) for node in (listed.node, listed.item, document.root))
    first = as_node(next((listing[0] for listing in servers if listing), {"url": "/"}))
    variables = as_node(first.get("variables"))
    written = TEMPLATE.sub(
        lambda match: str(as_node(variables.get(match[1])).get("default", match[0])), str(first.get("url", "/"))
    )
    address = urljoin(document.url or "", written) if base_url is None else base_url
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DefinitionInvalid(f"the server {address!r} is not an absolute http(s) address; pass base_url='https://…'")
    if parts.username is not None or parts.query or parts.fragment:
        raise DefinitionInvalid("a server's address holds no credentials, query or fragment; pass credentials as auth")
    return address.rstrip("/")
