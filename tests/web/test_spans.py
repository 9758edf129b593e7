import re

import pytest
from playwright.sync_api import expect


def rows_of(page):
    return page.get_by_role("grid", name="Spans").get_by_role("row")


@pytest.mark.slow
def test_the_old_address_of_the_list_leads_to_it_with_its_filter(demo, visit):
    page = visit(demo, "/events?kind=tool&sort=duration")
    page.wait_for_url(re.compile(r"#/spans\?kind=tool&sort=duration$"))
    expect(rows_of(page).nth(1)).to_contain_text("execute_tool")


@pytest.mark.slow
def test_spans_are_sorted_by_tokens(crowd, visit):
    page = visit(crowd, "/spans")
    page.get_by_role("columnheader", name="Tokens").get_by_role("link").click()
    page.wait_for_url(re.compile(r"#/spans\?sort=tokens$"))
    most = crowd.get("/events?sort=tokens&limit=1")["items"][0]
    expect(rows_of(page).nth(1)).to_contain_text(f"{most['input_tokens']:,}")
    expect(page.get_by_text("most tokens first")).to_be_visible()


@pytest.mark.slow
def test_a_running_call_shows_its_time_so_far(empty, visit, start_agent):
    agent = start_agent(empty.home)
    agent.emit("before_tool_call", tool_name="slow", args={}, context=None, call_id="slow")
    page = visit(empty, "/spans")
    expect(rows_of(page).filter(has_text="slow").get_by_title("Time so far")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("view", ["/", "/spans", "/stats"])
def test_a_local_time_in_an_address_works_on_every_page(demo, visit, view):
    page = visit(demo, f"{view}?since=2020-11-22T12:54&until=now")
    expect(page.get_by_role("button", name="Time: 2020-11-22 12:54:00 – now")).to_be_visible()
    expect(page.locator("#main")).to_contain_text("trip-planner" if view == "/" else "book_hotel")


@pytest.mark.slow
def test_a_time_is_typed_from_and_to_and_refused_where_it_is_none(demo, visit):
    page = visit(demo, "/spans")
    page.get_by_role("button", name="Time: All time").click()
    page.get_by_label("From").fill("someday")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("“someday” is not a time")
    page.get_by_label("From").fill("2 days ago")
    page.get_by_label("To", exact=True).fill("yesterday")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"since=2\+days\+ago&until=yesterday"))
    expect(page.get_by_text("No span matches")).to_be_visible()


@pytest.mark.slow
def test_enter_takes_the_only_value_that_holds_what_was_typed(demo, visit):
    page = visit(demo, "/spans")
    page.get_by_role("button", name="Add a filter").click()
    page.get_by_role("button", name="tool", exact=True).click()
    expect(page.get_by_role("option").filter(has_text="book_hotel")).to_be_visible()
    page.keyboard.type("book")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"tool=[\w-]+%2Fbook_hotel$"))
    expect(rows_of(page).nth(1)).to_contain_text("book_hotel")


def test_a_row_has_what_its_call_was_given_and_what_it_gave_or_why_it_failed(demo, visit):
    page = visit(demo, "/no/such/view")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/events/previews?" in request.url else None)
    page.goto(f"{demo.url}/#/spans?kind=tool&duplicates=false&name=execute_tool%20book_hotel")
    rows = rows_of(page)
    for given, gave in (("hotel: Hotel Miradouro", "confirmation: LX-2047"), ("nights: 2", "did not answer in time")):
        expect(rows.filter(has_text=gave).first).to_contain_text(given)
    # One request for all rows in view.
    assert len(asked) == 1


@pytest.mark.slow
def test_a_row_gets_what_its_call_gave_once_it_has_ended(tmp_path, visit, serving, start_agent):
    with serving(tmp_path / "home") as server:
        agent = start_agent(tmp_path / "home")
        agent.emit("before_tool_call", tool_name="look", args={"city": "Oslo"}, context=None, call_id="1")
        page = visit(server, "/spans")
        row = rows_of(page).filter(has_text="look").first
        expect(row).to_contain_text("city: Oslo")
        result = {"sky": "clear"}
        agent.emit("after_tool_call", tool_name="look", args={"city": "Oslo"}, result=result, context=None, call_id="1")
        expect(row).to_contain_text("sky: clear")


@pytest.mark.slow
def test_columns_are_chosen_and_kept_in_the_address(crowd, visit):
    page = visit(crowd, "/spans")
    heads = page.get_by_role("grid", name="Spans").get_by_role("columnheader")
    page.get_by_role("button", name="Columns").click()
    page.get_by_label("Session").check()
    page.get_by_label("Agent").uncheck()
    page.wait_for_url(re.compile(r"cols=session%2Cpreview%2Cduration%2Ctokens%2Ccost$"))
    page.reload()
    expect(heads.filter(has_text="Session")).to_be_visible()
    expect(heads.filter(has_text="Agent")).to_have_count(0)
    heads.filter(has_text="Tokens").get_by_role("link").click()
    page.wait_for_url(re.compile(r"cols=.*sort=tokens|sort=tokens.*cols="))


def test_a_view_is_saved_by_name_opened_again_and_forgotten(crowd, visit):
    page = visit(crowd, "/spans?status=error&sort=duration&cols=error,duration")
    page.get_by_role("button", name="Views").click()
    page.get_by_label("Name of this view").fill("slow failures")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="slow failures", exact=True)).to_be_visible()
    page.goto(re.sub("#.*", "#/spans", page.url))
    page.get_by_role("button", name="Views").click()
    page.get_by_role("button", name="slow failures", exact=True).click()
    page.wait_for_url(re.compile(r"#/spans\?status=error&sort=duration&cols=error%2Cduration$"))
    page.get_by_role("button", name="Views").click()
    page.get_by_role("button", name="Forget the view slow failures").click()
    expect(page.get_by_role("button", name="slow failures", exact=True)).to_have_count(0)


@pytest.mark.slow
def test_a_run_leads_to_its_spans_and_its_figures_under_its_name(demo, visit):
    run = demo.get("/runs?limit=1")["items"][0]
    for place in ("Spans", "Stats"):
        page = visit(demo, f"/runs/{run['run_id']}")
        page.get_by_role("link", name=f"{place} of this run").click()
        page.wait_for_url(re.compile(rf"#/{place.lower()}\?run_id={run['run_id']}$"))
        expect(page.get_by_role("button", name=f"Remove run: {run['name']}")).to_be_visible()
        page.close()


@pytest.mark.slow
def test_a_narrow_list_has_the_input_and_output_of_a_span_below_its_name(crowd, visit):
    page = visit(crowd, "/spans?kind=tool", viewport={"width": 390, "height": 844})
    row = page.get_by_role("grid", name="Spans").get_by_role("row").nth(1)
    name, preview = row.get_by_text("execute_tool").first, row.get_by_text("→").first
    expect(preview).to_be_visible()
    above, below = name.bounding_box(), preview.bounding_box()
    assert below["y"] >= above["y"] + above["height"] - 1
    assert below["y"] + below["height"] <= row.bounding_box()["y"] + row.bounding_box()["height"]
