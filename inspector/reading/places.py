"""The URL of a model's request or the command of a server, without secrets."""

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from inspector import semconv as sc
from inspector.plain import Plain
from inspector.reading.addresses import PORTS

if TYPE_CHECKING:
    from inspector.redaction import Redactor

_QUERY: Final = frozenset({"api-version"})
"""Query parameters that are kept: Azure's version of the API. Others may be keys."""


def place_without_secrets(place: Plain, redactor: "Redactor") -> Plain:
    """Return the recorded form of a URL or a command."""
    if isinstance(place, list):
        words, _ = redactor.redact_value(sc.RPC_SERVER_COMMAND, place)
        return words if isinstance(words, list) else None
    return (
        None if not isinstance(place, str) or not (url := _address(place)) else redactor.redact_text(sc.URL_FULL, url)
    )


def _address(url: str) -> str | None:
    """Return a URL without user, password and query, as OpenTelemetry requires of ``url.full``; None if invalid."""
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
