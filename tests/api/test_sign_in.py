import re

import pytest
from playwright.sync_api import expect
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from inspector.api.packed import read_web_app

TRACE = "#/traces/4bf92f3577b34da6a3ce929d0e0e4736?span=00f067aa0ba902b7"
SCRIPT = """
const answer = await fetch("events");
document.title = `${answer.status} ${location.pathname}${location.search}${location.hash}${window.inline ?? ""}`;
"""


@pytest.fixture
def address(app, serve_app, tmp_path):
    """Where a small app is served that says in its title what it got."""
    dist = tmp_path / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "index.html").write_text(
        '<!doctype html><title>waiting</title><link rel="icon" href="data:,">'
        '<script>window.inline = " inline"</script><script type="module" src="./assets/index-1.js"></script>'
    )
    (dist / "assets" / "index-1.js").write_text(SCRIPT)
    app.state.web = read_web_app(dist)
    with serve_app(app) as port:
        yield f"http://127.0.0.1:{port}"


def test_the_one_time_address_of_a_trace_lands_on_the_trace_and_signed_in(app, address, page, until):
    page.goto(f"{address}/?code={app.state.service.access.codes.create()}{TRACE}")
    expect(page).to_have_title(re.compile("^200 "))
    assert page.title() == f"200 /{TRACE}"
    assert page.url == f"{address}/{TRACE}"
    assert page.evaluate("document.cookie") == ""


def test_a_link_on_another_site_signs_in_as_well(app, address, page, serve_app):
    link = f"{address}/?code={app.state.service.access.codes.create()}{TRACE}"
    chat = Starlette(
        routes=[Route("/", lambda _: HTMLResponse(f'<link rel="icon" href="data:,"><a href="{link}">x</a>'))]
    )
    with serve_app(chat) as port:
        page.goto(f"http://localhost:{port}/")
        page.click("a")
        expect(page).to_have_title(re.compile("^200 "))
    assert page.url == f"{address}/{TRACE}"


def test_a_browser_that_is_not_signed_in_gets_the_page_and_nothing_else(address, page):
    page.goto(f"{address}/{TRACE}")
    expect(page).to_have_title(re.compile("^401 "))


def test_the_address_opens_the_trace_again_after_it_was_used(app, address, page):
    once = f"{address}/?code={app.state.service.access.codes.create()}{TRACE}"
    for _ in range(2):
        page.goto(once)
        expect(page).to_have_title(re.compile("^200 "))
        page.goto("about:blank")
