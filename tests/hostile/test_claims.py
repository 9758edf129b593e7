"""What docs/security.md says, asked of a real server; and that each test it names is there."""

import json
import re
from pathlib import Path

import pytest
from sending import exchange

from inspector.api import Token

ROOT = Path(__file__).parents[2]
SECRET = "a-secret-of-the-tests-only"
SENT_ALWAYS = {
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
LINK = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")
UPGRADE = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {'A' * 22}==")
TRACE = "1" * 32
MIB = 1 << 20


def ask(server, line, *headers, token=SECRET, host=None, whole=True):
    bearer = [f"Authorization: Bearer {token}"] if token else []
    head = "\r\n".join([f"{line} HTTP/1.1", f"Host: {host or server.host}", "Connection: close", *bearer, *headers])
    name, _, port = server.host.rpartition(":")
    return exchange((name, int(port)), f"{head}\r\n\r\n".encode(), whole=whole)


REFUSED = {
    "a long address": (414, "GET /events?q=" + "a" * 33_000, ()),
    "many headers": (431, "GET /events", tuple(f"X-{at}: a" for at in range(128))),
    "large headers": (431, "GET /events", ("X: " + "a" * 50_000,)),
    "a large head": (431, "GET /events", ("X: " + "a" * 70_000,)),
    "another page": (403, "GET /events", ("Origin: http://evil.example",)),
    "no page": (403, "GET /events", ("Origin: null",)),
    "another site": (403, "GET /events", ("Sec-Fetch-Site: cross-site",)),
    "a link elsewhere": (403, "GET /events", LINK),
    "a question of a browser for another page": (403, "OPTIONS /events", ("Origin: http://evil.example",)),
    "a method in a header": (405, "PUT /events", ("X-HTTP-Method-Override: GET",)),
    "an encoding of nobody": (400, "GET /events", ("Transfer-Encoding: gzip, chunked",)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_page_says_is_refused_is_refused_without_a_word_too_many(server, name):
    status, line, headers = REFUSED[name]
    answer = ask(server, line, *headers)
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert json.loads(answer.body)["status"] == status
    assert {key: answer.headers[key][: len(value)] for key, value in SENT_ALWAYS.items()} == SENT_ALWAYS
    assert not [key for key in answer.headers if key.startswith("access-control")]


@pytest.mark.parametrize(
    "path, most",
    [
        (f"DELETE /traces/{TRACE}", MIB),
        *((f"POST /v1/{signal}", 64 * MIB) for signal in ("traces", "logs", "metrics")),
    ],
)
def test_a_body_that_says_it_is_too_large_is_not_waited_for(server, path, most):
    headers = ("Content-Type: application/json", f"Content-Length: {most + 1}")
    assert ask(server, path, *headers, whole=False).status == 413


@pytest.mark.parametrize("path", ["/events", "/readyz", "/metrics", "/openapi.json", "/traces", "/sessions", "/stats"])
def test_nothing_is_shown_without_a_token(server, path):
    assert ask(server, f"GET {path}", token=None).status == 401
    assert ask(server, f"GET {path}", *UPGRADE, token=None).status == 401
    assert ask(server, f"GET {path}", "X-Forwarded-Host: x", host="evil.example").status == 421


def test_the_page_and_the_life_sign_are_open_and_show_nothing(server):
    assert ask(server, "GET /healthz", token=None).status == 200
    page = ask(server, "GET /", *LINK, token=None)
    assert page.status == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert ask(server, "GET /assets/../token", token=None).status in (401, 404)


@pytest.mark.parametrize("scope, line, status", [
    ("read", "GET /events", 200),
    ("read", f"DELETE /traces/{TRACE}", 403),
    ("read", "POST /v1/traces", 403),
    ("read", "POST /v1/logs", 403),
    ("read", "POST /v1/metrics", 403),
    ("ingest", "GET /events", 403),
    ("ingest", f"DELETE /traces/{TRACE}", 403),
    ("control", f"DELETE /traces/{TRACE}", 404),
    ("control", "POST /v1/traces", 403),
])  # fmt: skip
def test_a_token_of_a_scope_does_that_and_nothing_else(server, scope, line, status):
    assert ask(server, line, token=Token(SECRET).derive(scope)).status == status


def test_strangers_fill_no_log_and_no_token_is_in_it(server):
    before = server.log.stat().st_size
    name, _, port = server.host.rpartition(":")
    for data in (b"\0\1\2\r\n\r\n", b"GET / HTTP/1.1\r\nX : a\r\n\r\n", b"\xff" * 70_000):
        answer = exchange((name, int(port)), data, whole=False)
        assert answer.status in (0, 400)
        assert not answer.status or "content-security-policy" in answer.headers
    ask(server, "GET /events", *UPGRADE)
    assert server.log.stat().st_size == before
    assert SECRET not in server.log.read_text()


def test_every_test_that_the_pages_name_is_there():
    for page in ("SECURITY.md", "docs/security.md", "docs/redaction.md"):
        named = re.findall(r"`(tests/[\w/.]+?)(?:::(\w+))?`", (ROOT / page).read_text())
        for path, test in named:
            assert (ROOT / path).exists(), f"{page}: {path}"
            assert not test or f"def {test}(" in (ROOT / path).read_text(), f"{page}: {path}::{test}"
    assert len(set(re.findall(r"`tests/[\w/.]+::", (ROOT / "docs/security.md").read_text()))) > 8
