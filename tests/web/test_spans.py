"""All spans as a list: its address, what it is sorted by, and what a row says."""

import re

from playwright.sync_api import expect


def rows_of(page):
    return page.get_by_role("grid", name="Spans").get_by_role("row")


def test_the_old_address_of_the_list_leads_to_it_with_its_filter(demo, visit):
    page = visit(demo, "/events?kind=tool&sort=duration")
    page.wait_for_url(re.compile(r"#/spans\?kind=tool&sort=duration$"))
    expect(rows_of(page).nth(1)).to_contain_text("execute_tool")


def test_spans_are_sorted_by_tokens(crowd, visit):
    page = visit(crowd, "/spans")
    page.get_by_role("columnheader", name="Tokens").get_by_role("link").click()
    page.wait_for_url(re.compile(r"#/spans\?sort=tokens$"))
    most = crowd.get("/events?sort=tokens&limit=1")["items"][0]
    expect(rows_of(page).nth(1)).to_contain_text(f"{most['input_tokens']:,}")
    expect(page.get_by_text("most tokens first")).to_be_visible()


def test_a_running_call_shows_its_time_so_far(empty, visit, start_agent):
    agent = start_agent(empty.home)
    agent.emit("before_tool_call", tool_name="slow", args={}, context=None, call_id="slow")
    page = visit(empty, "/spans")
    expect(rows_of(page).filter(has_text="slow").get_by_title("Time so far")).to_be_visible()
