import http.client
import json

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from inspector.api import mount
from inspector.api.packed import packed_web_app, read_web_app

BASE = "http://127.0.0.1:7800"
PAGE = '<!doctype html><title>Inspector</title><script type="module" src="./assets/index-a1b2.js"></script>'
FILES = {
    "index-a1b2.js": ("text/javascript; charset=utf-8", b"export {};"),
    "index-c3d4.css": ("text/css; charset=utf-8", b":root{}"),
    "inter-e5f6.woff2": ("font/woff2", b"wOF2"),
    "mark-0708.svg": ("image/svg+xml", b"<svg/>"),
}
POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
}


@pytest.fixture
def dist(tmp_path):
    """What a build leaves, and things that are none of the app."""
    made = tmp_path / "dist"
    (made / "assets" / "folder").mkdir(parents=True)
    (made / "index.html").write_text(PAGE)
    for name, (_, body) in FILES.items():
        (made / "assets" / name).write_bytes(body)
    (made / "assets" / "folder" / "inner.js").write_text("")
    (made / "assets" / "notes.txt").write_text("not served")
    (made / "secret.js").write_text("not served")
    (made / ".stamp").write_text("not served")
    return made


@pytest.fixture
def web(app, dist):
    app.state.web = read_web_app(dist)
    return app.state.web


def test_the_page_is_the_built_document_for_everybody(web, client, stranger):
    for answer in (client.get("/"), stranger.get("/")):
        assert (answer.status_code, answer.text) == (200, PAGE)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"


def test_the_page_may_load_its_own_files_and_nothing_else(web, stranger):
    assert set(stranger.get("/").headers["content-security-policy"].split("; ")) == POLICY


def test_an_answer_that_is_not_the_page_may_load_nothing(web, client):
    for path in ("/events", "/openapi.json", "/nothing", "/assets/index-a1b2.js", "/assets/mark-0708.svg"):
        policy = client.get(path).headers["content-security-policy"]
        assert policy == "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_app_needs_no_token_and_is_kept_for_ever(web, stranger, name):
    media_type, body = FILES[name]
    answer = stranger.get(f"/assets/{name}")
    assert (answer.status_code, answer.content) == (200, body)
    assert answer.headers["content-type"] == media_type
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/assets/index-a1b2.js"])
def test_head_tells_the_size_and_sends_nothing(web, serve_app, app, path):
    with serve_app(app) as port, TestClient(app, base_url=f"http://127.0.0.1:{port}") as client:
        whole, head = client.get(path), client.head(path)
    assert head.status_code == 200
    assert head.headers["content-length"] == str(len(whole.content))
    assert {**head.headers} == {**whole.headers}


@pytest.mark.parametrize("path", ["/", "/assets/index-a1b2.js", "/assets/none.js"])
def test_the_page_and_its_files_are_only_looked_at(web, client, problem, path):
    assert client.options(path).headers["allow"] == "GET, HEAD, OPTIONS"
    for method in ("POST", "PUT", "DELETE"):
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
        problem(answer)


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    "path",
    [
        "/assets/",
        "/assets/none.js",
        "/assets/notes.txt",
        "/assets/INDEX-A1B2.JS",
        "/assets/folder/inner.js",
        "/assets/folder",
        "/assets/../index.html",
        "/assets/../secret.js",
        "/assets/..%2fsecret.js",
        "/assets/..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/assets/%2e%2e/secret.js",
        "/assets/..%5csecret.js",
        "/assets/%2fetc%2fpasswd",
        "/assets//etc/passwd",
        "/assets/index-a1b2.js%00",
        "/assets/index-a1b2.js/",
        "/assets/.stamp",
        "/assets/%252e%252e%252fsecret.js",
        "/assets/%e2%80%aeindex",
    ],
)
def test_what_is_no_file_of_the_app_is_not_found(web, app, serve_app, path):
    with serve_app(app) as port:
        # A client of the standard library, because it sends a path as it is written.
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert json.loads(body)["status"] == 404


@pytest.mark.parametrize(
    "headers, status",
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "font"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "script"}, 200),
    ],
)
def test_a_page_elsewhere_cannot_load_the_apps_files(web, stranger, headers, status):
    assert stranger.get("/assets/index-a1b2.js", headers=headers).status_code == status


def test_an_app_that_was_not_built_says_how_to_build_it_and_the_api_works(app, client, stranger, tmp_path):
    app.state.web = read_web_app(tmp_path)
    page = stranger.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "make web" in page.text
    assert stranger.get("/assets/index-a1b2.js").status_code == 404
    assert client.get("/events").status_code == 200


def test_an_application_serves_the_app_that_came_with_the_package(app):
    assert app.state.web is packed_web_app()


def test_an_address_of_the_api_stays_what_it_is_in_a_browser(web, client, stranger, problem):
    typed = {
        "Sec-Fetch-Site": "none",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
        "Accept": "text/html",
    }
    assert client.get("/events", headers=typed).json() == {"items": [], "next_cursor": None}
    assert problem(stranger.get("/events", headers=typed))["status"] == 401


def test_a_one_time_code_becomes_a_cookie_and_works_once(web, app, stranger, problem):
    code = app.state.service.access.codes.create()
    assert stranger.head(f"/?code={code}").status_code == 200
    answer = stranger.get(f"/?code={code}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "./"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("inspector-7800=browser-")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/;" in cookie
    assert "a-secret" not in cookie
    assert stranger.get("/events").status_code == 200
    stranger.cookies.clear()
    assert problem(stranger.get(f"/?code={code}"))["status"] == 401


def test_a_used_address_still_opens_the_page_where_one_is_signed_in(web, app, stranger):
    code = app.state.service.access.codes.create()
    stranger.get(f"/?code={code}")
    again = stranger.get(f"/?code={code}")
    assert (again.status_code, again.headers["location"]) == (303, "./")
    assert "set-cookie" not in again.headers


def test_a_browser_that_follows_a_used_address_reads_on_the_page_how_to_sign_in(web, app, stranger):
    code = app.state.service.access.codes.create()
    stranger.get(f"/?code={code}")
    stranger.cookies.clear()
    answer = stranger.get(f"/?code={code}", headers={"Accept": "text/html,application/xhtml+xml"})
    assert (answer.status_code, answer.headers["location"]) == (303, "./")
    assert "set-cookie" not in answer.headers


def test_the_app_works_below_a_prefix(dist, settings):
    outer = Starlette()
    address = mount(outer, "/tools/inspector", settings)
    (inner,) = (route.app for route in outer.routes)
    inner.state.web = read_web_app(dist)
    with TestClient(outer, base_url=BASE) as client:
        assert client.get(address).url.path == "/tools/inspector/"
        assert client.get("/tools/inspector").url.path == "/tools/inspector/"
        assert client.get("/tools/inspector/").text == PAGE
        assert client.get("/tools/inspector/assets/index-a1b2.js").content == b"export {};"
        assert client.get("/tools/inspector/assets/../index.html").status_code == 404
        assert client.get("/assets/index-a1b2.js").status_code == 404


def test_requests_for_files_are_counted_under_one_name(web, client):
    client.get("/assets/index-a1b2.js")
    client.get("/assets/none.js")
    text = client.get("/metrics").text
    assert 'inspector_http_requests_total{method="GET",route="/assets/{name}",status="200"} 1' in text
    assert 'inspector_http_requests_total{method="GET",route="/assets/{name}",status="404"} 1' in text
    assert "a1b2" not in text
