import re

import pytest
from hostile import TRACE
from pairs import CAUSE, FIRST, SECOND, THIRD
from playwright.sync_api import expect
from settling import settle

COMPARED = f"/diff?a={FIRST}&b={SECOND}"


def calls(page):
    return page.get_by_role("grid", name="Calls of both runs")


def row(page, text):
    return calls(page).get_by_role("row").filter(has_text=text)


def detail(page):
    return page.get_by_role("region", name="Selected call")


def chosen(page):
    return calls(page).locator("[aria-selected=true]")


def test_the_cause_is_named_and_its_words_show_at_once(trips, visit):
    page = visit(trips, COMPARED)
    expect(
        page.get_by_role("button", name="The runs diverge at call 4 of 8, chat gpt-4.1: its result differs.")
    ).to_be_visible()
    expect(page.get_by_role("button", name=f"Cause: {CAUSE}.")).to_be_visible()
    expect(detail(page).locator("del").first).to_have_text("300")
    expect(detail(page).locator("ins").first).to_have_text("150")
    expect(detail(page)).to_contain_text("3 parts of the input are the same.")
    expect(chosen(page)).to_contain_text("system text, answer")


@pytest.mark.slow
def test_what_each_run_used_and_cost_shows_above_its_calls(trips, visit):
    page = visit(trips, COMPARED)
    runs = {run["run_id"]: run for run in trips.get("/runs")["items"]}
    for which, found in (("first", runs[FIRST]), ("second", runs[SECOND])):
        side = page.get_by_role("region", name=f"The {which} run")
        expect(side).to_contain_text(f"{found['input_tokens']} → {found['output_tokens']} tokens")
        expect(side).to_contain_text(f"${found['cost_usd']:.4f}")


@pytest.mark.slow
def test_calls_of_both_runs_stand_in_one_row(trips, visit):
    page = visit(trips, COMPARED)
    expect(row(page, "weather")).to_contain_text("argument city")
    cells = row(page, "book").get_by_role("gridcell").all_inner_texts()
    assert (cells[1], "book" in cells[2], cells[3]) == ("not called", True, "second run only")
    expect(row(page, "book").get_by_role("gridcell").nth(2)).to_contain_text("to: Vienna")
    expect(calls(page).get_by_role("row")).to_have_count(8)
    row(page, "2 equal calls").click()
    expect(row(page, "calendar")).to_be_visible()
    expect(calls(page).get_by_role("row")).to_have_count(9)
    page.wait_for_url(re.compile("all=1"))


@pytest.mark.slow
def test_keys_go_from_difference_to_difference_and_the_address_says_which(trips, visit):
    page = visit(trips, COMPARED)
    expect(page.get_by_text("Difference 1 of 5")).to_be_visible()
    for number, text in ((2, "weather"), (3, "trains"), (4, "book")):
        page.keyboard.press("n")
        expect(page.get_by_text(f"Difference {number} of 5")).to_be_visible()
        expect(chosen(page)).to_contain_text(text)
    expect(detail(page)).to_contain_text("only in the second run")
    page.keyboard.press("Shift+N")
    expect(page.get_by_text("Difference 3 of 5")).to_be_visible()
    page.wait_for_url(re.compile("at=5"))
    page.reload()
    expect(page.get_by_text("Difference 3 of 5")).to_be_visible()
    page.keyboard.press("a")
    expect(row(page, "calendar")).to_be_visible()
    page.keyboard.press("a")
    expect(row(page, "calendar")).to_have_count(0)


@pytest.mark.slow
def test_an_address_names_the_runs_whatever_comes_after_them(trips, visit):
    page = visit(trips, "/diff?a=last~2&b=last~1")
    expect(page.get_by_role("button", name=f"Cause: {CAUSE}.")).to_be_visible()
    page.wait_for_url(re.compile(f"a={0xD1:032x}&b={0xD2:032x}"))


def test_an_address_that_names_runs_by_their_ids_stays_and_is_compared_once(trips, visit):
    page = visit(trips, "/no/such/view")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/diff?" in request.url else None)
    page.goto(f"{trips.url}/#{COMPARED}")
    settle(page)
    expect(page.get_by_role("button", name=f"Cause: {CAUSE}.")).to_be_visible()
    assert page.url.endswith(COMPARED)
    assert len(asked) == 1


