"""Recorded strings that want to be more than text stay text, in every view."""

import itertools
import re

import pytest
from hostile import TEXTS, TRACE
from playwright.sync_api import expect
from stories import span_of

from inspector.cli.output.visible import is_safe

# Elements that a string of the recording could have become, and nothing of the app's own.
PLANTED = """iframe, object, embed, base, form, meta[http-equiv],
  #main script, #main style, #main img:not([src^="data:"]),
  [onload], [onerror], [onclick], [onmouseover], [onfocus]"""
# All at once: a test asks it hundreds of times.
LOOK = """(planted) => ({
  pwned: window.__pwned ?? null,
  planted: document.querySelectorAll(planted).length,
  links: [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href"))
    .filter((href) => !/^(\\/?#|\\/#)/.test(href)),
  text: document.querySelector("#main").innerText,
})"""
# Once each tab is chosen, what it shows is drawn before it is looked at.
LOOK_AT_TABS = f"""async (planted) => {{
  const look = {LOOK};
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const seen = [];
  for (const tab of document.querySelectorAll("[role=tab]")) {{
    tab.click();
    for (let turns = 0; turns < 2 || tab.ariaSelected !== "true"; turns++) {{
      if (turns > 100) throw new Error(`${{tab.textContent}} is not chosen`);
      await drawn();
    }}
    seen.push(look(planted));
  }}
  return seen;
}}"""
# Line ends and tabs are the page's own affair; a joiner between two pictures makes one emoji of them.
HARMLESS = re.compile(
    "[\\n\\r\\t]|(?<=[\U0001f000-\U0001faff\ufe0f\u2600-\u27bf])\u200d(?=[\U0001f000-\U0001faff\u2600-\u27bf])"
)
SPANS = {
    "agent": 0,
    "model": 1,
    "tool": 2,
    "rpc": 3,
    "resource": 4,
    "prompt": 5,
}


def looks_at(page, kind, planted=PLANTED):
    """What is seen in the detail of a span of a kind; its other tabs are not told the kind, so those of one will do."""
    return page.evaluate(LOOK_AT_TABS, planted) if kind == "tool" else [page.evaluate(LOOK, planted)]


def assert_inert(page):
    """Nothing ran, nothing became an element or a link, and nothing invisible is left in the text."""
    assert_only_text(page.evaluate(LOOK, PLANTED))


def assert_only_text(seen):
    shown = HARMLESS.sub("", seen.pop("text"))
    assert seen == {"pwned": None, "planted": 0, "links": []}
    assert [each for each in set(shown) if not is_safe(each)] == []


def span_id(number):
    return span_of(TRACE, number).span_id


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "view",
    [
        f"/traces/{TRACE}",
        "/",
        "/?group=session",
        "/sessions",
        "/events",
        "/stats",
        "/stats?of=traces",
        f"/traces/{TRACE}?view=graph",
        f"/traces/{TRACE}?view=transcript",
        f"/diff?a={TRACE}&b={TRACE}&all=1",
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


@pytest.mark.slow
def test_hostile_strings_are_only_text_in_the_detail(hostile, visit, subtests, every):
    names = ("script", "img-onerror", "proto", "bidi", "ansi", "markdown-image", "javascript-link")
    page = visit(hostile, f"/traces/{TRACE}")
    cases = [*itertools.product(SPANS, names)]
    # Three thousand lines take as long as six other strings, and hold nothing but text.
    for kind, name in [*cases, ("model", "many-lines")] if every else cases[::6]:
        number = 100 + list(TEXTS).index(name) * 10 + SPANS[kind]
        with subtests.test(kind=kind, name=name):
            page.goto(f"{hostile.url}/#/traces/{TRACE}?span={span_id(number)}")
            # Not what the one before shows.
            expect(page.get_by_role("tabpanel")).to_contain_text(span_id(number))
            expect(page.get_by_role("tab")).to_have_count(5)
            for seen in looks_at(page, kind):
                assert_only_text(seen)
            # The last one that was looked at is of this very span.
            expect(page.get_by_role("tabpanel")).to_contain_text(span_id(number))


@pytest.mark.slow
def test_every_hostile_string_can_be_looked_at(hostile, visit):
    page = visit(hostile, f"/traces/{TRACE}")
    for number in range(100, 100 + len(TEXTS) * 10, 10):
        shown = span_id(number + SPANS["tool"])
        page.goto(f"{hostile.url}/#/traces/{TRACE}?span={shown}")
        # Not what the one before shows.
        expect(page.get_by_role("tabpanel")).to_contain_text(shown)
        assert_inert(page)


@pytest.mark.slow
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
        seen = page.evaluate(LOOK, PLANTED)
        assert (seen["pwned"], seen["planted"]) == (None, 0)
