"""Axe on every page in both themes, the keyboard alone, 200 % zoom, and reduced motion."""

import re

import pytest
from pairs import FIRST, SECOND
from playwright.sync_api import expect
from replayed import CUT, LATEST, ORIGINAL
from serving import ROOT
from settling import settle
from stories import STATES, TWICE, span_of

PAGES = {
    "runs": "/",
    "runs by session": "/?group=session",
    "sessions": "/sessions",
    "events": "/spans",
    "stats": "/stats",
    "nothing there": "/no/such/view",
}
TRACE_VIEWS = {"waterfall": "", "graph": "view=graph&", "transcript": "view=transcript&"}
FIND_VIOLATIONS = """async ([part, options]) => {
  const found = await axe.run(part ?? document, {resultTypes: ["violations"], ...options});
  const shown = (each) => each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160));
  return found.violations.map((each) => `${each.id}: ${each.help}: ${shown(each)}`);
}"""
DETAIL = "section[aria-label=Span]"
# The rules that a theme can break: the document is the same in both.
COLORS = {"runOnly": ["color-contrast", "link-in-text-block"]}


def violations_of(page, options=None, part=None):
    if not page.evaluate("'axe' in window"):
        page.evaluate((ROOT / "web/node_modules/axe-core/axe.min.js").read_text())
    return page.evaluate(FIND_VIOLATIONS, [part, options or {}])


def assert_accessible(page, part=None):
    """Axe has nothing to say about the page, or a part of it, nor about its colours in the other theme."""
    assert violations_of(page, part=part) == []
    page.emulate_media(color_scheme="dark")
    assert violations_of(page, COLORS, part) == [], "in the dark theme"
    page.emulate_media(color_scheme="light")


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_on_a_page(crowd, visit, name):
    page = visit(crowd, PAGES[name], color_scheme="light")
    assert_accessible(page)


@pytest.mark.slow
@pytest.mark.parametrize("view", TRACE_VIEWS)
def test_axe_finds_nothing_on_a_trace(demo, demo_trace, visit, view):
    page = visit(demo, f"/traces/{demo_trace}?{TRACE_VIEWS[view]}", color_scheme="light")
    expect(page.locator("#main")).to_contain_text("book_hotel")
    assert_accessible(page)


def detail_of(kind, demo, trace_id, visit):
    """The page with the detail of a span of the kind, which failed if one did."""
    events = demo.get(f"/events?trace_id={trace_id}&kind={kind}&limit=50")["items"]
    span = next((each for each in events if each["status"] == "error"), events[0])
    page = visit(demo, f"/traces/{trace_id}?span={span['span_id']}", color_scheme="light")
    expect(page.get_by_role("tab", name="Overview")).to_have_attribute("aria-selected", "true")
    return page


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["workflow", "agent", "llm", "tool", "rpc", "resource", "prompt"])
def test_axe_finds_nothing_in_the_detail_of_a_span(demo, demo_trace, visit, kind):
    assert_accessible(detail_of(kind, demo, demo_trace, visit))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Attributes", "Raw"])
def test_axe_finds_nothing_in_what_the_detail_shows_of_spans_of_all_kinds(demo, demo_trace, visit, name):
    page = detail_of("tool", demo, demo_trace, visit)
    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    settle(page)
    # What is around the detail is as it was.
    assert_accessible(page, DETAIL)


@pytest.mark.slow
def test_axe_finds_nothing_in_every_status(oddities, visit):
    page = visit(oddities, f"/traces/{STATES}?span={span_of(STATES, 7).span_id}", color_scheme="dark")
    expect(page.get_by_text("workflow that is lost").first).to_be_visible()
    assert violations_of(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "&all=1", "&at=6"])
def test_axe_finds_nothing_where_two_runs_are_compared(trips, visit, options):
    page = visit(trips, f"/diff?a={FIRST}&b={SECOND}{options}", color_scheme="light")
    expect(page.get_by_role("region", name="Selected call").get_by_role("heading", name="Answer")).to_be_visible()
    assert_accessible(page)


