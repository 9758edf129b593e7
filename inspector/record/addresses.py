"""Where a model was called: the address of a request, without what may be secret in it."""

from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from inspector import semconv as sc

_PORTS: Final = {"http": 80, "https": 443}
_QUERY: Final = frozenset({"api-version"})
"""What of a query is kept: Azure's, which tells the form of the request. Others may be keys."""


def address_attributes(url: str) -> dict[str, str | int]:
    """Return ``url.full``, ``server.address`` and ``server.port`` of a request; nothing where it is no such address.

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
