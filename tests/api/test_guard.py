import asyncio
from typing import Any

import pytest
from fastapi.routing import APIRoute

from inspector.api.access.guard import Guard
from inspector.api.access.rules import Access, is_open, required_scope
from inspector.api.access.tokens import Token

SECRET = "a-secret-of-the-tests-only"
OWN = "127.0.0.1:7800"


def ask(kind, headers, *, path="/events", method="GET", allowed_hosts=(), server=("127.0.0.1", 7800)):
    """Send the head of a request through a guard; the status it refuses with, or None when it lets it in."""
    reached = []
    sent: list[dict[str, Any]] = []

    async def inner(scope, receive, send):
        reached.append(scope["type"])

    async def receive():
        return {"type": "websocket.connect" if kind == "websocket" else "http.request"}

    async def send(message):
        sent.append(message)

    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "scheme": "http" if kind == "http" else "ws",
        "server": server,
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers],
    }
    if kind == "websocket":
        del scope["method"]
        scope["extensions"] = {"websocket.http.response": {}}
    asyncio.run(Guard(inner, Access(Token(SECRET), allowed_hosts=allowed_hosts))(scope, receive, send))
    if reached:
        assert not sent
        return None
    return sent[0]["status"]


BEARER = ("Authorization", f"Bearer {SECRET}")
KINDS = pytest.mark.parametrize("kind", ["http", "websocket"])


@KINDS
@pytest.mark.parametrize("host", ["127.0.0.1:7800", "localhost:7800", "[::1]:7800", "LOCALHOST:7800"])
def test_the_names_of_this_machine_are_let_in(kind, host):
    assert ask(kind, [("Host", host), BEARER]) is None


@KINDS
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "localhost:7801",
        "localhost:80",
        "localhost:07800",
        "localhost:7800:7800",
        "localhost.:7800",
        "localhost.evil.example:7800",
        "evil.example",
        "evil.example:7800",
        "127.0.0.1.nip.io:7800",
        "0.0.0.0:7800",
        "127.1:7800",
        "0x7f.0.0.1:7800",
        "2130706433:7800",
        "127.0.0.2:7800",
        "[::]:7800",
        "[::ffff:127.0.0.1]:7800",
        "user@localhost:7800",
        "localhost:7800/",
        "localhost:7800, localhost:7800",
        " ",
        "",
    ],
)
def test_any_other_name_is_misdirected(kind, host):
    assert ask(kind, [("Host", host), BEARER]) == 421


@KINDS
def test_no_host_or_two_is_malformed(kind):
    assert ask(kind, [BEARER]) == 400
    assert ask(kind, [("Host", OWN), ("Host", OWN), BEARER]) == 400


@KINDS
def test_a_usual_port_may_be_left_out(kind):
    assert ask(kind, [("Host", "localhost"), BEARER], server=("127.0.0.1", 80)) is None


@KINDS
@pytest.mark.parametrize("host", ["inspect.example", "inspect.example:7800", "[fd00::1]:7800", "box:8080"])
def test_names_from_the_settings_are_let_in(kind, host):
    allowed = ("inspect.example", "[fd00::1]", "Box:8080")
    assert ask(kind, [("Host", host), BEARER], allowed_hosts=allowed) is None


@KINDS
@pytest.mark.parametrize("host", ["inspect.example:1", "box", "box:7800", "sub.inspect.example"])
def test_a_name_from_the_settings_opens_no_other(kind, host):
    allowed = ("inspect.example", "[fd00::1]", "Box:8080")
    assert ask(kind, [("Host", host), BEARER], allowed_hosts=allowed) == 421


@KINDS
@pytest.mark.parametrize("origin", ["http://127.0.0.1:7800", "HTTP://127.0.0.1:7800"])
def test_the_own_origin_is_let_in(kind, origin):
    assert ask(kind, [("Host", OWN), ("Origin", origin), BEARER]) is None


