import re

import pytest
from playwright.sync_api import expect
from serving import wait_until
from settling import settle


def test_from_the_list_to_the_error_of_a_call_without_a_mouse(demo, visit):
    page = visit(demo, "/")
    expect(page.get_by_role("grid", name="Runs")).to_contain_text("trip-planner")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/runs/"))
    expect(page.get_by_role("treegrid")).to_contain_text("book_hotel")
    page.keyboard.press("e")
    page.wait_for_url(re.compile("span="))
    expect(page.get_by_role("tabpanel")).to_contain_text("did not answer in time")


@pytest.mark.slow
def test_a_run_that_is_opened_has_the_focus_and_is_announced(demo, visit):
    page = visit(demo, "/")
    page.get_by_role("grid", name="Runs").get_by_role("link").first.click()
    page.wait_for_url(re.compile("/runs/"))
    expect(page.locator("#main")).to_be_focused()
    expect(page.get_by_role("status").filter(has_text="trip-planner · Inspector")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.get_by_role("grid", name="Runs")).to_be_visible()
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/runs/"))
    expect(page.locator("#main")).to_be_focused()


def test_the_focus_can_be_seen_wherever_it_goes(demo, visit):
    page = visit(demo, "/")
    expect(page.get_by_role("grid", name="Runs")).to_contain_text("trip-planner")
    visible = """() => {
      const style = getComputedStyle(document.activeElement);
      return document.activeElement === document.body || style.outlineStyle !== "none" || style.boxShadow !== "none"
        || getComputedStyle(document.activeElement.parentElement).outlineStyle !== "none";
    }"""
    for _ in range(15):
        page.keyboard.press("Tab")
        assert page.evaluate(visible), page.evaluate("document.activeElement.outerHTML")


@pytest.mark.slow
def test_what_is_typed_while_the_palette_opens_is_in_it(demo, visit):
    page = visit(demo, "/")
    page.keyboard.press("Control+k")
    # x would select a run, and c compare it.
    page.keyboard.type("xcstats")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_have_value("xcstats")
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(0)


@pytest.mark.slow
def test_a_run_leads_up_to_the_list_as_it_was_filtered_and_sorted(crowd, visit):
    page = visit(crowd, "/?status=error&sort=duration")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/runs/"))
    expect(page.get_by_role("treegrid")).to_be_visible()
    page.keyboard.press("u")
    page.wait_for_url(re.compile(r"#/\?.*status=error"))
    assert "sort=duration" in page.url


def test_the_palette_goes_to_a_page_and_to_a_span_by_its_id(demo, demo_trace, visit):
    span_id = demo.get(f"/events?trace_id={demo_trace}&kind=llm&limit=1")["items"][0]["span_id"]
    page = visit(demo, "/")
    expect(page.get_by_role("grid", name="Runs")).to_contain_text("trip-planner")
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog")
    expect(palette.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("stats")
    expect(palette.get_by_role("option").first).to_contain_text("tats")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("#/stats"))
    page.keyboard.press("Control+k")
    page.keyboard.type(span_id)
    expect(palette.get_by_role("option").first).to_contain_text("chat gpt")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"span={span_id}"))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", [390, 1440])
def test_the_shortcuts_of_every_page_are_reached_by_scrolling_down(demo, visit, width):
    page = visit(demo, "/", viewport={"width": width, "height": 600})
    expect(page.locator("#main")).to_contain_text("trip-planner")
    page.keyboard.press("?")
    shortcuts = page.get_by_role("region", name="All shortcuts")
    expect(shortcuts).to_be_visible()
    assert shortcuts.evaluate("each => each.scrollWidth <= each.clientWidth")
    shortcuts.evaluate("each => each.scrollTo(0, each.scrollHeight)")
    expect(shortcuts.get_by_text("Close the detail")).to_be_in_viewport()


def test_a_question_mark_shows_the_shortcuts_and_escape_closes_them(demo, visit):
    page = visit(demo, "/")
    expect(page.get_by_role("grid", name="Runs")).to_contain_text("trip-planner")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Next failure")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.slow
def test_two_keys_go_to_a_page_but_not_while_one_types(demo, visit):
    page = visit(demo, "/")
    expect(page.get_by_role("grid", name="Runs")).to_contain_text("trip-planner")
    for keys, place in (("gs", "#/sessions"), ("gl", "#/spans"), ("gt", "#/stats"), ("gr", "#/")):
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_url(re.compile(f"{place}($|\\?)"))
    settle(page)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("gs")
    page.wait_for_url(re.compile("q=gs"))


@pytest.mark.slow
def test_escape_leaves_the_find_box_and_closes_the_detail_of_the_live_list(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}")
    expect(page.get_by_role("treegrid")).to_contain_text("book_hotel")
    page.keyboard.press("f")
    page.keyboard.type("hotel")
    page.wait_for_url(re.compile("find=hotel"))
    page.keyboard.press("Escape")
    expect(page.get_by_label("Find in this run")).to_have_value("")
    for key in "gl":
        page.keyboard.press(key)
    page.wait_for_url(re.compile("#/spans$"))
    expect(page.get_by_role("grid", name="Spans")).to_contain_text("book_hotel")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    detail = page.get_by_label("Detail of the span")
    expect(detail).to_be_visible()
    page.keyboard.press("Escape")
    expect(detail).to_have_count(0)


