"""The endpoint that recorded spans are sent to."""

from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address
from typing import Literal, Self
from urllib.parse import unquote, urlsplit

from inspector.otlp import Encoding

Protocol = Literal["http/protobuf", "http/json"]
"""How requests are encoded, by OpenTelemetry's names (OTEL_EXPORTER_OTLP_PROTOCOL)."""

_TRACES = "/v1/traces"


class EndpointInvalid(ValueError):
    """An invalid endpoint; the message names the wrong setting and its format."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OTLP/HTTP receiver of traces."""

    url: str
    """The full address, including ``/v1/traces``."""
    headers: tuple[tuple[str, str], ...] = ()
    protocol: Protocol = "http/protobuf"

    @classmethod
    def of(cls, url: str, *, headers: str = "", protocol: Protocol = "http/protobuf") -> Self:
        """Read an endpoint as OpenTelemetry's exporters do.

        Args:
            url: The base, to which ``/v1/traces`` is added unless it already ends in that.
            headers: ``key=value`` pairs separated by commas, values percent-encoded, as in OTEL_EXPORTER_OTLP_HEADERS
                (https://opentelemetry.io/docs/specs/otel/protocol/exporter/#specifying-headers-via-environment-variables).
            protocol: How requests are encoded.

        Raises:
            EndpointInvalid: The URL or the headers are not well formed.
        """
        try:
            parts = urlsplit(url.strip())
            _ = parts.port
        except ValueError as error:
            raise EndpointInvalid(f"the endpoint {_shown(url)} is not an address: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise EndpointInvalid(
                f"the endpoint {_shown(url)} is not the address of a server; write it as http://127.0.0.1:7800"
            )
        if parts.username or parts.password or parts.query or parts.fragment:
            raise EndpointInvalid(
                "the endpoint takes no user name and no query; credentials go into INSPECTOR_ENDPOINT_HEADERS"
            )
        path = parts.path.rstrip("/")
        path = path if path.endswith(_TRACES) else path + _TRACES
        return cls(f"{parts.scheme}://{parts.netloc}{path}", headers_of(headers), protocol)

    @classmethod
    def chosen(cls, argument: str | None, *, configured: str | None, headers: str, protocol: Protocol) -> Self | None:
        """Return the given endpoint, else the configured one, else None.

        Headers are only for the endpoint that they are configured with: they may hold credentials.

        Raises:
            EndpointInvalid: The URL or the headers are not well formed.
        """
        url = argument or configured
        if url is None:
            return None
        endpoint = cls.of(url, protocol=protocol)
        is_theirs = configured is None or endpoint.url == cls.of(configured).url
        return cls.of(url, headers=headers, protocol=protocol) if is_theirs else endpoint

    @property
    def encoding(self) -> Encoding:
        """How requests are encoded."""
        return "json" if self.protocol == "http/json" else "protobuf"

    @property
    def key(self) -> str:
        """The name of the directory for waiting files: the same for the same address."""
        return sha256(self.url.encode()).hexdigest()[:16]

    @property
    def is_loopback(self) -> bool:
        """Whether the address is on this machine, so that no proxy is used."""
        host = urlsplit(self.url).hostname or ""
        try:
            return host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            return False


def _shown(url: str) -> str:
    """Quote an address for a message that may be logged, without credentials before its host."""
    credentials, at, host = url.rpartition("@")
    return repr(f"…@{host}" if at and credentials else url)


def headers_of(text: str) -> tuple[tuple[str, str], ...]:
    """Read the headers of an endpoint, as `Endpoint.of` takes them.

    Raises:
        EndpointInvalid: They are not well formed.
    """
    pairs: list[tuple[str, str]] = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        key, equals, value = part.partition("=")
        key, value = unquote(key.strip()), unquote(value.strip())
        if not equals or not key.isascii() or not key.replace("-", "").replace("_", "").isalnum():
            raise EndpointInvalid(
                f"INSPECTOR_ENDPOINT_HEADERS: part {len(pairs) + 1} is not written as in Authorization=Bearer%20secret"
            )
        if not value.isprintable() or max(value, default="") > "\xff":
            raise EndpointInvalid(
                f"INSPECTOR_ENDPOINT_HEADERS has a line break or what else no header holds in the value of {key}"
            )
        pairs.append((key, value))
    return tuple(pairs)
