"""Signs requests with the credentials that an operation asks for."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast
from urllib.parse import quote

from toolkit.errors import DefinitionInvalid, ToolkitError
from toolkit.tools.openapi.document import Document, Node, as_node, as_nodes

Requirement: TypeAlias = tuple[str, ...]
"""Schemes that are all needed; empty where nobody has to be known."""

_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f]|[^\x00-\xff]")
# Shorter ones would blot out half of an answer.
_LEAST_SECRET = 6


@dataclass(frozen=True, slots=True)
class Scheme:
    """One way to say who calls (https://spec.openapis.org/oas/v3.1.1#security-scheme-object)."""

    name: str
    place: Literal["header", "query", "authorization"]
    """Where the credential goes."""
    word: str
    """The parameter's name, or what comes first in ``Authorization``."""


@dataclass(slots=True)
class Signature:
    """What signing adds to a request, and what must never be shown."""

    headers: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    query: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]], repr=False)
    """Names and values, both encoded."""
    secrets: list[str] = field(default_factory=list[str], repr=False)

    def hide(self, text: str) -> str:
        """Return ``text`` without the secrets: services that echo a request exist."""
        for secret in sorted(self.secrets, key=len, reverse=True):
            if len(secret) >= _LEAST_SECRET:
                text = text.replace(secret, "[hidden]")
        return text

    def hide_in(self, value: Any) -> Any:
        """Return a parsed answer without the secrets, whatever its texts were escaped like."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, int | float):
            return value if self.hide(str(value)) == str(value) else "[hidden]"
        if isinstance(value, list):
            return [self.hide_in(item) for item in cast("list[Any]", value)]
        if isinstance(value, dict):
            return {self.hide(key): self.hide_in(item) for key, item in cast("dict[str, Any]", value).items()}
        return value


def read_schemes(document: Document) -> dict[str, Scheme]:
    """Return the document's schemes by name, without those that cannot be met from here, such as cookies."""
    values = as_node(as_node(document.root.get("components")).get("securitySchemes"))
    schemes = [_scheme(name, document.resolve(value)) for name, value in values.items()]
    return {scheme.name: scheme for scheme in schemes if scheme is not None}


def read_requirements(document: Document, operation: Mapping[str, object]) -> list[Requirement]:
    """Return the alternatives that an operation asks for; none where it asks for nothing."""
    alternatives = operation["security"] if "security" in operation else document.root.get("security")
    return [tuple(as_node(alternative)) for alternative in as_nodes(alternatives)]


def sign(
    requirements: Sequence[Requirement], schemes: Mapping[str, Scheme], credentials: Mapping[str, str]
) -> Signature:
    """Return what the first alternative adds for which there are all credentials."""
    signature = Signature()
    for requirement in requirements:
        if requirement and all(name in credentials and name in schemes for name in requirement):
            for name in requirement:
                _add(signature, schemes[name], credentials[name])
            return signature
    if requirements and all(requirements):
        wanted = " or ".join(" and ".join(map(repr, requirement)) for requirement in requirements)
        raise ToolkitError(f"no credential for {wanted}; pass it as auth=… or ToolContext(credentials=…)")
    return signature


def _scheme(name: str, node: Node) -> Scheme | None:
    match node.get("type"), node.get("in"):
        case "apiKey", "header" | "query" as place:
            return Scheme(name, place, str(node.get("name", "")))
        case "http", _:
            word = str(node.get("scheme", "bearer"))
            return Scheme(name, "authorization", {"bearer": "Bearer", "basic": "Basic"}.get(word.lower(), word))
        case (("oauth2" | "openIdConnect"), _):
            return Scheme(name, "authorization", "Bearer")
        case _:
            return None


def _add(signature: Signature, scheme: Scheme, secret: str) -> None:
    if _UNSENDABLE.search(secret) or not secret:
        raise DefinitionInvalid(f"the credential {scheme.name!r} is empty or has characters that no header can carry")
    signature.secrets.append(secret)
    if scheme.place == "header":
        signature.headers[scheme.word] = secret
    elif scheme.place == "query":
        encoded = quote(secret, safe="")
        signature.query.append((quote(scheme.word, safe=""), encoded))
        signature.secrets.append(encoded)
    elif scheme.word == "Basic":
        encoded = b64encode(secret.encode()).decode()
        signature.headers["Authorization"] = f"Basic {encoded}"
        signature.secrets += [encoded, secret.partition(":")[2]]
    else:
        signature.headers["Authorization"] = f"{scheme.word} {secret}"
