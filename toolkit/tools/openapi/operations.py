"""Reads what an OpenAPI document offers: each operation with its arguments, its body and its answer."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.tools.openapi.bodies import Body, is_binary, is_json, kind_of
from toolkit.tools.openapi.document import Document, Node, as_node, as_nodes
from toolkit.tools.openapi.schemas import SchemaReader, with_defs
from toolkit.tools.openapi.security import Requirement, Scheme, read_requirements
from toolkit.tools.openapi.styles import Parameter, Place

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_PLACES: tuple[Place, ...] = ("path", "query", "header", "cookie")
_STYLES: Mapping[Place, str] = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
# https://spec.openapis.org/oas/v3.1.1#parameter-object: these are said elsewhere in the document.
_IGNORED_HEADERS = frozenset(
    # The last ones are the transport's own.
    {"accept", "authorization", "content-type", "connection", "content-length", "host", "transfer-encoding"}
)
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_NAME_LENGTH = 64
# A body of these words alone can become arguments; ``allOf`` and the like say more than a list of properties can.
_FLAT = frozenset(
    {"type", "properties", "required", "title", "description", "example", "examples", "externalDocs", "xml"}
)
_NOT_WRITTEN = ", which is not supported; choose other operations by only=[…]"
_BASE64 = "the bytes, in Base64"
TEMPLATE = re.compile(r"\{([^{}]+)\}")
"""What stands for a parameter in a path, and for a variable in a server's address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation, ready to be called."""

    definition: ToolDefinition
    method: str
    server: str
    """The address that ``path`` is added to."""
    path: str
    parameters: tuple[Parameter, ...]
    body: Body | None
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
    """Yield the operations as listed; ``only`` holds patterns for names, operationIds or ``GET /path``.

    Raises:
        DefinitionInvalid: An operation cannot be read, or a pattern fits none.
    """
    for listed in _chosen(list(_listed(document)), only):
        try:
            yield _read(document, listed, base_url, schemes)
        except DefinitionInvalid as error:
            raise DefinitionInvalid(f"{listed.method} {listed.path}: {error}") from error


def _listed(document: Document) -> Iterator[_Listed]:
    taken: set[str] = set()
    for path, value in as_node(document.root.get("paths")).items():
        item = document.resolve(value)
        for method in _METHODS:
            if method in item:
                node = as_node(item[method])
                stem = _UNSAFE.sub("_", str(node.get("operationId") or f"{method} {path}")).strip("_") or method
                name = _free(stem[:_NAME_LENGTH], taken)
                taken.add(name)
                yield _Listed(name, method.upper(), path, item, node)


def _free(stem: str, taken: set[str]) -> str:
    name, number = stem, 2
    while name in taken:
        ending = f"_{number}"
        name, number = f"{stem[: _NAME_LENGTH - len(ending)]}{ending}", number + 1
    return name


def _chosen(listed: list[_Listed], only: Iterable[str] | None) -> list[_Listed]:
    if only is None:
        return listed
    patterns = [only] if isinstance(only, str) else list(only)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for each in listed for name in each.names):
            names = ", ".join(each.name for each in listed) or "none"
            raise DefinitionInvalid(f"only={pattern!r} fits no operation; there are: {names}")
    return [each for each in listed if any(fnmatchcase(name, pattern) for name in each.names for pattern in patterns)]


def _read(document: Document, listed: _Listed, base_url: str | None, schemes: Mapping[str, Scheme]) -> Operation:
    requirements = tuple(read_requirements(document, listed.node))
    reader = SchemaReader(document, "request")
    arguments = _Arguments()
    for node in _parameters(document, listed):
        _add_parameter(arguments, reader, node, _credentials(requirements, schemes))
    body = _read_body(arguments, document, reader, listed.node)
    schema: dict[str, Any] = {"type": "object", "properties": arguments.schemas, "additionalProperties": False}
    if arguments.required:
        schema["required"] = arguments.required
    return Operation(
        definition=ToolDefinition(
            name=listed.name,
            description=_description(listed),
            input_schema=with_defs(schema, reader.defs),
            output_schema=_output_schema(document, listed.node),
            version=str(as_node(document.root.get("info")).get("version", "")),
        ),
        method=listed.method,
        server=_server(document, listed, base_url),
        path=listed.path,
        parameters=tuple(arguments.parameters),
        body=body,
        requirements=requirements,
    )


