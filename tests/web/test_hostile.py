"""Recorded strings that want to be more than text stay text, in every view."""

import re

import pytest
from hostile import TEXTS, TRACE
from playwright.sync_api import expect
from stories import span_of

PWNED = "() => window.__pwned ?? null"
# Elements that a string of the recording could have become, and nothing of the app's own.
PLANTED = """iframe, object, embed, base, form, meta[http-equiv],
  #main script, #main style, #main img:not([src^="data:"]),
  [onload], [onerror], [onclick], [onmouseover], [onfocus]"""
LINKS = """() => [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href"))
  .filter((href) => !/^(\\/?#|\\/#)/.test(href))"""
HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
SPANS = {
    "agent": 0,
    "model": 1,
    "tool": 2,
    "rpc": 3,
    "resource": 4,
    "prompt": 5,
}


def assert_inert(page):
    """Nothing ran, nothing became an element or a link, and nothing invisible is left in the text."""
    assert page.evaluate(PWNED) is None
    assert page.locator(PLANTED).count() == 0
    assert page.evaluate(LINKS) == []
    assert HIDDEN.findall(page.locator("#main").inner_text()) == []


def span_id(number):
    return span_of(TRACE, number).span_id


@pytest.mark.parametrize(
    "view",
    [
        "/",
        "/?group=session",
        "/sessions",
        "/events",
        "/stats",
        "/stats?of=traces",
        f"/traces/{TRACE}",
        f"/traces/{TRACE}?view=graph",
        f"/traces/{TRACE}?view=transcript",
    ],
)
def test_hostile_strings_are_only_text_in_a_view(hostile, visit, view):
    page = visit(hostile, view)
    expect(page.locator("#main")).to_contain_text(re.compile("evil.example|script>|DROP TABLE|etc/passwd|pwned"))
    for _ in range(6):
        page.locator("#main").press("End")
        page.mouse.move(500, 500)
        page.mouse.wheel(0, 3000)
    assert_inert(page)


@pytest.mark.parametrize("kind", SPANS)
def test_hostile_strings_are_only_text_in_the_detail(hostile, visit, kind):
    names = ("script", "img-onerror", "proto", "bidi", "ansi", "many-lines", "markdown-image", "javascript-link")
    page = visit(hostile, f"/traces/{TRACE}")
    for name in names:
        number = 100 + list(TEXTS).index(name) * 10 + SPANS[kind]
        page.goto(f"{hostile.url}/#/traces/{TRACE}?span={span_id(number)}")
        for tab in page.get_by_role("tab").all():
            tab.click()
            assert_inert(page)


def test_every_hostile_string_can_be_looked_at(hostile, visit):
    page = visit(hostile, f"/traces/{TRACE}")
    for number in range(len(TEXTS)):
        page.goto(f"{hostile.url}/#/traces/{TRACE}?span={span_id(100 + number * 10 + 2)}")
        expect(page.get_by_role("tab", name=re.compile("Attributes")).first).to_be_visible()
        assert_inert(page)


def test_hostile_strings_in_the_address_are_only_text(hostile, visit, watch):
    # The API refuses some of them as values, and says which.
    watch.tolerate("400")
    watch.tolerate("422")
    page = visit(hostile, "/")
    for text in TEXTS.values():
        if len(text) > 2000:
            continue
        page.evaluate(
            "(text) => { location.hash = '#/?q=' + encodeURIComponent(text) + '&agent=' + encodeURIComponent(text) }",
            text,
        )
        expect(page.get_by_role("searchbox").first).to_be_visible()
        assert page.evaluate(PWNED) is None
        assert page.locator(PLANTED).count() == 0
