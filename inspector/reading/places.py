"""Where a call went: the URL of a model or a server, or the command that starts one, as recorded and as attributes."""

from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from inspector import semconv as sc
from inspector.plain import Plain
from inspector.reading.description import Attribute

if TYPE_CHECKING:
    from inspector.redaction import Redactor

_PORTS: Final = {"http": 80, "https": 443}
_QUERY: Final = frozenset({"api-version"})
"""Query parameters that are kept: Azure's version of the API. Others may be keys."""


def place_without_secrets(place: Plain, redactor: "Redactor") -> Plain:
    """Return the recorded form of a URL or a command; None for one that is not valid."""
    if isinstance(place, list):
        words, _ = redactor.redact_value(sc.RPC_SERVER_COMMAND, place)
        return words if isinstance(words, list) else None
    address = _address(place)
    return None if address is None else redactor.redact_text(sc.URL_FULL, _without_credentials(*address))


def place_attributes(place: Plain) -> dict[str, Attribute]:
    """Return the attributes for a place as it was recorded."""
    if isinstance(place, list):
        return {sc.RPC_SERVER_COMMAND: list(map(str, place))}
    address = _address(place)
    if not isinstance(place, str) or address is None:
        return {}
    url, host, port = address
    return {
        sc.URL_FULL: place,
        sc.SERVER_ADDRESS: host,
        sc.SERVER_PORT: _PORTS[url.scheme] if port is None else port,
    }


def _address(url: Plain) -> tuple[SplitResult, str, int | None] | None:
    """Return a URL with its host and port; None for anything else."""
    if not isinstance(url, str):
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    return (parts, host, port) if host and parts.scheme in _PORTS else None


def _without_credentials(url: SplitResult, host: str, port: int | None) -> str:
    """Return a URL without user, password and query, as OpenTelemetry requires of ``url.full``."""
    authority = f"[{host}]" if ":" in host else host
    if port is not None:
        authority += f":{port}"
    query = urlencode([each for each in parse_qsl(url.query) if each[0] in _QUERY])
    return urlunsplit((url.scheme, authority, url.path, query, ""))