class _Arguments:
    """The arguments of a tool, gathered from everywhere; the first of a name keeps it."""

    def __init__(self) -> None:
        self.schemas: dict[str, Any] = {}
        self.required: list[str] = []
        self.parameters: list[Parameter] = []

    def add(self, name: str, place: str, schema: Any, *, required: bool) -> str:
        """Return the argument's name."""
        stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_")[:_NAME_LENGTH] or place
        if stem in self.schemas:
            stem = f"{place}_{stem}"[:_NAME_LENGTH]
        argument = _free(stem, set(self.schemas))
        self.schemas[argument] = schema
        if required:
            self.required.append(argument)
        return argument


def _parameters(document: Document, listed: _Listed) -> list[Node]:
    """Return the operation's parameters and the path's, by place; the operation's win."""
    found: dict[tuple[str, str], Node] = {}
    for value in [*as_nodes(listed.item.get("parameters")), *as_nodes(listed.node.get("parameters"))]:
        node = document.resolve(value)
        found[str(node.get("in")), str(node.get("name"))] = node
    for name in TEMPLATE.findall(listed.path):
        # A path that names what no parameter does is a slip, and clear enough.
        found.setdefault(("path", name), {"in": "path", "name": name, "schema": {"type": "string"}})
    return sorted(
        (node for (place, _), node in found.items() if place in _PLACES),
        key=lambda node: _PLACES.index(node["in"]),
    )


def _credentials(requirements: Iterable[Requirement], schemes: Mapping[str, Scheme]) -> set[tuple[str, str]]:
    """Return the places of credentials, which are nothing for a model to fill in."""
    found = [schemes[name] for each in requirements for name in each if name in schemes]
    return {(each.kind, each.word.lower()) for each in found}


def _add_parameter(arguments: _Arguments, reader: SchemaReader, node: Node, hidden: set[tuple[str, str]]) -> None:
    name, place = str(node["name"]), cast("Place", node["in"])
    if (place, name.lower()) in hidden or (place == "header" and name.lower() in _IGNORED_HEADERS):
        return
    content = as_node(node.get("content"))
    schema = node.get("schema", True) if not content else as_node(next(iter(content.values()))).get("schema", True)
    required = place == "path" or node.get("required") is True
    style = str(node.get("style", _STYLES[place]))
    if style in ("matrix", "label"):
        raise DefinitionInvalid(f"the parameter {name!r} has the style {style!r}{_NOT_WRITTEN}")
    explode = node.get("explode", style in ("form", "deepObject"))
    argument = arguments.add(name, place, _told(reader.read(schema), node), required=required)
    arguments.parameters.append(
        Parameter(
            argument=argument,
            name=name,
            place=place,
            style=style,
            explode=explode is True,
            required=required,
            allow_reserved=node.get("allowReserved") is True,
            as_json=bool(content),
        )
    )


def _told(schema: Any, node: Node) -> Any:
    """Return the schema with what the parameter says about itself."""
    made: dict[str, Any] = with_defs(schema, {})
    if "description" in node:
        made["description"] = str(node["description"]).strip()
    if "example" in node:
        made.setdefault("examples", [node["example"]])
    return made


def _read_body(arguments: _Arguments, document: Document, reader: SchemaReader, operation: Node) -> Body | None:
    if "requestBody" not in operation:
        return None
    request = document.resolve(operation["requestBody"])
    content = as_node(request.get("content"))
    if not content:
        return None
    media_type = min(content, key=lambda each: (kind_of(each).rank, list(content).index(each)))
    media = document.resolve(content[media_type])
    schema = media.get("schema", True)
    required = request.get("required") is True
    node = document.resolve(schema)
    _refuse_styled(media)
    if kind_of(media_type).name in ("json", "form", "multipart") and _is_flat(node, required=required):
        properties = _flatten(arguments, document, reader, node)
        binaries = _binaries(document, node)
        return Body(media_type, required, properties=properties, binaries=binaries)
    made = reader.read(schema)
    if kind_of(media_type).name == "binary":
        made = {"type": "string", "contentEncoding": "base64", "description": _BASE64}
    elif kind_of(media_type).name == "text":
        made = {"type": "string"}
    argument = arguments.add("body", "request", _told(made, request), required=required)
    return Body(media_type, required, argument=argument, binaries=_binaries(document, node))