@pytest.mark.slow
def test_two_runs_that_are_selected_are_compared_the_earlier_one_first(trips, visit):
    page = visit(trips, "/")
    expect(page.get_by_role("grid", name="Runs").get_by_role("link")).to_have_count(3)
    for key in "jxjjx":
        page.keyboard.press(key)
    page.get_by_role("group", name="Selected runs").get_by_role("button", name="Compare").click()
    page.wait_for_url(re.compile(f"a={FIRST}&b={THIRD}"))
    expect(page.get_by_role("button", name=f"Cause: {CAUSE}.")).to_be_visible()


@pytest.mark.slow
def test_a_key_compares_a_run_with_the_one_of_its_program_before_it(trips, visit):
    page = visit(trips, "/")
    expect(page.get_by_role("grid", name="Runs").get_by_role("link")).to_have_count(3)
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.wait_for_url(re.compile(f"a={0xD2:032x}&b={THIRD}"))
    expect(page.get_by_text("The runs are equal.")).to_be_visible()
    expect(calls(page).get_by_role("row")).to_have_count(9)
    expect(calls(page).get_by_role("columnheader")).to_have_text(["Sign", "First run", "Second run"])


@pytest.mark.slow
def test_a_run_is_compared_with_another_the_one_before_it_offered_first(trips, visit):
    page = visit(trips, f"/runs/{SECOND}")
    page.get_by_role("button", name="Compare with").click()
    menu = page.get_by_role("dialog", name="Compare with")
    before = menu.get_by_role("region", name="Before it, of the same program").get_by_role("link")
    expect(before).to_have_count(1)
    expect(menu.get_by_role("region", name="Other runs").get_by_role("link")).to_have_count(1)
    before.click()
    page.wait_for_url(re.compile(f"a={FIRST}&b={SECOND}"))
    expect(page.get_by_role("button", name=f"Cause: {CAUSE}.")).to_be_visible()
    detail(page).get_by_role("link", name="Open in the second run").click()
    page.wait_for_url(re.compile(f"/traces/{0xD2:032x}"))


@pytest.mark.slow
def test_the_runs_can_change_sides(trips, visit):
    page = visit(trips, COMPARED)
    expect(detail(page).locator("ins").first).to_have_text("150")
    page.get_by_role("link", name="Swap the runs").click()
    expect(detail(page).locator("ins").first).to_have_text("300")
    expect(row(page, "book")).to_contain_text("first run only")


def test_runs_that_are_not_there_are_named(trips, visit, watch):
    watch.tolerate("404")
    page = visit(trips, f"/diff?a=nobody&b={THIRD}")
    expect(page.get_by_text("no run or trace nobody is recorded")).to_be_visible()
    page.get_by_role("link", name="Go to the runs").click()
    expect(page.get_by_role("grid", name="Runs")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1024, 1440, 1920])
def test_both_runs_have_room_at_every_width(trips, visit, width):
    page = visit(trips, COMPARED, viewport={"width": width, "height": 844})
    expect(detail(page).locator("ins").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cells = [cell.bounding_box() for cell in row(page, "weather").get_by_role("gridcell").all()[1:3]]
    assert all(box["width"] > 100 and box["x"] + box["width"] <= width for box in cells)
    assert cells[0]["y"] == cells[1]["y"]


@pytest.mark.slow
def test_a_difference_far_down_comes_into_view(oddities, visit):
    page = visit(oddities, f"/diff?a={0xA8:032x}&b={0xA4:032x}&all=1")
    expect(calls(page)).to_be_visible()
    page.keyboard.press("Shift+N")
    expect(chosen(page)).to_be_in_viewport()


@pytest.mark.slow
def test_hostile_strings_are_only_text_where_two_runs_are_compared(hostile, visit):
    others = [each["trace_id"] for each in hostile.get("/traces?limit=3")["items"] if each["trace_id"] != TRACE]
    page = visit(hostile, f"/diff?a={TRACE}&b={others[0]}&all=1")
    for _ in range(40):
        expect(detail(page).get_by_role("heading", level=3).first).to_be_visible()
        page.keyboard.press("n")
    assert page.evaluate("window.__pwned") is None
    assert page.locator("main script, main img, main iframe, main object, main form").count() == 0