@KINDS
@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "http://127.0.0.1:3000",
        "http://127.0.0.1",
        "http://localhost:7800",
        "https://127.0.0.1:7800",
        "http://127.0.0.1:7800.evil.example",
        "http://127.0.0.1:7800/",
        "file://",
        "chrome-extension://abc",
        "127.0.0.1:7800",
    ],
)
def test_any_other_origin_is_refused_even_with_the_token(kind, origin):
    assert ask(kind, [("Host", OWN), ("Origin", origin), BEARER]) == 403


@KINDS
@pytest.mark.parametrize("host", ["box.example", "box.example:8443"])
def test_pages_of_https_are_let_in_where_a_proxy_is_declared(kind, host):
    page = [("Host", host), ("Origin", f"https://{host}"), BEARER]
    assert ask(kind, page, allowed_hosts=(f"https://{host}",)) is None
    assert ask(kind, page, allowed_hosts=(host,)) == 403
    assert ask(kind, page, allowed_hosts=(host, "https://other.example")) == 403


@KINDS
def test_two_origins_are_refused(kind):
    own = ("Origin", f"http://{OWN}")
    assert ask(kind, [("Host", OWN), own, own, BEARER]) == 403


@KINDS
@pytest.mark.parametrize(
    "site, refused",
    [("same-origin", None), ("none", None), ("same-site", 403), ("cross-site", 403), ("", 403), ("x", 403)],
)
def test_what_the_browser_says_of_the_page_decides(kind, site, refused):
    assert ask(kind, [("Host", OWN), ("Sec-Fetch-Site", site), BEARER]) == refused


NAVIGATION = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]


def test_a_link_elsewhere_may_open_the_start_page_and_nothing_else():
    assert ask("http", [("Host", OWN), *NAVIGATION], path="/") is None
    assert ask("http", [("Host", OWN), *NAVIGATION, BEARER], path="/events") == 403
    assert ask("http", [("Host", OWN), *NAVIGATION, BEARER], path="/healthz") == 403
    assert ask("http", [("Host", OWN), *NAVIGATION, BEARER], path="/", method="POST") == 403
    assert ask("websocket", [("Host", OWN), *NAVIGATION, BEARER], path="/") == 403


@pytest.mark.parametrize("dest", ["iframe", "embed", "object", "empty", "script", "image"])
def test_a_page_elsewhere_may_not_frame_the_start_page(dest):
    headers = [("Host", OWN), *NAVIGATION[:2], ("Sec-Fetch-Dest", dest)]
    assert ask("http", headers, path="/") == 403


@KINDS
@pytest.mark.parametrize(
    "header",
    [
        [],
        [("Authorization", "Bearer wrong")],
        [("Authorization", f"Basic {SECRET}")],
        [("Authorization", SECRET)],
        [("Authorization", "Bearer ")],
        [("Authorization", f"Bearer {SECRET}x")],
        [("Authorization", f"Bearer {SECRET[:-1]}")],
        [("Authorization", "Bearer é")],
        [BEARER, BEARER],
        [("Cookie", f"inspector-7800={SECRET[:-1]}")],
        [("Cookie", f"inspector-7801={SECRET}")],
        [("Cookie", "\x7f=;;;=")],
        [("X-Forwarded-For", "127.0.0.1"), ("X-Token", SECRET)],
    ],
)
def test_without_a_good_token_nothing_is_shown(kind, header):
    assert ask(kind, [("Host", OWN), *header]) == 401


@KINDS
def test_a_bad_bearer_token_is_not_mended_by_a_good_cookie(kind):
    cookie = ("Cookie", f"inspector-7800={Token(SECRET).derive('browser')}")
    assert ask(kind, [("Host", OWN), cookie]) is None
    assert ask(kind, [("Host", OWN), cookie, ("Authorization", "Bearer wrong")]) == 401


