import re

import pytest
from playwright.sync_api import expect
from replayed import AGAIN, CUT, LATEST, ORIGINAL, call
from serving import fill

PHONE = {"width": 390, "height": 800}


def opened(page):
    page.get_by_role("button", name="Replay", exact=True).click()
    panel = page.get_by_role("dialog", name="Replay")
    expect(panel.locator("p").first).to_contain_text("be replayed")
    return panel


def test_the_page_of_a_run_offers_the_command_that_replays_it(replays, visit):
    page = visit(replays, f"/runs/{ORIGINAL}")
    panel = opened(page)
    expect(panel).to_contain_text("Can be replayed: the program runs again and gets the 2 recorded answers.")
    expect(panel).to_contain_text(re.compile(rf"inspector replay --home \S+ {ORIGINAL}"))
    page.keyboard.press("Tab")
    expect(panel.get_by_role("button", name="Copy the command")).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page.get_by_role("button", name="Replay", exact=True)).to_be_focused()


@pytest.mark.slow
def test_a_call_that_is_in_the_way_is_named_with_the_reason_and_opens(replays, visit):
    page = visit(replays, f"/runs/{CUT}")
    panel = opened(page)
    expect(panel).to_contain_text("1 call cannot be replayed")
    expect(panel).to_contain_text("chat gpt-4.1: what its client got was not recorded")
    panel.get_by_role("link", name="chat gpt-4.1").click()
    page.wait_for_url(re.compile(rf"/runs/{CUT}\?span={4 << 32 | 2:016x}"))
    expect(panel).to_have_count(0)


@pytest.mark.slow
def test_calls_of_one_name_that_are_in_the_way_for_one_reason_are_named_once(homes, serving, visit):
    home = homes / "in-the-way"
    fill(home, [call("often", number, "Again?", number * 10, trace=9, exchanges=None) for number in range(1, 6)])
    with serving(home) as server:
        panel = opened(visit(server, "/runs/often"))
        expect(panel).to_contain_text("5 calls cannot be replayed")
        expect(panel.get_by_role("link", name="chat gpt-4.1")).to_have_count(1)
        expect(panel).to_contain_text("and 4 more")


def test_a_run_and_its_replays_lead_to_one_another_and_to_their_comparison(replays, visit):
    page = visit(replays, f"/runs/{ORIGINAL}")
    expect(page.get_by_text("Replayed as")).to_be_visible()
    page.get_by_role("link", name="Where is it warm now?").click()
    page.wait_for_url(re.compile(f"/runs/{LATEST}"))
    expect(page.get_by_text("Replay of")).to_be_visible()
    page.get_by_role("link", name=re.compile("Compare with the run of")).click()
    expect(page.get_by_role("button", name=re.compile("^Cause: "))).to_be_visible()
    expect(page).to_have_url(re.compile(f"a={ORIGINAL}&b={LATEST}"))


@pytest.mark.slow
def test_replays_are_marked_where_runs_are_listed_and_lead_to_their_comparison(replays, visit):
    page = visit(replays, "/")
    expect(page.get_by_role("row").filter(has_text="Where is it cold?")).to_be_visible()
    marks = page.get_by_role("link", name="replay", exact=True)
    expect(marks).to_have_count(2)
    expect(page.get_by_label("Runs in figures")).to_contain_text(re.compile("Replays.*2 left out"))
    expect(marks.first).to_have_attribute("title", f"Replay of {ORIGINAL}. Compare the two runs")
    marks.first.click()
    expect(page.get_by_role("button", name=re.compile("^Cause: "))).to_be_visible()
    expect(page).to_have_url(re.compile(f"/diff.*a={ORIGINAL}&b={LATEST}"))


@pytest.mark.slow
def test_a_filter_has_no_count_of_replays_that_it_may_leave_out_itself(replays, visit):
    figures = visit(replays, f"/?run_id={CUT}").get_by_label("Runs in figures")
    expect(figures).to_contain_text(re.compile("^Runs1"))
    expect(figures).not_to_contain_text("left out")
    figures = visit(replays, f"/?run_id={AGAIN}").get_by_label("Runs in figures")
    expect(figures).to_contain_text(re.compile("Replays *left out"))
    note = visit(replays, "/stats?model=gpt-4.1").get_by_role("note")
    expect(note).to_contain_text("Replays are left out")
    page = visit(replays, f"/stats?run_id={ORIGINAL}")
    expect(page.get_by_role("region", name="Figures")).to_contain_text("By model")
    expect(page.get_by_role("note")).to_have_count(0)
    page = visit(replays, f"/stats?run_id={AGAIN}")
    expect(page.get_by_role("note")).to_contain_text("Replays are left out")


@pytest.mark.slow
def test_a_run_that_has_to_do_with_no_replay_has_no_line_about_them(replays, visit):
    page = visit(replays, f"/runs/{CUT}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text(re.compile("Replay of|Replayed as"))).to_have_count(0)


@pytest.mark.slow
def test_on_a_phone_the_panel_stays_on_the_screen(replays, visit):
    page = visit(replays, f"/runs/{ORIGINAL}", viewport=PHONE)
    expect(opened(page).get_by_role("button", name="Copy the command")).to_be_visible()
    page.wait_for_function(
        """(width) => {
          const { left, right } = document.querySelector("[role=dialog]:popover-open").getBoundingClientRect();
          return left >= 0 && right <= width && document.documentElement.scrollWidth <= width;
        }""",
        arg=PHONE["width"],
    )


@pytest.mark.slow
def test_figures_leave_replays_out_until_they_are_asked_for(replays, visit):
    page = visit(replays, "/stats")
    calls = page.locator("#main dl").get_by_role("link", name="4", exact=True)
    expect(calls.first).to_be_visible()
    expect(page.get_by_role("note")).to_contain_text("2 replays left out")
    expect(calls.first).to_have_attribute("href", re.compile("replays=false"))
    page.get_by_role("button", name="Count replays").click()
    expect(page.locator("#main dl").get_by_role("link", name="6", exact=True).first).to_be_visible()
    expect(page.get_by_role("note")).to_have_count(0)
    expect(page).to_have_url(re.compile("replays=true"))
    page.get_by_role("button", name=re.compile("Remove .*replays")).click()
    expect(calls.first).to_be_visible()