@pytest.mark.slow
def test_axe_finds_nothing_where_a_run_to_compare_with_is_chosen(trips, visit):
    page = visit(trips, f"/runs/{SECOND}", color_scheme="light")
    page.get_by_role("button", name="Compare with").click()
    expect(page.get_by_role("dialog", name="Compare with").get_by_role("link")).to_have_count(2)
    assert_accessible(page)


@pytest.mark.slow
@pytest.mark.parametrize("run", [ORIGINAL, LATEST, CUT])
def test_axe_finds_nothing_where_a_replay_is_offered(replays, visit, run):
    page = visit(replays, f"/runs/{run}", color_scheme="light")
    page.get_by_role("button", name="Replay", exact=True).click()
    expect(page.get_by_role("dialog", name="Replay").locator("p").first).to_contain_text("be replayed")
    assert_accessible(page)


@pytest.mark.slow
@pytest.mark.parametrize("same", ["", "&same=0"])
def test_axe_finds_nothing_where_calls_are_told_twice(oddities, visit, same):
    view = f"/traces/{TWICE}?span={span_of(TWICE, 4).span_id}{same}"
    page = visit(oddities, view, color_scheme="light", viewport={"width": 1920, "height": 900})
    expect(page.get_by_text("counted there.").first).to_be_visible()
    assert_accessible(page)


@pytest.mark.slow
def test_axe_finds_nothing_on_an_empty_page(empty, visit):
    page = visit(empty, "/")
    expect(page.locator("#main")).to_contain_text("attach")
    assert violations_of(page) == []


# WCAG 2.2 asks for 24 by 24 pixels, or room around; axe does not look for it unless it is told to.
SMALL_TARGETS = {"runOnly": ["target-size"]}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("view", ["/", "/spans", "/sessions", "/stats", "trace"])
def test_at_400_percent_whatever_can_be_pressed_is_large_enough(demo, demo_trace, visit, view):
    page = visit(demo, f"/traces/{demo_trace}" if view == "trace" else view, viewport={"width": 320, "height": 256})
    assert violations_of(page, SMALL_TARGETS) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 640])
def test_whatever_can_be_pressed_in_a_comparison_is_large_enough(trips, visit, width):
    page = visit(trips, f"/diff?a={FIRST}&b={SECOND}", viewport={"width": width, "height": 400})
    assert violations_of(page, SMALL_TARGETS) == []


@pytest.mark.sweep(1)
@pytest.mark.parametrize("view", ["/", "/sessions", "/spans", "/stats", "trace", "graph", "transcript"])
def test_at_200_percent_nothing_is_cut_sideways_or_scrolls_the_window(demo, demo_trace, visit, view):
    address = view if view.startswith("/") else f"/traces/{demo_trace}" + ("" if view == "trace" else f"?view={view}")
    page = visit(demo, address, viewport={"width": 640, "height": 400}, device_scale_factor=2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    # Its own scroll areas do: whatever searches in the page would leave the window scrolled, with no way back.
    assert page.evaluate("document.documentElement.scrollHeight") <= 400
    bar = page.get_by_role("navigation", name="Pages").get_by_role("link").all()
    boxes = [link.bounding_box() for link in bar]
    assert boxes and all(box and box["x"] >= 0 and box["x"] + box["width"] <= 640 for box in boxes)


@pytest.mark.slow
def test_with_reduced_motion_nothing_moves(oddities, visit):
    page = visit(oddities, f"/traces/{STATES}", reduced_motion="reduce")
    expect(page.get_by_text("tool that is running").first).to_be_visible()
    endless = (
        "document.getAnimations().filter((each) => each.effect.getComputedTiming().iterations === Infinity).length"
    )
    assert page.evaluate(endless) == 0


@pytest.mark.slow
def test_the_theme_follows_the_browser_until_one_is_chosen_and_then_stays(demo, visit):
    page = visit(demo, "/", color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_role("button", name=re.compile("^Theme")).click()
    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    light = page.evaluate(ground)
    assert light != dark
    page.reload()
    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    assert page.evaluate(ground) == light
    page.get_by_role("button", name="Theme: light").click()
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert page.evaluate(ground) == dark