def _refuse_styled(media: Node) -> None:
    """Refuse a form whose fields have styles of their own; a media type of a part is left to the service."""
    for name, value in as_node(media.get("encoding")).items():
        if as_node(value).keys() & {"style", "explode", "allowReserved"}:
            raise DefinitionInvalid(f"the field {name!r} has a style of its own{_NOT_WRITTEN}")


def _is_flat(node: Node, *, required: bool) -> bool:
    """Whether the properties can stand beside the parameters, so that the whole is one flat list of arguments."""
    said = {key for key in node if not key.startswith("x-")}
    if node.get("additionalProperties") is False:
        said.discard("additionalProperties")
    # Of a body that may be missing, but not in part, the one argument `body` says just that.
    return said <= _FLAT and "properties" in said and (required or not as_nodes(node.get("required")))


def _flatten(arguments: _Arguments, document: Document, reader: SchemaReader, node: Node) -> dict[str, str]:
    made = reader.read(node)
    binaries = _binaries(document, node)
    names: dict[str, str] = {}
    for name, schema in made["properties"].items():
        told = _base64(schema) if name in binaries else schema
        names[arguments.add(name, "body", told, required=name in made.get("required", []))] = name
    return names


def _base64(schema: Any) -> dict[str, Any]:
    if schema.get("type") == "array":
        return schema | {"items": _base64(schema.get("items", {}))}
    told = f"{schema['description']} ({_BASE64})" if "description" in schema else _BASE64
    return {"type": "string", "contentEncoding": "base64", "description": told}


def _binaries(document: Document, node: Node) -> frozenset[str]:
    """Return the properties that hold bytes, or arrays of such."""
    found: set[str] = set()
    for name, value in as_node(node.get("properties")).items():
        schema = document.resolve(value)
        if is_binary(schema) or (schema.get("type") == "array" and is_binary(document.resolve(schema.get("items")))):
            found.add(name)
    return frozenset(found)


def _output_schema(document: Document, operation: Node) -> dict[str, Any] | None:
    """Return the schema of the answer's JSON, if every success has one."""
    reader = SchemaReader(document, "response")
    found: list[Any] = []
    for status, value in as_node(operation.get("responses")).items():
        if not status.startswith("2"):
            continue
        content = as_node(document.resolve(value).get("content"))
        schemas = [as_node(media).get("schema") for kind, media in content.items() if is_json(kind)]
        if not schemas or schemas[0] is None:
            return None
        if (made := reader.read(schemas[0])) not in found:
            found.append(made)
    if not found:
        return None
    return with_defs(found[0] if len(found) == 1 else {"anyOf": found}, reader.defs)


def _description(listed: _Listed) -> str:
    summary = str(listed.node.get("summary") or listed.item.get("summary") or "").strip()
    text = str(listed.node.get("description") or listed.item.get("description") or "").strip()
    told = [each for each in (summary, "" if text == summary else text) if each]
    if listed.node.get("deprecated") is True:
        told.append("Deprecated.")
    return "\n\n".join(told) or f"{listed.method} {listed.path}"


def _server(document: Document, listed: _Listed, base_url: str | None) -> str:
    """Return the address that the path is added to.

    Raises:
        DefinitionInvalid: It is not absolute, not http(s), or carries credentials or a query.
    """
    address = base_url
    if address is None:
        servers = [as_nodes(each.get("servers")) for each in (listed.node, listed.item, document.root)]
        first = as_node(next((each[0] for each in servers if each), {"url": "/"}))
        variables = as_node(first.get("variables"))
        address = TEMPLATE.sub(
            lambda found: str(as_node(variables.get(found[1])).get("default", found[0])), str(first.get("url", "/"))
        )
        address = address if document.url is None else urljoin(document.url, address)
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DefinitionInvalid(f"the server {address!r} is no absolute http(s) address; pass base_url='https://…'")
    if parts.username is not None or parts.query or parts.fragment:
        raise DefinitionInvalid("a server's address holds no credentials, query or fragment; pass credentials as auth")
    return address.rstrip("/")
