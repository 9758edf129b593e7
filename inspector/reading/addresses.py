"""The address that a call went to, in OpenTelemetry's conventions."""

from typing import Final
from urllib.parse import urlsplit

from inspector import semconv as sc
from inspector.plain import Plain
from inspector.reading.description import Attribute

PORTS: Final = {"http": 80, "https": 443}


def place_attributes(place: Plain) -> dict[str, Attribute]:
    """Return the attributes for the address of a model or a server.

    Args:
        place: Its URL as it was recorded, or the words of the command that starts it.
    """
    if isinstance(place, list):
        return {sc.RPC_SERVER_COMMAND: list(map(str, place))}
    if not isinstance(place, str):
        return {}
    try:
        parts = urlsplit(place)
        host, port = parts.hostname, parts.port
    except ValueError:
        return {}
    if not host or parts.scheme not in PORTS:
        return {}
    return {
        sc.URL_FULL: place,
        sc.SERVER_ADDRESS: host,
        sc.SERVER_PORT: PORTS[parts.scheme] if port is None else port,
    }