@pytest.mark.parametrize(
    "odd", ['prefs={"theme":"dark"}', "x=a b", "flag", "[j]=1", "=", "", "inspector-7800x=no", 'q="']
)
def test_the_cookie_is_found_beside_odd_ones_of_other_programs(odd):
    own = f"inspector-7800={Token(SECRET).derive('browser')}"
    for header in (f"{odd}; {own}", f"{own}; {odd}", f"{odd};{own};{odd}"):
        assert ask("http", [("Host", OWN), ("Cookie", header)]) is None
    assert ask("http", [("Host", OWN), ("Cookie", odd)]) == 401


@pytest.mark.parametrize(
    "scope, method, path, refused",
    [
        ("read", "GET", "/events", None),
        ("read", "HEAD", "/events", None),
        ("read", "DELETE", "/traces/1", 403),
        ("read", "POST", "/v1/traces", 403),
        ("read", "POST", "/codes", 403),
        ("ingest", "POST", "/codes", 403),
        ("control", "POST", "/codes", None),
        ("ingest", "GET", "/events", 403),
        ("ingest", "POST", "/v1/traces", None),
        ("read", "POST", "/v1/logs", 403),
        ("ingest", "POST", "/v1/logs", None),
        ("read", "POST", "/v1/metrics", 403),
        ("ingest", "POST", "/v1/metrics", None),
        ("ingest", "DELETE", "/traces/1", 403),
        ("control", "DELETE", "/traces/1", None),
        ("control", "GET", "/events", None),
        ("control", "POST", "/v1/traces", 403),
        ("control", "FROB", "/whatever", None),
        ("read", "FROB", "/whatever", 403),
    ],
)
def test_a_token_does_what_its_scope_says(scope, method, path, refused):
    bearer = ("Authorization", f"Bearer {Token(SECRET).derive(scope)}")
    assert ask("http", [("Host", OWN), bearer], method=method, path=path) == refused


@pytest.mark.sweep(6)
@pytest.mark.parametrize("method", ["TRACE", "QUERY", "PUT", "PATCH", "POST", "DELETE", "FROB"])
@pytest.mark.parametrize("path", ["/healthz", "/events", f"/traces/{1:032x}/outline"])
def test_a_method_that_no_route_takes_is_405_for_every_token_and_401_without(client, stranger, path, method):
    for scope in ("read", "ingest", "control"):
        answer = client.request(method, path, headers={"Authorization": f"Bearer {Token(SECRET).derive(scope)}"})
        assert answer.status_code == 405
        assert answer.headers["allow"] == "GET, HEAD, OPTIONS"
    assert stranger.request(method, path).status_code == 401


def test_who_has_no_token_or_too_little_of_one_reads_how_to_get_it(client, stranger):
    assert "'inspector token'" in stranger.get("/events").json()["detail"]
    reader = {"Authorization": f"Bearer {Token(SECRET).derive('read')}"}
    assert client.delete(f"/traces/{1:032x}", headers=reader).json()["detail"] == (
        "this token lacks the scope 'control'; it has: read; 'inspector token --scope control' prints one that has it"
    )


def test_a_method_that_a_route_takes_needs_its_scope_first(client):
    reader = {"Authorization": f"Bearer {Token(SECRET).derive('read')}"}
    assert client.request("DELETE", f"/traces/{1:032x}", headers=reader).status_code == 403
    assert client.request("POST", "/v1/traces", headers=reader).status_code == 403


@pytest.mark.parametrize(
    "further, refused",
    [
        ([], 403),
        ([("Origin", f"http://{OWN}")], None),
        ([("Sec-Fetch-Site", "same-origin")], None),
        ([("Sec-Fetch-Site", "none")], 403),
    ],
)
def test_a_cookie_changes_something_only_from_an_own_page(further, refused):
    cookie = ("Cookie", f"inspector-7800={Token(SECRET).derive('browser')}")
    assert ask("http", [("Host", OWN), cookie, *further], method="DELETE", path="/traces/1") == refused


def test_a_request_without_a_listed_route_needs_the_strongest_scope():
    assert required_scope("PURGE", "/anything") == "control"