@pytest.mark.slow
def test_single_keys_change_the_view_copy_a_link_and_lead_up(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_role("treegrid")).to_contain_text("book_hotel")
    page.keyboard.press("3")
    page.wait_for_url(re.compile("view=transcript"))
    page.keyboard.press("2")
    page.wait_for_url(re.compile("view=graph"))
    page.keyboard.press("y")
    page.keyboard.press("1")
    page.wait_for_url(lambda url: "view=" not in url)
    wait_until(lambda: "view=graph" in page.evaluate("navigator.clipboard.readText()"))
    page.keyboard.press("u")
    expect(page.get_by_role("grid", name="Runs")).to_be_visible()
    expect(page.locator("#main")).to_be_focused()


@pytest.mark.slow
def test_what_is_copied_over_plain_http_from_elsewhere_is_on_the_clipboard_too(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_role("treegrid")).to_contain_text("book_hotel")
    page.evaluate("""() => {
      window.real = navigator.clipboard;
      Object.defineProperty(navigator, "clipboard", {configurable: true, value: undefined});
    }""")
    page.get_by_role("button", name="Copy a link to this view").click()
    expect(page.get_by_role("button", name="Copy a link to this view")).to_contain_text("copied")
    assert page.evaluate("window.real.readText()") == page.url


def active_row(page, label):
    grid = page.get_by_role("grid", name=label)
    return grid.evaluate("each => document.getElementById(each.getAttribute('aria-activedescendant'))?.innerText ?? ''")


@pytest.mark.slow
def test_a_list_that_one_comes_back_to_is_where_it_was_left(crowd, visit):
    def chosen():
        # Up to its question: why it failed comes later.
        return active_row(page, "Runs").split("\n")[:4]

    page = visit(crowd, "/")
    runs = page.get_by_role("grid", name="Runs")
    expect(runs.get_by_role("row").nth(1)).to_be_visible()
    for key in ("j", "PageDown", "PageDown"):
        page.keyboard.press(key)
    left, top = chosen(), runs.evaluate("each => each.scrollTop")
    assert len(left) == 4
    assert top > 0
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/runs/"))
    settle(page)
    page.keyboard.press("u")
    expect(runs.get_by_role("row").nth(1)).to_be_visible()
    settle(page)
    assert (chosen(), runs.evaluate("each => each.scrollTop")) == (left, top)
    page.keyboard.press("j")
    expect(runs).to_be_focused()
    assert chosen() != left


@pytest.mark.slow
def test_enter_leads_into_a_selected_span_and_escape_back_to_its_row(demo, demo_trace, visit):
    page = visit(demo, "/spans")
    spans = page.get_by_role("grid", name="Spans")
    expect(spans).to_contain_text("book_hotel")
    for key in ("j", "j", "Enter"):
        page.keyboard.press(key)
    chosen = active_row(page, "Spans")
    page.wait_for_url(re.compile("span="))
    expect(page.get_by_role("region", name="Span", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Span", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Detail of the span")).to_have_count(0)
    expect(spans).to_be_focused()
    assert active_row(page, "Spans").split()[:2] == chosen.split()[:2]
    # A run that was just opened has its failed call selected, and nothing of it the focus.
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": 1280, "height": 500})
    detail = page.get_by_role("region", name="Span", exact=True)
    expect(detail).to_contain_text("did not answer in time")
    page.keyboard.press("Enter")
    expect(detail).to_be_focused()
    page.keyboard.press("PageDown")
    wait_until(lambda: detail.evaluate("each => each.scrollTop") > 0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("treegrid")).to_be_focused()


@pytest.mark.slow
def test_arrows_lead_into_the_graph_and_the_transcript_from_the_page(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}?view=graph")
    graph = page.get_by_role("group", name="Drawing of the agent graph")
    expect(graph.get_by_role("button").first).to_be_visible()
    settle(page)
    page.keyboard.press("ArrowDown")
    expect(graph.locator("[data-at][aria-current]")).to_be_focused()
    page.keyboard.press("3")
    transcript = page.get_by_role("group", name="Transcript")
    expect(transcript).to_be_visible()
    settle(page)
    page.keyboard.press("j")
    expect(transcript).to_be_focused()
    expect(transcript).to_have_attribute("aria-activedescendant", re.compile("."))


@pytest.mark.slow
def test_the_input_of_a_span_is_copied_in_two_keys_and_other_forms_by_their_letter(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_role("region", name="Span", exact=True)).to_contain_text("did not answer in time")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    wait_until(lambda: '"nights": 2' in page.evaluate("navigator.clipboard.readText()"))
    page.keyboard.press("c")
    page.keyboard.press("m")
    expect(page.get_by_role("button", name="Markdown")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Copy as")).to_be_focused()


@pytest.mark.slow
def test_a_field_to_filter_by_is_chosen_by_arrows_or_its_first_letter(demo, visit):
    page = visit(demo, "/")
    expect(page.get_by_role("grid", name="Runs")).to_contain_text("trip-planner")
    for key in ("/", "Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="status", exact=True)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="kind", exact=True)).to_be_focused()
    page.keyboard.press("m")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Add a filter").get_by_role("combobox", name="model")).to_be_focused()


@pytest.mark.slow
def test_a_panel_closes_on_escape_at_its_button_and_when_one_tabs_out_of_it(demo, visit):
    page = visit(demo, "/spans")
    views, panel = page.get_by_role("button", name="Views"), page.get_by_role("dialog", name="Views")
    views.press("Enter")
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(views).to_be_focused()
    views.press("Enter")
    expect(panel.get_by_role("textbox")).to_be_focused()
    panel.get_by_role("button", name="Save").press("Tab")
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    expect(panel).to_be_hidden()
    for _ in range(2):
        views.click()
    expect(panel).to_be_hidden()
