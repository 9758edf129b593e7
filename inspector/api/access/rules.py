"""Who may do what, decided from the head of a request alone, before anything else reads it.

A page of another origin can make this machine's browser send requests here. So ``Host``, ``Origin`` and
``Sec-Fetch-Site`` are checked first, then the token.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from starlette.types import Scope as AsgiScope

from inspector.api.access.codes import OneTimeCodes
from inspector.api.access.tokens import NOTHING, Scope, Token
from inspector.api.errors import Problem
from inspector.otlp import MOST_BYTES

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
OPEN_PATHS = ("/", "/healthz")
OPEN_PREFIX = "/assets/"
"""With ``OPEN_PATHS``, the paths that need no token. None of them shows anything that was recorded."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing; all others do."""

MOST_ADDRESS_BYTES = 32 << 10
MOST_HEADER_BYTES = 48 << 10
MOST_HEADERS = 128
MOST_BODY_BYTES = 1 << 20
MOST_EXPORT_BYTES = MOST_BYTES
"""The limit of an OTLP body; it is checked before the whole body is in memory."""
_TLS = "https://"
EXPORT_PATHS = ("/v1/traces", "/v1/metrics", "/v1/logs")


@dataclass(frozen=True, slots=True)
class Access:
    """What a server lets in: its token, its one-time codes, and its host names."""

    token: Token
    codes: OneTimeCodes = field(default_factory=OneTimeCodes)
    allowed_hosts: tuple[str, ...] = ()
    """Host names besides the loopback ones, each ``host`` or ``host:port``; with ``https://`` if a proxy speaks TLS."""

    def refuse(self, head: "Head", *, routed: bool = True) -> Problem | None:
        """Return the problem with which a request is refused, or None to let it in.

        Args:
            head: The head of the request.
            routed: Whether a route takes this method on this path. If none does, the answer is 405 or 404, which
                anyone with a token may see.
        """
        return (
            too_large(head)
            or wrong_host(head, self.allowed_hosts)
            or foreign_page(head, self.allowed_hosts)
            or self._without_token(head, routed=routed)
        )

    def scopes(self, head: "Head") -> frozenset[Scope]:
        """Return the scopes of the sender, by its bearer token, or by its cookie if it sends no such header."""
        values = head.all("authorization")
        if values:
            scheme, _, text = values[0].partition(" ")
            return self.token.scopes(text.strip()) if len(values) == 1 and scheme.lower() == "bearer" else NOTHING
        cookie = head.cookie(cookie_name(head.port))
        return self.token.scopes(cookie) if cookie is not None else NOTHING

    def _without_token(self, head: "Head", *, routed: bool) -> Problem | None:
        if is_open(head.path) and head.kind == "http" and head.method in SAFE_METHODS:
            return None
        scopes = self.scopes(head)
        needed = required_scope(head.method, head.path)
        if not scopes:
            detail = (
                "needs a token: send 'Authorization: Bearer <token>' with what 'inspector token' prints, "
                "or sign a browser in with 'inspector open'"
            )
            return Problem(401, detail, headers={"WWW-Authenticate": 'Bearer realm="inspector"'})
        if not routed:
            return None
        if needed not in scopes:
            has = f"this token lacks the scope {needed!r}; it has: {', '.join(sorted(scopes))}"
            return Problem(403, f"{has}; 'inspector token --scope {needed}' prints one that has it")
        if head.method not in SAFE_METHODS and not head.all("authorization") and not from_own_page(head):
            return Problem(403, "with a cookie, only the server's own pages may change something; send a bearer token")
        return None


@dataclass(frozen=True, slots=True)
class Head:
    """The parts of a request that access depends on."""

    kind: str
    """``http`` or ``websocket``."""
    method: str
    path: str
    """Relative to the prefix where the application is mounted, decoded once."""
    address_bytes: int
    scheme: str
    port: int | None
    """The port on which the connection arrived; None for a Unix socket."""
    headers: tuple[tuple[str, str], ...]
    """Names in lowercase."""

    def all(self, name: str) -> list[str]:
        """All values of a header, in their order."""
        return [value for key, value in self.headers if key == name]

    def cookie(self, name: str) -> str | None:
        """Return the value of a cookie, or None."""
        # Other programs on this host share the header, and `http.cookies` reads nothing after a pair it finds odd.
        for header in self.all("cookie"):
            for pair in header.split(";"):
                key, _, value = pair.strip().partition("=")
                if key == name:
                    return value
        return None


def head_of(scope: AsgiScope) -> Head:
    """Read the head of an ASGI ``http`` or ``websocket`` scope."""
    server = scope.get("server")
    return Head(
        kind=scope["type"],
        method=scope.get("method", "GET"),
        path=own_path(scope),
        address_bytes=len(scope.get("raw_path") or scope["path"].encode("utf-8", "replace"))
        + len(scope.get("query_string", b"")),
        scheme=scope.get("scheme", "http"),
        port=server[1] if server else None,
        headers=tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]),
    )


