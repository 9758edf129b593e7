"""Where a call went: the address of a request or the command of a server, without what may be secret in it."""

from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from inspector import semconv as sc
from inspector.plain import Plain
from inspector.redaction import Redactor

_PORTS: Final = {"http": 80, "https": 443}
_QUERY: Final = frozenset({"api-version"})
"""What of a query is kept: Azure's, which tells the form of the request. Others may be keys."""


def place_attributes(place: Plain, redactor: Redactor) -> dict[str, str | int | tuple[str, ...]]:
    """Return what is recorded of where a model or a server is.

    Args:
        place: Its URL, or the words of the command that starts it.
        redactor: What removes secrets.
    """
    if isinstance(place, list):
        words, _ = redactor.redact_value(sc.RPC_SERVER_COMMAND, place)
        return {sc.RPC_SERVER_COMMAND: tuple(map(str, words))} if isinstance(words, list) else {}
    if not isinstance(place, str):
        return {}
    found = _address_attributes(place)
    return {key: redactor.redact_text(key, each) if isinstance(each, str) else each for key, each in found.items()}


def _address_attributes(url: str) -> dict[str, str | int]:
    """Return ``url.full``, ``server.address`` and ``server.port``; nothing where it is no address of a request.

    User and password are left out, as OpenTelemetry's conventions for ``url.full`` ask, and so is the query.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return {}
    if not host or parts.scheme not in _PORTS:
        return {}
    authority = f"[{host}]" if ":" in host else host
    if port is not None:
        authority += f":{port}"
    query = urlencode([each for each in parse_qsl(parts.query) if each[0] in _QUERY])
    return {
        sc.URL_FULL: urlunsplit((parts.scheme, authority, parts.path, query, "")),
        sc.SERVER_ADDRESS: host,
        sc.SERVER_PORT: _PORTS[parts.scheme] if port is None else port,
    }
