"""What one does before all of a page is there: it acts on what one sees, and whatever comes in leaves it alone."""

import re
import time
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect
from serving import fill, wait_until
from settling import DRAWN, settle
from stories import LOOP, loop_spans

ANSWERS = re.compile(r"/(events|labels|runs|sessions|stats|storage|traces)(/|\?|$)")


@pytest.fixture(scope="module")
def loop(looked_at):
    return looked_at("loop", lambda home: fill(home, loop_spans(1, "Send invoice 1137", 0)))


@contextmanager
def held_back(page, what):
    """Holds back answers, other than those of streams, until the block ends."""
    held, holds = [], [True]

    def hold(route):
        if holds and "/stream" not in route.request.url:
            held.append(route)
        else:
            route.continue_()

    page.route(what, hold)
    yield held
    holds.clear()
    for route in held:
        route.continue_()


def middle_of(target):
    box = target.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.slow
def test_a_page_that_is_being_left_takes_neither_clicks_nor_keys(demo, visit):
    page = visit(demo, "/")
    add = page.get_by_role("button", name="Add a filter")
    place = middle_of(add)
    # After a second something else takes the place of the page.
    page.clock.install()
    page.clock.pause_at(time.time() + 60)
    with held_back(page, "**/assets/events-route*.js") as held:
        page.get_by_role("navigation").get_by_role("link", name="Spans").click()
        expect(page.locator("#main")).to_have_attribute("aria-busy", "true")
        page.mouse.click(*place)
        # Selects a run where one is still in the list.
        page.keyboard.press("j")
        page.keyboard.press("x")
        expect(page.get_by_role("button", name="kind", exact=True)).to_have_count(0)
        expect(page.get_by_role("group", name="Selected runs")).to_have_count(0)
        assert len(held) == 1
    page.clock.resume()
    add.click()
    page.get_by_role("button", name="kind", exact=True).click()
    expect(page.get_by_role("checkbox", name="model call")).to_be_visible()


@pytest.mark.slow
def test_keys_lead_on_from_a_page_that_is_being_left(demo, visit):
    page = visit(demo, "/")
    with held_back(page, "**/assets/events-route*.js"):
        page.get_by_role("navigation").get_by_role("link", name="Spans").click()
        expect(page.locator("#main")).to_have_attribute("aria-busy", "true")
        page.keyboard.press("g")
        page.keyboard.press("t")
        expect(page).to_have_url(re.compile("#/stats"))
        settle(page)
        expect(page.get_by_role("heading", level=1, name="Stats")).to_be_attached()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("view", "button"),
    [
        ("/", "Add a filter"),
        ("/", "Change kind: llm"),
        ("/spans", "Add a filter"),
        ("/spans", "Columns"),
        ("/spans", "Views"),
        ("/stats", "Add a filter"),
    ],
)
def test_a_menu_that_is_open_stays_open_while_answers_come_in(demo, visit, view, button):
    page = visit(demo, "/no/such/view")
    with held_back(page, ANSWERS):
        page.goto(f"{demo.url}/#{view}{'?kind=llm' if 'kind' in button else ''}")
        page.get_by_role("button", name=button).click()
        menu = page.get_by_role("dialog", name=button)
        expect(menu).to_be_visible()
        first = menu.locator("button, input").first
        expect(first).to_be_visible()
        kept = first.element_handle()
    settle(page)
    expect(menu).to_be_visible()
    assert kept.evaluate("each => each.isConnected")


@pytest.mark.slow
def test_a_menu_of_a_run_stays_open_while_answers_come_in(demo, demo_trace, visit):
    page = visit(demo, "/no/such/view")
    with held_back(page, re.compile("/(events|turns|previews|hits|labels)([/?]|$)")):
        page.goto(f"{demo.url}/#/traces/{demo_trace}")
        page.get_by_role("button", name=re.compile("Compare w")).click()
        menu = page.get_by_role("dialog", name=re.compile("Compare w"))
        expect(menu).to_be_visible()
    settle(page)
    expect(menu).to_be_visible()


@pytest.mark.slow
def test_the_choices_of_a_condition_stay_open_as_one_after_the_other_is_made(demo, visit):
    page = visit(demo, "/spans?kind=llm")
    page.get_by_role("button", name=re.compile("^Change kind")).click()
    for kind in ("tool call", "agent"):
        page.get_by_role("checkbox", name=kind).click()
        expect(page.get_by_role("checkbox", name=kind)).to_be_checked()
    page.wait_for_url(re.compile("kind=agent"))
    expect(page.get_by_role("checkbox", name="model call")).to_be_checked()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1000, 1400])