def own_path(scope: AsgiScope) -> str:
    """Return the path relative to the prefix where the application is mounted."""
    path: str = scope["path"]
    prefix: str = scope.get("root_path", "").rstrip("/")
    if prefix and (path == prefix or path.startswith(f"{prefix}/")):
        return path[len(prefix) :] or "/"
    return path


def is_open(path: str) -> bool:
    """Whether reading a path needs no token."""
    return path in OPEN_PATHS or path.startswith(OPEN_PREFIX)


def cookie_name(port: int | None) -> str:
    """Return the name of the cookie. Browsers share cookies between the ports of a host, so each port has its own."""
    return f"inspector-{port or 0}"


def required_scope(method: str, path: str) -> Scope:
    """Return the scope that a request needs; whatever is not known to be harmless needs the strongest."""
    if method in SAFE_METHODS:
        return "read"
    if method == "POST" and path in EXPORT_PATHS:
        return "ingest"
    return "control"


def too_large(head: Head) -> Problem | None:
    """Refuse what is larger than any honest request, by its totals."""
    if head.address_bytes > MOST_ADDRESS_BYTES:
        return Problem(414, f"path and query may have at most {MOST_ADDRESS_BYTES} bytes")
    size = sum(len(name) + len(value) for name, value in head.headers)
    if size > MOST_HEADER_BYTES or len(head.headers) > MOST_HEADERS:
        return Problem(431, f"send at most {MOST_HEADERS} headers, with {MOST_HEADER_BYTES} bytes in total")
    for length in head.all("content-length"):
        if not length.isdecimal() or not length.isascii():
            return Problem(400, "Content-Length must be a decimal number")
        most = MOST_EXPORT_BYTES if head.path in EXPORT_PATHS else MOST_BODY_BYTES
        if len(length) > 15 or int(length) > most:
            return Problem(413, f"a body may have at most {most} bytes here")
    return None


def wrong_host(head: Head, allowed_hosts: tuple[str, ...]) -> Problem | None:
    """Refuse a host that is not this server's: a page can point its own name at this machine (DNS rebinding)."""
    hosts = head.all("host")
    if len(hosts) != 1:
        return Problem(400, "send exactly one Host header")
    if hosts[0].lower() not in _authorities(head.port, head.scheme, allowed_hosts):
        return Problem(
            421, "that Host is not a name of this server; use 127.0.0.1 or localhost, or set INSPECTOR_ALLOWED_HOSTS"
        )
    return None


@lru_cache(maxsize=64)
def _authorities(port: int | None, scheme: str, allowed_hosts: tuple[str, ...]) -> frozenset[str]:
    usual = {"http": 80, "ws": 80, "https": 443, "wss": 443}.get(scheme)
    bare = port is None or port == usual
    authorities = {f"{name}:{port}" for name in LOOPBACK_NAMES}
    authorities.update(LOOPBACK_NAMES if bare else ())
    for name in allowed_hosts:
        authorities |= _addresses(name, port)
    return frozenset(authorities)


def _addresses(name: str, port: int | None) -> set[str]:
    """Return the spellings of an allowed name in ``Host``."""
    lowered = name.strip().lower().removeprefix(_TLS)
    return {lowered} if ":" in lowered.rpartition("]")[2] else {lowered, f"{lowered}:{port}"}


def foreign_page(head: Head, allowed_hosts: tuple[str, ...]) -> Problem | None:
    """Refuse requests that a page of another origin caused, except opening the start page."""
    sites = Counter(site.lower() for site in head.all("sec-fetch-site"))
    origins = head.all("origin")
    if any(not is_own_origin(origin, head, allowed_hosts) for origin in origins) or len(origins) > 1:
        detail = "requests from pages of another origin are refused; a proxy's goes into INSPECTOR_ALLOWED_HOSTS"
        return Problem(403, detail)
    if set(sites) - {"same-origin", "none"} and not _opens_start_page(head):
        return Problem(403, "requests from pages of another site are refused")
    return None


def _opens_start_page(head: Head) -> bool:
    return (
        head.kind == "http"
        and head.method == "GET"
        and head.path == "/"
        and head.all("sec-fetch-mode") == ["navigate"]
        and head.all("sec-fetch-dest") == ["document"]
    )


def is_own_origin(origin: str, head: Head, allowed_hosts: tuple[str, ...]) -> bool:
    """Whether an ``Origin`` is exactly the one that the request is addressed to; ``null`` never is.

    A page of ``https`` has another origin than this server, which speaks plain HTTP, unless a proxy is configured.
    """
    scheme, _, authority = origin.lower().partition("://")
    if [authority] != [host.lower() for host in head.all("host")]:
        return False
    own = "https" if head.scheme in ("https", "wss") else "http"
    declared = (name for name in allowed_hosts if name.strip().lower().startswith(_TLS))
    return scheme == own or (scheme == "https" and any(authority in _addresses(name, head.port) for name in declared))


def from_own_page(head: Head) -> bool:
    """Whether the browser itself says that one of the server's own pages sent the request."""
    return bool(head.all("origin")) or [site.lower() for site in head.all("sec-fetch-site")] == ["same-origin"]
