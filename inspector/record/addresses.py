"""Where a call went: the address of a request or the command of a server, without what may be secret in it."""

from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from inspector import semconv as sc
from inspector.plain import Plain
from inspector.reading.addresses import PORTS
from inspector.redaction import Redactor

_QUERY: Final = frozenset({"api-version"})
"""What of a query is kept: Azure's, which tells the form of the request. Others may be keys."""


def place_without_secrets(place: Plain, redactor: Redactor) -> Plain:
    """Return what is recorded of where a model or a server is.

    Args:
        place: Its URL, or the words of the command that starts it.
        redactor: What removes secrets.
    """
    if isinstance(place, list):
        words, _ = redactor.redact_value(sc.RPC_SERVER_COMMAND, place)
        return words if isinstance(words, list) else None
    return (
        None if not isinstance(place, str) or not (url := _address(place)) else redactor.redact_text(sc.URL_FULL, url)
    )


def _address(url: str) -> str | None:
    """Return a URL without user, password and query; None where it is no address of a request.

    OpenTelemetry's conventions for ``url.full`` ask for that.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or parts.scheme not in PORTS:
        return None
    authority = f"[{host}]" if ":" in host else host
    if port is not None:
        authority += f":{port}"
    query = urlencode([each for each in parse_qsl(parts.query) if each[0] in _QUERY])
    return urlunsplit((parts.scheme, authority, parts.path, query, ""))
