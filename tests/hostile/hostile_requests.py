"""HTTP that no honest client sends, as bytes: on operations of the contract, on other paths, and no HTTP at all."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_from_bytes

from hostile_values import IDS, damaged, number, text

OTHER_PATHS = [
    "/",
    "/assets/",
    "/assets/../token",
    "/assets/%2e%2e/token",
    "/assets/..%2f..%2ftoken",
    "/assets/\\..\\token",
]
OTHER_PATHS += [
    "//",
    "/./",
    "/events/",
    "/events//",
    "/Events",
    "/v1/logs/",
    "/v1/metrics/",
    "/v1/traces/",
    "/token",
    "/.env",
    "/%",
]
METHODS = ["GET"] * 6 + [
    "HEAD",
    "OPTIONS",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "TRACE",
    "CONNECT",
    "PRI",
    "get",
    "FOO",
    "M-SEARCH",
]
NOT_HTTP = [
    b"\r\n\r\n",
    b"\0" * 64,
    b"GET /\r\n\r\n",
    b"GET / HTTP/0.9\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xaa" * 60,
    b"\x05\x01\x00",
    b"SSH-2.0-x\r\n",
    b"GET  /  HTTP/1.1\r\n\r\n",
    b"GET /\tHTTP/1.1\r\nHost: x\r\n\r\n",
    b" GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\nHost: x\n\n",
    b"GET / HTTP/1.1\rHost: x\r\r",
    b'{"jsonrpc":"2.0"}\n',
]
ODD_HEADERS: list[bytes] = [
    b"Host: evil.example",
    b"Host:",
    b"Host: {host}\r\nHost: {host}",
    b"Host: {host}, {host}",
    b"Host: {host}\0",
    b"X: a\r\n b",
    b"X : a",
    b": a",
    b"X\xff: a",
    b"X: \xff\xfe\x80",
    b"X: a\0b",
    b"X(y): a",
    b"X: " + b"a" * 70_000,
    b"\r\n".join(b"X-%d: a" % at for at in range(200)),
    b"Content-Length: -1",
    b"Content-Length: +5",
    b"Content-Length: 0x10",
    b"Content-Length: 1e3",
    b"Content-Length: 5, 5",
    b"Content-Length: 5\r\nContent-Length: 6",
    b"Content-Length: " + b"9" * 400,
    b"Content-Length: \xd9\xa3",
    b"Transfer-Encoding: identity",
    b"Transfer-Encoding: gzip, chunked",
    b"Transfer-Encoding: chunked, identity",
    b"Transfer-Encoding: xchunked",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding : chunked",
    b"Transfer-Encoding:\x0bchunked",
    b"Content-Length: 3\r\nTransfer-Encoding: chunked",
    b"Expect: 100-continue",
    b"Expect: 200-ok",
    b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
    + b"A" * 22
    + b"==",
    b"Connection: close, keep-alive, \xff",
    b"Cookie: inspector-7800=x; a=" + b"b" * 9000,
    b"Cookie: =;;;=\x7f",
    b"Authorization: Bearer",
    b"Authorization: Basic \xff",
    b"Authorization: Bearer a\r\nAuthorization: Bearer b",
    b"Origin: null",
    b"Origin: http://evil.example",
    b"Sec-Fetch-Site: cross-site",
    b"Range: bytes=0-,-1,99999999999999999999-",
    b"If-None-Match: " + b'"a",' * 2000,
    b"If-Modified-Since: yesterday",
    b"Accept-Encoding: gzip;q=nan, *;q=1e99, \xff",
    b"Accept: " + b"*/*," * 2000,
    b"Last-Event-ID: 99999999999999999999999999",
    b"Last-Event-ID: \xff\r\nLast-Event-ID: -1",
    b"X-Forwarded-Host: evil.example\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: https",
    b"X-HTTP-Method-Override: DELETE",
    b"Content-Type: multipart/form-data; boundary=" + b"x" * 5000,
    b"Content-Type: application/x-www-form-urlencoded",
    b"Trailer: Authorization",
]
CHUNKS = [
    b"0\r\n\r\n",
    b"3\r\nabc\r\n0\r\n\r\n",
    b"3;ext=" + b"x" * 3000 + b"\r\nabc\r\n0\r\n\r\n",
    b"0\r\nHost: evil\r\nAuthorization: Bearer x\r\n\r\n",
    b"-1\r\nabc\r\n0\r\n\r\n",
    b"FFFFFFFFFFFFFFFF\r\nabc\r\n",
    b"FFFFFFFFFFFFFFFFFFFFF\r\nabc\r\n",
    b"0x3\r\nabc\r\n0\r\n\r\n",
    b"3 \r\nabc\r\n0\r\n\r\n",
    b"3\nabc\n0\n\n",
    b"3\r\nabcdef\r\n0\r\n\r\n",
    b"g\r\n\r\n",
    b"\r\n\r\n",
    b"1\r\na\r\n" * 500 + b"0\r\n\r\n",
    b"3\r\nab",
]


@dataclass(frozen=True)
class Operation:
    """One of the contract: what its path and its query take."""

    method: str
    path: str
    names: tuple[str, ...]


PAGE = (Operation("GET", "/", ("code",)), Operation("GET", "/assets/{name}", ()))
"""What the browser asks for, which the contract of the API leaves out."""


@dataclass(frozen=True)
class Sent:
    kind: str
    data: bytes
    whole: bool = True
    """Whether the request ends, so that it must be answered; after others the connection is half closed."""
    head: bool = False


@dataclass(frozen=True)
class Requests:
    host: str
    secret: str
    operations: tuple[Operation, ...]
    cursors: tuple[str, ...] = ()
    known: tuple[str, ...] = field(default=("1", "2"))
    """Ids that are in the store."""

    def one(self, rng: random.Random) -> Sent:
        kind = rng.choice(
            (self.query, self.query, self.query, self.path, self.method, self.header, self.framing, self.body)
        )
        return kind(rng)

    def query(self, rng: random.Random) -> Sent:
        """An operation with parameters that it has, and values that they should not have."""
        operation = rng.choice(self.operations)
        names = rng.sample(operation.names, rng.randrange(min(6, len(operation.names)) + 1))
        names += rng.choice(([], [], [text(rng)], names[:1], [f"attr.{text(rng)}"]))
        pairs = "&".join(f"{_quoted(rng, name)}={_quoted(rng, self._value(rng, name))}" for name in names)
        return self._request(
            "query", "GET" if rng.random() < 0.9 else operation.method, f"{self._path(rng, operation)}?{pairs}"
        )

    def _value(self, rng: random.Random, name: str) -> str:
        if name == "cursor" and self.cursors and rng.random() < 0.8:
            known = rng.choice(self.cursors)
            return damaged(rng, known.encode()).decode("latin-1") if rng.random() < 0.8 else known
        if name in ("since", "until", "limit", "buckets", "after", "clip") and rng.random() < 0.6:
            return str(number(rng))
        if name.endswith("_id") and rng.random() < 0.5:
            return rng.choice((*IDS, *self.known))
        usual = {
            "sort": "duration",
            "order": "asc",
            "kind": "llm",
            "status": "error",
            "by": "model",
            "of": "events",
            "full": "true",
        }
        return usual[name] if name in usual and rng.random() < 0.5 else text(rng)

    def _path(self, rng: random.Random, operation: Operation) -> str:
        parts = operation.path.split("/")
        filled = [self._part(rng) if part.startswith("{") else part for part in parts]
        return "/".join(filled)

    def _part(self, rng: random.Random) -> str:
        return rng.choice(self.known) if rng.random() < 0.5 else _quoted(rng, rng.choice((text(rng), rng.choice(IDS))))

    def path(self, rng: random.Random) -> Sent:
        """A path that is none of the contract's, or a target in another form."""
        path = rng.choice(
            (rng.choice(OTHER_PATHS), "/" + _quoted(rng, text(rng)), self._path(rng, rng.choice(self.operations)))
        )
        form = rng.randrange(8)
        if form == 0:
            path = f"http://{rng.choice((self.host, 'evil.example', ''))}{path}"
        elif form == 1:
            path = rng.choice(
                ("*", self.host, "", "?", "#", path[1:], path + "#x", path + ";a=b", path + "/..", path * 9)
            )
        elif form == 2:
            path = path + "?" + "&".join("a=b" for _ in range(rng.choice((1, 50, 8000, 12_000))))
        return self._request("path", "GET", path)

    def method(self, rng: random.Random) -> Sent:
        """Another method than the operation has."""
        method = rng.choice(
            (rng.choice(METHODS), rng.choice(METHODS), "X" * rng.choice((1, 100, 70_000)), "G\0T", "GÉT", "")
        )
        operation = rng.choice(self.operations)
        body = rng.choice((b"", b"{}", rng.randbytes(20)))
        return self._request("method", method, self._path(rng, operation), body=body)

    def header(self, rng: random.Random) -> Sent:
        """Headers that servers and proxies read in different ways."""
        odd = [each.replace(b"{host}", self.host.encode()) for each in rng.sample(ODD_HEADERS, rng.randrange(1, 4))]
        headers = [] if rng.random() < 0.15 else [*self._usual()]
        headers = [each for each in headers if rng.random() < 0.95] + odd
        rng.shuffle(headers)
        path = self._path(rng, rng.choice(self.operations))
        method = rng.choice(("GET", "POST", "DELETE"))
        head = f"{method} {path} HTTP/1.1\r\n".encode("utf-8", "replace") + b"\r\n".join(headers) + b"\r\n\r\n"
        return Sent("header", head + rng.choice((b"", b"abc", b"0\r\n\r\n")), whole=False)

    def framing(self, rng: random.Random) -> Sent:
        """What is no HTTP, or ends where it should go on."""
        kind = rng.randrange(4)
        if kind == 0:
            return Sent("framing", rng.choice((*NOT_HTTP, rng.randbytes(300))), whole=False)
        if kind == 1:
            head = self._head("POST", "/v1/traces", b"Content-Type: application/json", b"Transfer-Encoding: chunked")
            return Sent("framing", head + rng.choice(CHUNKS), whole=False)
        operation = rng.choice(self.operations)
        data = self._request("framing", operation.method, self._path(rng, operation), body=b"{}").data
        data = damaged(rng, data) if kind == 2 else data[: rng.randrange(len(data))]
        return Sent("framing", data * rng.choice((1, 1, 3)), whole=False)

    def body(self, rng: random.Random) -> Sent:
        """A body where none is read, shorter or longer than it is said to be, or several requests at once."""
        operation = rng.choice(self.operations)
        data = rng.randbytes(rng.choice((1, 50, 5000, 2 << 20 if rng.random() < 0.05 else 80)))
        length = rng.choice((len(data), len(data) + 7, max(0, len(data) - 7), 10**12))
        head = self._head(operation.method, self._path(rng, operation), b"Content-Length: %d" % length)
        return Sent("body", (head + data) * rng.choice((1, 1, 2)), whole=False)

    def _request(self, kind: str, method: str, target: str, *, body: bytes = b"") -> Sent:
        length = [b"Content-Length: %d" % len(body)] if body else []
        return Sent(
            kind,
            self._head(method, target, *length) + body,
            whole=method.isalpha() and method.isascii(),
            head=method == "HEAD",
        )

    def _head(self, method: str, target: str, *headers: bytes) -> bytes:
        line = f"{method} {target} HTTP/1.1\r\n".encode("utf-8", "surrogatepass")
        return line + b"\r\n".join([*self._usual(), b"Connection: close", *headers]) + b"\r\n\r\n"

    def _usual(self) -> Iterator[bytes]:
        yield b"Host: " + self.host.encode()
        yield b"Authorization: Bearer " + self.secret.encode()


def operations_of(contract: dict[str, Any]) -> tuple[Operation, ...]:
    shared = contract["components"]["parameters"]
    out: list[Operation] = []
    for path, item in contract["paths"].items():
        for method in ("get", "post", "delete"):
            if method in item:
                given = [*item.get("parameters", []), *item[method].get("parameters", [])]
                found = [shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each for each in given]
                names = tuple(each["name"] for each in found if each["in"] == "query")
                out.append(Operation(method.upper(), path, names))
    return tuple(out)


def _quoted(rng: random.Random, plain: str) -> str:
    data = plain.encode("utf-8", "surrogatepass")
    kind = rng.randrange(10)
    if kind == 0:
        return quote(quote_from_bytes(data))
    if kind == 1:
        return "".join(f"%{byte:02x}" for byte in data[:2000])
    if kind == 2:
        return quote_from_bytes(data.replace(b"%", b"%25")).replace("%", rng.choice(("%", "%%", "%2")))
    if kind == 3:
        return plain.replace(" ", "+").replace("\r", "").replace("\n", "")
    return quote_from_bytes(data)
