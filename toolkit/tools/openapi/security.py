"""Signs requests with the credentials that an operation asks for."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast
from urllib.parse import quote

from toolkit.errors import DefinitionInvalid, ToolkitError
from toolkit.tools.openapi.document import Document, as_node, as_nodes

Requirement: TypeAlias = tuple[str, ...]
"""Schemes that are all needed; empty where nobody has to be known."""

_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f]|[^\x00-\xff]")
# Shorter ones would blot out half of an answer.
_LEAST_SECRET = 6


@dataclass(frozen=True, slots=True)
class Scheme:
    """One way to say who calls (https://spec.openapis.org/oas/v3.1.1#security-scheme-object)."""

    name: str
    kind: Literal["header", "query", "cookie", "http", "unknown"]
    """Where it goes; ``http`` is the ``Authorization`` header."""
    word: str
    """The parameter's name, or what comes first in ``Authorization``."""


@dataclass(slots=True)
class Signature:
    """What signing adds to a request, and what must never be shown."""

    headers: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    query: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]], repr=False)
    cookies: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]], repr=False)
    secrets: list[str] = field(default_factory=list[str], repr=False)

    def hide(self, text: str) -> str:
        """Return ``text`` without the secrets, plain or as JSON writes them: services that echo a request exist."""
        hidden = {each for secret in self.secrets if len(secret) >= _LEAST_SECRET for each in _spellings(secret)}
        for each in sorted(hidden, key=len, reverse=True):
            text = text.replace(each, "[hidden]")
        return text

    def hide_in(self, value: Any) -> Any:
        """Return a parsed answer without the secrets, whatever its texts were escaped like."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, int | float):
            written = str(value)
            return value if self.hide(written) == written else "[hidden]"
        if isinstance(value, list):
            return [self.hide_in(each) for each in cast("list[Any]", value)]
        if isinstance(value, dict):
            return {self.hide_in(key): self.hide_in(each) for key, each in cast("dict[Any, Any]", value).items()}
        return value


def _spellings(secret: str) -> tuple[str, ...]:
    quoted, ascii_only = (json.dumps(secret, ensure_ascii=only)[1:-1] for only in (False, True))
    return (secret, *(each for made in (quoted, ascii_only) for each in (made, made.replace("/", "\\/"))))


def read_schemes(document: Document) -> dict[str, Scheme]:
    """Return the document's schemes by name."""
    found = as_node(as_node(document.root.get("components")).get("securitySchemes"))
    return {name: _scheme(name, document, each) for name, each in found.items()}


def read_requirements(document: Document, operation: Mapping[str, object]) -> list[Requirement]:
    """Return the alternatives that an operation asks for; none where it asks for nothing."""
    given = operation["security"] if "security" in operation else document.root.get("security")
    return [tuple(as_node(each)) for each in as_nodes(given)]


def sign(
    requirements: Sequence[Requirement], schemes: Mapping[str, Scheme], credentials: Mapping[str, str]
) -> Signature:
    """Return what the first alternative adds for which there are all credentials.

    Raises:
        ToolkitError: There is none for any, and the operation wants to know who calls.
        DefinitionInvalid: A credential cannot be sent.
    """
    for requirement in requirements:
        if requirement and all(name in credentials and _usable(schemes.get(name)) for name in requirement):
            signature = Signature()
            for name in requirement:
                _add(signature, schemes[name], credentials[name])
            return signature
    if requirements and all(requirements):
        wanted = " or ".join(" and ".join(map(repr, each)) for each in requirements)
        raise ToolkitError(f"no credential for {wanted}; pass it as auth=… or ToolContext(credentials=…)")
    return Signature()


def _scheme(name: str, document: Document, value: object) -> Scheme:
    node = document.resolve(value)
    word = str(node.get("name", ""))
    match node.get("type"), node.get("in"):
        case "apiKey", "header":
            return Scheme(name, "header", word)
        case "apiKey", "query":
            return Scheme(name, "query", word)
        case "apiKey", "cookie":
            return Scheme(name, "cookie", word)
        case "http", _:
            scheme = str(node.get("scheme", "bearer"))
            return Scheme(name, "http", {"bearer": "Bearer", "basic": "Basic"}.get(scheme.lower(), scheme))
        case (("oauth2" | "openIdConnect"), _):
            return Scheme(name, "http", "Bearer")
        case _:
            return Scheme(name, "unknown", word)


def _usable(scheme: Scheme | None) -> bool:
    return scheme is not None and scheme.kind != "unknown"


def _add(signature: Signature, scheme: Scheme, secret: str) -> None:
    if _UNSENDABLE.search(secret) or not secret:
        raise DefinitionInvalid(f"the credential {scheme.name!r} is empty or has characters that no header can carry")
    signature.secrets.append(secret)
    match scheme.kind:
        case "header":
            signature.headers[scheme.word] = secret
        case "query":
            signature.query.append((quote(scheme.word, safe=""), quote(secret, safe="")))
            signature.secrets.append(quote(secret, safe=""))
        case "cookie":
            signature.cookies.append((scheme.word, secret))
        case "http" if scheme.word == "Basic":
            encoded = b64encode(secret.encode()).decode()
            signature.headers["Authorization"] = f"Basic {encoded}"
            signature.secrets += [encoded, secret.partition(":")[2]]
        case _:
            signature.headers["Authorization"] = f"{scheme.word} {secret}"