@pytest.mark.parametrize(
    "headers, path, status",
    [
        ([("X", "y" * 50_000)], "/events", 431),
        ([("Cookie", "a=b")] * 129, "/events", 431),
        ([("X", "y" * 30_000), ("X", "y" * 30_000)], "/events", 431),
        ([], "/events?" + "q" * 33_000, 414),
        ([("Content-Length", "1048577")], "/events", 413),
        ([("Content-Length", "9" * 400)], "/events", 413),
        ([("Content-Length", "-1")], "/events", 400),
        ([("Content-Length", "²")], "/events", 400),
    ],
)
def test_totals_are_limited_before_anything_else_is_read(headers, path, status):
    assert ask("http", [("Host", "evil.example"), *headers], path=path) == status


def test_every_route_asks_for_a_token_and_deleting_for_control(app, stranger, problem):
    walked = 0
    for route in app.router.routes:
        path = (
            route.path.replace("{trace_id}", "1" * 32)
            .replace("{span_id}", "1" * 16)
            .replace("{run_id}", "r")
            .replace("{label_id}", "1")
            .replace("{session_id:path}", "s")
        )
        path += "?session_id=s" if path == "/session" else ""
        for method in route.methods:
            walked += 1
            response = stranger.request(method, path)
            if is_open(path):
                assert response.status_code in ((204, 404) if path.startswith("/assets/") else (200, 204)), (
                    method,
                    path,
                )
                continue
            assert response.status_code == 401, (method, path)
            assert response.headers["www-authenticate"].startswith("Bearer")
            if isinstance(route, APIRoute) and method == "DELETE":
                reader = {"Authorization": f"Bearer {Token(SECRET).derive('read')}"}
                remover = {"Authorization": f"Bearer {Token(SECRET).derive('control')}"}
                assert stranger.request(method, path, headers=reader).status_code == 403
                assert stranger.request(method, path, headers=remover).status_code == 404
    assert walked > 30
    assert stranger.get("/nothing/here").status_code == 401
    assert [stranger.get(path).status_code for path in ("/assets", "/assetsx", "//assets/x", "/x/assets/y")] == [
        401
    ] * 4
    assert problem(stranger.post("/"))["status"] == 401


def test_every_answer_carries_the_security_headers(client, stranger):
    answers = [
        client.get("/"),
        client.get("/healthz"),
        client.get("/events"),
        client.get("/nothing"),
        client.post("/events"),
        client.options("/events"),
        client.get("/events?limit=0"),
        client.get("/events/stream"),
        stranger.get("/events"),
        stranger.get("/events", headers={"Host": "evil.example"}),
    ]
    assert [each.status_code for each in answers] == [200, 200, 200, 404, 405, 204, 422, 200, 401, 421]
    for answer in answers:
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert not any(name.startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize("heard", [0, 1])
@pytest.mark.parametrize("path", ["/healthz", "/events", "/events/stream", "/nothing"])
def test_a_server_that_tells_by_an_error_that_the_client_has_gone_hears_and_logs_none(app, caplog, path, heard):
    sent = []

    async def send(message):
        if len(sent) == heard:
            raise ConnectionResetError("the client has gone")
        sent.append(message)

    async def main():
        asked = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive():
            return asked.pop() if asked else await asyncio.Event().wait()

        headers = [("Host", OWN), BEARER]
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "scheme": "http",
            "server": ("127.0.0.1", 7800),
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
        }
        async with asyncio.timeout(10):
            await app(scope, receive, send)

    asyncio.run(main())
    assert len(sent) == heard
    assert caplog.records == []
    assert app.state.service.live.clients == 0


def test_a_failing_route_tells_the_client_nothing(app, client, problem, caplog):
    @app.get("/boom")
    def boom() -> None:
        raise RuntimeError("the inner secret")

    answer = client.get("/boom")
    assert answer.status_code == 500
    assert "inner secret" not in answer.text
    assert problem(answer)["title"] == "Internal Server Error"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "the inner secret" in caplog.text