@pytest.mark.parametrize("view", ["/", "/?session_id=session-0001"])
def test_a_list_of_runs_stays_where_it_is_when_the_figures_above_it_come_in(crowd, visit, view, width):
    page = visit(crowd, "/no/such/view", viewport={"width": width, "height": 800})
    with held_back(page, re.compile(r"/(stats\?|sessions/)")) as held:
        page.goto(f"{crowd.url}/#{view}")
        runs = page.get_by_role("grid", name="Runs")
        expect(runs.get_by_role("row").nth(1)).to_be_visible()
        expect(page.get_by_label("Runs in figures").get_by_text("–").first).to_be_visible()
        page.wait_for_function("document.fonts.status === 'loaded'")
        before = runs.bounding_box()
        assert held
    settle(page)
    expect(page.get_by_label("Runs in figures").get_by_text("$").first).to_be_visible()
    assert runs.bounding_box() == before


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1000, 1400])
def test_what_is_below_the_figures_of_the_stats_stays_where_it_is_when_they_come_in(crowd, visit, width):
    page = visit(crowd, "/no/such/view", viewport={"width": width, "height": 800})
    with held_back(page, re.compile(r"/stats\?(?=.*by=)")) as held:
        page.goto(f"{crowd.url}/#/stats")
        below = page.get_by_role("heading", name="Over time")
        expect(below).to_be_visible()
        page.wait_for_function("document.fonts.status === 'loaded'")
        before = below.bounding_box()
        assert held
    settle(page)
    expect(page.locator("#main dl").first).to_contain_text(re.compile("Tool call p95[0-9]"))
    assert below.bounding_box() == before


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1000, 1400])
def test_the_spans_of_a_run_stay_where_they_are_when_the_reason_of_its_failure_comes_in(crowd, visit, width):
    page = visit(crowd, "/no/such/view", viewport={"width": width, "height": 800})
    with held_back(page, re.compile("/events/")) as held:
        page.goto(f"{crowd.url}/#/runs/run-0004")
        spans = page.get_by_role("treegrid")
        expect(spans.get_by_role("row").nth(1)).to_be_visible()
        expect(page.get_by_role("region", name="What failed")).to_contain_text("First failure")
        page.wait_for_function("document.fonts.status === 'loaded'")
        before = spans.bounding_box()
        assert held
    settle(page)
    expect(page.get_by_role("region", name="What failed")).to_contain_text("no answer from")
    assert spans.bounding_box() == before


# What the page shows when there are spans on it for the first time.
FIRST_PICTURE = """() => {
  window.firstPicture = null;
  new MutationObserver(() => {
    if (window.firstPicture === null && document.querySelector("[role=treegrid]"))
      window.firstPicture = document.querySelector("#main").textContent;
  }).observe(document.body, { childList: true, subtree: true });
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("server", "run", "late", "shown"),
    [("replays", "trip-again", "/replay", "Replay of"), ("loop", LOOP, "/turns", "conversation")],
)
def test_a_run_is_first_shown_with_what_comes_a_moment_after_its_spans(request, visit, server, run, late, shown):
    server = request.getfixturevalue(server)
    page = visit(server, "/no/such/view")
    page.evaluate(FIRST_PICTURE)
    page.clock.install()
    # The moment that it waits for at most is not over before the answer comes.
    page.clock.pause_at(time.time() + 60)
    with page.expect_response(re.compile(late)) as answer:
        with held_back(page, re.compile(late)) as held:
            with page.expect_response(re.compile("/outline")):
                page.goto(f"{server.url}/#/runs/{run}")
            # Time enough to draw the spans.
            for _ in range(20):
                page.evaluate("() => {}")
            assert held
    answer.value.finished()
    for _ in range(10):
        page.clock.run_for(10)
    page.clock.resume()
    expect(page.get_by_role("treegrid")).to_be_visible()
    assert shown in page.evaluate("firstPicture")


@pytest.mark.slow
def test_the_detail_of_a_call_shows_once_the_call_before_it_is_there(crowd, visit):
    page = visit(crowd, "/no/such/view")
    call_before, tool_call = (re.compile(f"/events/c0000001000000{number}") for number in ("0a", "0b"))
    with held_back(page, call_before) as held:
        with page.expect_response(tool_call) as answer:
            page.goto(f"{crowd.url}/#/runs/run-0001?span=c00000010000000b")
        answer.value.finished()
        page.evaluate(DRAWN)
        detail = page.get_by_role("region", name="Selected span")
        expect(detail.get_by_role("heading", name="Arguments")).to_have_count(0)
        assert held
    expect(detail.get_by_role("heading", name="Arguments")).to_be_visible()
    expect(detail.get_by_role("heading", name="Time and identity")).to_be_visible()


@pytest.mark.slow
def test_the_selected_call_of_a_transcript_stays_in_view_when_an_answer_below_it_comes_in(demo, demo_trace, visit):
    last = demo.get(f"/events?trace_id={demo_trace}&kind=llm&duplicates=false&limit=1")["items"][0]["span_id"]
    # So high that the end of the list is in view until the last answer has its height.
    page = visit(demo, "/", viewport={"width": 1000, "height": 1000})
    transcript = page.get_by_role("group", name="Transcript")
    selected = transcript.locator("[aria-current=true]")
    with held_back(page, re.compile(rf"/events/{last}\?")):
        page.goto(f"{demo.url}/#/traces/{demo_trace}?view=transcript")
        expect(selected).to_contain_text("did not answer in time")
        # That answer, and what the agent and the workflow end with.
        expect(transcript.locator("[data-pending]")).to_have_count(3)
        settle(page)
    expect(transcript.locator("[data-pending]")).to_have_count(0)
    settle(page)
    expect(selected).to_be_in_viewport(ratio=1)


@pytest.mark.slow
def test_a_transcript_shows_once_what_is_in_view_is_loaded(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": 390, "height": 844})
    expect(page.get_by_role("treegrid")).to_contain_text("book_hotel")
    settle(page)
    page.clock.install()
    page.clock.pause_at(time.time() + 60)
    with held_back(page, re.compile(r"/events/[0-9a-f]+\?")) as held:
        page.keyboard.press("3")
        transcript = page.get_by_role("group", name="Transcript")
        wait_until(lambda: page.clock.run_for(50) or transcript.count())
        # Less than it waits at most.
        page.clock.run_for(500)
        wait_until(lambda: held)
        expect(transcript.get_by_role("status")).to_contain_text("Loading")
        expect(transcript.get_by_role("article")).to_have_count(0)
    page.clock.resume()
    expect(transcript.get_by_role("article").first).to_be_visible()
    expect(transcript.get_by_text("Loading")).to_have_count(0)
