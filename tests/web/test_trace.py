import re

import pytest
from playwright.sync_api import expect
from serving import fill, wait_until
from stories import CYCLE, DEEP, LONG, ORPHANS, ROOTS, SKEW, STATES, TWICE, WIDE, span_of, tool_call

# High enough for every row of a demo run.
TALL = {"viewport": {"width": 1280, "height": 1600}}


def rows_of(page):
    return page.get_by_role("treegrid").get_by_role("row").filter(has=page.get_by_role("gridcell"))


def row_of(page, text):
    return rows_of(page).filter(has_text=text).first


def test_a_newcomer_sees_which_tool_failed_and_why_without_a_click(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    main = page.locator("#main")
    expect(main).to_contain_text("did not answer in time, nothing was booked")
    # The first of its rows is the call that counts; its duplicates are below.
    expect(row_of(page, "book_hotel")).to_have_attribute("aria-selected", "true")
    assert "span=" not in page.url


@pytest.mark.slow
def test_the_tree_has_every_call_below_the_one_that_made_it(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}?fold=0&depth=9", **TALL)
    expect(row_of(page, "weekend_trip")).to_have_attribute("aria-level", "1")
    expect(row_of(page, "trip_planner")).to_have_attribute("aria-level", "2")
    expect(row_of(page, "find_hotels")).to_have_attribute("aria-level", "3")
    spans = demo.get(f"/traces/{demo_trace}/outline")["columns"]["span_id"]
    expect(rows_of(page)).to_have_count(len(spans))


@pytest.mark.slow
def test_a_branch_is_collapsed_and_expanded(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    agent = row_of(page, "trip_planner")
    expect(agent).to_have_attribute("aria-expanded", "true")
    before = rows_of(page).count()
    agent.get_by_title("Collapse").click()
    expect(agent).to_have_attribute("aria-expanded", "false")
    wait_until(lambda: rows_of(page).count() < before)
    agent.get_by_title("Expand").click()
    expect(rows_of(page)).to_have_count(before)


@pytest.mark.slow
def test_a_row_is_named_by_its_call_to_a_screen_reader(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    expect(row_of(page, "weekend_trip")).to_have_accessible_name(re.compile("^workflow invoke_workflow weekend_trip"))


@pytest.mark.slow
def test_the_keyboard_walks_the_tree(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    grid = page.get_by_role("treegrid")
    expect(row_of(page, "weekend_trip")).to_be_visible()
    grid.focus()
    grid.press("Home")
    expect(row_of(page, "weekend_trip")).to_have_attribute("aria-selected", "true")
    page.wait_for_url(re.compile("span="))
    grid.press("ArrowLeft")
    expect(row_of(page, "weekend_trip")).to_have_attribute("aria-expanded", "false")
    expect(rows_of(page)).to_have_count(1)
    grid.press("ArrowRight")
    grid.press("ArrowRight")
    # The first line below is that of messages which only keep the connection going.
    grid.press("j")
    expect(row_of(page, "trip_brief")).to_have_attribute("aria-selected", "true")
    grid.press("j")
    grid.press("k")
    expect(row_of(page, "trip_brief")).to_have_attribute("aria-selected", "true")


@pytest.mark.slow
def test_e_goes_from_failure_to_failure(oddities, visit):
    page = visit(oddities, f"/traces/{LONG}?fold=0")
    expect(rows_of(page).first).to_be_visible()
    failed = oddities.get(f"/events?trace_id={LONG}&status=error&order=asc&limit=5")["items"]
    seen = []
    for _ in range(3):
        before = page.url
        page.keyboard.press("e")
        page.wait_for_url(lambda url, before=before: url != before)
        seen.append(re.search(r"span=([0-9a-f]{16})", page.url).group(1))
    known = [each["span_id"] for each in failed]
    assert [known.index(each) for each in seen] in ([0, 1, 2], [1, 2, 3])
    page.keyboard.press("Shift+E")
    page.wait_for_url(re.compile(seen[1]))


@pytest.mark.slow
def test_find_marks_matches_and_steps_through_them(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    expect(row_of(page, "weekend_trip")).to_be_visible()
    page.keyboard.press("f")
    page.keyboard.type("find_restaurants")
    page.wait_for_url(re.compile("find=find_restaurants"))
    expect(page.locator("#main")).to_contain_text(re.compile(r"\b3\b"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("span="))
    first = page.url
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != first)


INVOICES = f"{0xAF:032x}"


def marked(page, within):
    """The words that are marked in a part of the page, as the browser draws them."""
    return page.evaluate(
        """(within) => [...(CSS.highlights.get("find") ?? [])]
            .filter((range) => range.startContainer.parentElement?.closest(within)).map(String)""",
        within,
    )


@pytest.fixture
def invoices(tmp_path, serving):
    """Sixty calls of one tool, of which two results hold an invoice's number, below an agent."""
    root = span_of(INVOICES, 1, "agent", name="invoke_agent clerk", took_ms=100)
    calls = [
        tool_call(
            INVOICES,
            at,
            "get_invoice",
            {"page": at},
            {"rows": [{"number": "INV-1137" if at in (20, 50) else f"INV-{at}", "total": at}]},
            parent=1,
            start_ms=at,
        )
        for at in range(2, 62)
    ]
    fill(tmp_path / "home", [root, *calls])
    with serving(tmp_path / "home") as server:
        yield server


@pytest.mark.slow
def test_find_reaches_into_results_and_its_hits_are_counted_marked_and_walked(invoices, visit):
    page = visit(invoices, f"/traces/{INVOICES}?fold=0", **TALL)
    expect(row_of(page, "clerk")).to_be_visible()
    page.keyboard.press("f")
    page.keyboard.type("inv-1137")
    box = page.get_by_label("Find in this run")
    expect(page.get_by_role("status").filter(has_text="2")).to_be_visible()
    box.press("Enter")
    expect(page.get_by_role("status").filter(has_text="1 of 2")).to_be_visible()
    expect(page.get_by_role("note").filter(has_text="result.rows[0].number")).to_contain_text("INV-1137")
    page.wait_for_url(re.compile("span=[0-9a-f]{8}00000014"))
    expect(page.get_by_role("region", name="Selected span")).to_contain_text("INV-1137")
    page.wait_for_function("() => [...(CSS.highlights.get('find') ?? [])].length > 1")
    assert set(marked(page, "[aria-label='Selected span']")) == {"INV-1137"}
    box.press("Escape")
    expect(page.get_by_role("note").filter(has_text="result.rows[0].number")).to_have_count(0)


@pytest.mark.slow
def test_find_walks_the_hits_of_a_transcript_with_keys(invoices, visit):
    page = visit(invoices, f"/traces/{INVOICES}?view=transcript&find=inv-1137", **TALL)
    expect(page.get_by_role("status").filter(has_text="1 of 2")).to_be_visible()
    page.wait_for_url(re.compile("span=[0-9a-f]{8}00000014"))
    page.keyboard.press("n")
    expect(page.get_by_role("status").filter(has_text="2 of 2")).to_be_visible()
    page.wait_for_url(re.compile("span=[0-9a-f]{8}00000032"))
    page.keyboard.press("Shift+N")
    page.wait_for_url(re.compile("span=[0-9a-f]{8}00000014"))
    page.wait_for_function("() => CSS.highlights.get('find')?.size")


@pytest.mark.slow
def test_a_search_on_the_list_shows_where_a_run_holds_it_and_opens_it_there(invoices, visit):
    page = visit(invoices, "/?q=inv-1137")
    row = page.get_by_role("grid", name="Runs").get_by_role("row").filter(has_text="clerk")
    expect(row.locator("mark")).to_have_text("INV-1137")
    row.get_by_role("link").first.click()
    page.wait_for_url(re.compile("span=[0-9a-f]{8}00000014"))
    expect(page.get_by_label("Find in this run")).to_have_value("inv-1137")
    expect(page.get_by_role("status").filter(has_text="1 of 2")).to_be_visible()


@pytest.mark.slow
def test_equal_siblings_fold_into_one_line_that_opens(tmp_path, visit, serving):
    trace_id = f"{0xF01D:032x}"
    calls = [tool_call(trace_id, number, "search", start_ms=number, took_ms=0.5, parent=1) for number in range(2, 14)]
    fill(tmp_path / "home", [span_of(trace_id, 1, "agent", name="invoke_agent busy", took_ms=20), *calls])
    with serving(tmp_path / "home") as server:
        page = visit(server, f"/traces/{trace_id}?fold=1")
        folded = row_of(page, "12 ×")
        expect(folded).to_contain_text("search")
        expect(rows_of(page)).to_have_count(2)
        folded.get_by_title("Expand").click()
        expect(rows_of(page)).to_have_count(14)


@pytest.mark.slow
def test_zoom_is_in_the_address_and_reset_with_a_key(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}?zoom=500-900", **TALL)
    expect(row_of(page, "weekend_trip")).to_be_visible()
    shown = page.get_by_role("slider", name="Visible part of the trace")
    expect(shown).to_have_attribute("aria-valuetext", re.compile("500 ms to 900 ms"))
    page.keyboard.press("0")
    page.wait_for_url(lambda url: "zoom=" not in url)
    page.keyboard.press("+")
    page.wait_for_url(re.compile("zoom="))


@pytest.mark.slow
def test_dragging_on_the_minimap_zooms(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    box = page.get_by_role("slider", name="Visible part of the trace").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 5, steps=5)
    page.mouse.up()
    page.wait_for_url(re.compile(r"zoom=\d"))


@pytest.mark.slow
def test_the_critical_path_is_drawn_on_demand(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    page.get_by_role("button", name=re.compile("critical path", re.IGNORECASE)).click()
    page.wait_for_url(re.compile("path=1"))


@pytest.mark.slow
def test_a_kind_is_hidden_and_what_is_below_it_moves_up(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}?hide=rpc&fold=0&depth=9", **TALL)
    expect(row_of(page, "weekend_trip")).to_be_visible()
    expect(rows_of(page).filter(has_text="tools/list")).to_have_count(0)
    below = rows_of(page).filter(has_text="execute_tool weather")
    expect(below).to_have_count(2)
    expect(below.nth(1)).to_have_attribute("aria-level", "4")


@pytest.mark.slow
def test_a_call_that_two_spans_tell_of_counts_once_and_says_so(oddities, visit):
    page = visit(oddities, f"/traces/{TWICE}?depth=9", viewport={"width": 1920, "height": 900})
    used = oddities.get(f"/traces/{TWICE}")["trace"]["input_tokens"]
    one = oddities.get(f"/events/{span_of(TWICE, 3).span_id}")["input_tokens"]
    assert used == 3 * one
    expect(rows_of(page)).to_have_count(11)
    expect(rows_of(page).first).to_contain_text(f"{used} → 120")
    expect(rows_of(page).nth(2)).not_to_contain_text("(")
    expect(rows_of(page).nth(3)).to_contain_text(f"({one} → 40)")
    expect(rows_of(page).nth(3)).to_contain_text("Duplicate of chat gpt-4.1 above, counted there")
    expect(rows_of(page).nth(6)).to_contain_text("Duplicate of chat gpt-4.1 below, counted there")
    expect(page.locator("#main header").first).to_contain_text(re.compile("Model calls ?3.*Tool calls ?1"))


@pytest.mark.slow
def test_the_tools_of_the_waterfall_are_on_one_line_beside_the_detail(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": 1280, "height": 800})
    tools = page.get_by_role("group", name="Waterfall")
    expect(tools.get_by_role("button", name=re.compile(r"^\d+ duplicates$"))).to_be_visible()
    buttons = [button.bounding_box() for button in tools.get_by_role("button").all()]
    assert len(buttons) > 8
    middles = {round(box["y"] + box["height"] / 2) for box in buttons}
    assert max(middles) - min(middles) <= 2


@pytest.mark.slow
def test_spans_that_tell_of_a_call_once_more_are_hidden_on_demand_and_counted_where_they_were(oddities, visit):
    page = visit(oddities, f"/traces/{TWICE}?depth=9", **TALL)
    expect(rows_of(page)).to_have_count(11)
    toggle = page.get_by_role("button", name="5 duplicates")
    expect(toggle).to_have_attribute("aria-pressed", "true")
    toggle.press("Enter")
    page.wait_for_url(re.compile("same=0"))
    expect(rows_of(page)).to_have_count(6)
    levels = [row.get_attribute("aria-level") for row in rows_of(page).all()]
    assert levels == ["1", "2", "2", "2", "2", "3"]
    expect(row_of(page, "desk__weather")).to_contain_text("1 hidden duplicate")
    page.get_by_role("button", name="5 duplicates").click()
    expect(rows_of(page)).to_have_count(11)
    assert "same=" not in page.url


@pytest.mark.slow
def test_what_tells_once_more_of_a_call_is_closed_below_it_until_it_is_asked_for(oddities, visit):
    page = visit(oddities, f"/traces/{TWICE}", **TALL)
    expect(rows_of(page)).to_have_count(8)
    closed = rows_of(page).filter(has=page.get_by_title("Expand"))
    expect(closed).not_to_have_count(0)
    page.keyboard.press("]")
    expect(rows_of(page)).to_have_count(11)


@pytest.mark.slow
def test_a_hidden_span_that_is_looked_at_is_marked_at_the_span_that_counts_for_it(oddities, visit):
    page = visit(oddities, f"/traces/{TWICE}?same=0&span={span_of(TWICE, 11).span_id}", **TALL)
    expect(row_of(page, "desk__weather")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", name="execute_tool weather")).to_be_visible()
    grid = page.get_by_role("treegrid")
    grid.focus()
    grid.press("j")
    expect(row_of(page, "tools/call weather")).to_have_attribute("aria-selected", "true")


@pytest.mark.slow
@pytest.mark.parametrize("view", ["graph", "transcript"])
def test_a_call_that_two_spans_tell_of_is_told_once_in_other_views(oddities, visit, view):
    page = visit(oddities, f"/traces/{TWICE}?view={view}")
    main = page.locator("#main")
    if view == "graph":
        expect(main).to_contain_text("3 calls")
        expect(main).to_contain_text("desk__weather")
        expect(main.get_by_text("weather", exact=True)).to_have_count(0)
    else:
        articles = page.get_by_role("article")
        expect(articles.filter(has_text="gpt-4.1")).to_have_count(3)
        expect(articles.filter(has_text="weather")).to_have_count(1)


def test_a_row_opens_its_detail_and_the_address_names_it(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    row_of(page, "find_hotels").click()
    page.wait_for_url(re.compile("span="))
    expect(page.get_by_role("tab", name=re.compile("Overview"))).to_be_visible()
    page.reload()
    expect(row_of(page, "find_hotels")).to_have_attribute("aria-selected", "true")


@pytest.mark.slow
@pytest.mark.parametrize("view", ["graph", "transcript"])
def test_another_view_shows_the_same_run(demo, demo_trace, visit, view):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    expect(row_of(page, "weekend_trip")).to_be_visible()
    page.get_by_text(view.capitalize(), exact=True).first.click()
    page.wait_for_url(re.compile(f"view={view}"))
    expect(page.locator("#main")).to_contain_text("local_guide")
    expect(page.locator("#main")).to_contain_text("book_hotel")


@pytest.mark.slow
def test_a_graph_begins_at_a_size_that_can_be_read_and_is_whole_when_asked_to_fit(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}?view=graph")
    drawing = page.get_by_label("Drawing of the agent graph")
    fit = page.get_by_role("button", name=re.compile("Fit into the window"))
    expect(fit).to_contain_text("75")
    assert drawing.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    fit.click()
    expect(fit).not_to_contain_text("75")
    wait_until(lambda: drawing.evaluate("frame => frame.scrollWidth <= frame.clientWidth"))


@pytest.mark.slow
def test_the_calls_of_a_box_of_the_graph_stand_in_columns(oddities, visit):
    page = visit(oddities, f"/traces/{LONG}?view=graph&span={span_of(LONG, 500).span_id}")
    calls = page.get_by_role("region", name="Calls", exact=True).get_by_role("listitem").get_by_role("button")
    expect(calls.filter(has_text="TimeoutError")).not_to_have_count(0)
    boxes = [call.bounding_box() for call in calls.filter(has_text="ms").all()]
    assert len({round(box["width"]) for box in boxes if box}) == 1


ODD = {
    ORPHANS: "orphan whose parent is missing",
    CYCLE: "second of the circle",
    ROOTS: "root 4",
    SKEW: "ends before it begins",
    WIDE: "invoke_workflow wide",
    DEEP: "level 0",
}


@pytest.mark.slow
@pytest.mark.parametrize("trace_id", ODD)
def test_a_tree_that_no_program_should_make_still_shows(oddities, visit, trace_id):
    page = visit(oddities, f"/traces/{trace_id}")
    expect(row_of(page, ODD[trace_id])).to_be_visible()


@pytest.mark.slow
def test_what_is_odd_about_a_row_is_said(oddities, visit):
    page = visit(oddities, f"/traces/{ORPHANS}")
    expect(row_of(page, "orphan whose parent")).to_contain_text("not recorded")
    page = visit(oddities, f"/traces/{CYCLE}")
    expect(rows_of(page).filter(has_text="cycle, which is cut")).not_to_have_count(0)
    page = visit(oddities, f"/traces/{SKEW}")
    expect(row_of(page, "begins before its parent")).to_contain_text("clocks disagree")


@pytest.mark.slow
def test_lost_calls_among_the_failures_are_counted_by_themselves(oddities, visit):
    page = visit(oddities, f"/traces/{STATES}")
    expect(page.locator("#main header").first).to_contain_text(re.compile(r"Errors\D*8\D"))
    expect(page.get_by_role("region", name="What failed")).to_contain_text("1 of 16 (8 lost)")


@pytest.mark.slow
def test_every_kind_in_every_status_is_told_apart_in_words(oddities, visit):
    page = visit(oddities, f"/traces/{STATES}?fold=0", viewport={"width": 1280, "height": 2400})
    for kind in ("tool", "agent"):
        for status in ("running", "error", "denied", "cancelled", "abandoned", "lost"):
            # Once in its name, and again in a word of its own.
            expect(row_of(page, f"{kind} that is {status}")).to_contain_text(re.compile(f"{status}.*{status}"))


@pytest.mark.slow
def test_the_end_of_a_long_trace_is_reached(oddities, visit):
    page = visit(oddities, f"/traces/{LONG}?fold=0&depth=5")
    grid = page.get_by_role("treegrid")
    expect(rows_of(page).first).to_be_visible()
    grid.focus()
    grid.press("End")
    last = span_of(LONG, 10_000).span_id
    page.wait_for_url(re.compile(last))
    assert rows_of(page).count() < 200


@pytest.mark.slow
def test_a_deep_link_into_a_long_trace_shows_its_row(oddities, visit):
    page = visit(oddities, f"/traces/{LONG}?span={span_of(LONG, 7500).span_id}&fold=0")
    expect(page.get_by_role("treegrid").locator('[aria-selected="true"]')).to_be_visible()
    expect(page.locator("#main")).to_contain_text("call 7500 took too long")


@pytest.mark.slow
def test_a_column_of_the_waterfall_that_has_no_room_has_no_heading_either(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": 1280, "height": 800})
    tokens, cost = (page.get_by_role("columnheader", name=name, exact=True) for name in ("Tokens", "Cost"))
    expect(tokens).to_be_visible()
    expect(cost).to_be_hidden()
    page.set_viewport_size({"width": 1600, "height": 800})
    expect(cost).to_be_visible()


@pytest.mark.slow
def test_a_run_without_tokens_leaves_the_room_of_their_columns_to_the_bars(oddities, visit):
    page = visit(oddities, f"/traces/{DEEP}", viewport={"width": 1600, "height": 800})
    expect(page.get_by_role("columnheader", name="Span")).to_be_visible()
    for name in ("Tokens", "Cost"):
        expect(page.locator("[role=columnheader]", has_text=re.compile(f"^{name}$"))).to_be_hidden()


@pytest.mark.slow
def test_the_selected_call_stays_in_view_where_the_window_gets_lower(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    failed = row_of(page, "book_hotel")
    expect(failed).to_have_attribute("aria-selected", "true")
    for height in (800, 760, 720):
        page.set_viewport_size({"width": 1280, "height": height})
        expect(failed).to_be_in_viewport(ratio=1)


@pytest.mark.slow
def test_on_a_phone_the_waterfall_has_half_of_the_screen(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": 390, "height": 844})
    expect(rows_of(page).first).to_be_attached()
    box = page.get_by_role("treegrid").bounding_box()
    assert box and box["y"] < 844 / 2


@pytest.mark.slow
def test_in_a_narrow_window_the_edge_of_the_names_is_where_the_bars_begin(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": 390, "height": 844})
    edge = page.get_by_role("separator", name="Width of the names").bounding_box()
    axis = page.get_by_role("treegrid").get_by_label("Time", exact=True).bounding_box()
    assert edge and axis
    assert edge["x"] == pytest.approx(axis["x"], abs=1)


@pytest.mark.slow
def test_in_a_narrow_window_a_deep_row_still_begins_its_name(oddities, visit):
    page = visit(oddities, f"/traces/{DEEP}", viewport={"width": 390, "height": 844})
    name = row_of(page, "level 15").get_by_text("level 15").bounding_box()
    axis = page.get_by_role("treegrid").get_by_label("Time", exact=True).bounding_box()
    assert name and axis
    assert name["x"] + 30 < axis["x"]


@pytest.mark.slow
def test_on_a_phone_a_tap_on_a_span_brings_its_detail_into_view(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": 390, "height": 844}, has_touch=True)
    name = page.get_by_role("region", name="Selected span").get_by_role("heading").first
    expect(name).not_to_be_in_viewport()
    rows_of(page).filter(has_text="find_hotels").first.tap()
    expect(name).to_contain_text("find_hotels")
    expect(name).to_be_in_viewport()


@pytest.mark.slow
def test_on_a_phone_the_keyboard_enters_a_detail_at_its_error_below_its_row(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": 390, "height": 844})
    detail = page.get_by_role("region", name="Selected span")
    error = detail.get_by_role("region", name="Error")
    expect(error).not_to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(detail.get_by_role("region", name="Span", exact=True)).to_be_focused()
    expect(error).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("row", selected=True)).to_be_in_viewport()


@pytest.mark.slow
def test_on_a_phone_the_detail_follows_the_last_of_a_few_rows(oddities, visit):
    page = visit(oddities, f"/traces/{SKEW}", viewport={"width": 390, "height": 844})
    last = rows_of(page).last.bounding_box()
    detail = page.get_by_role("region", name="Selected span").bounding_box()
    assert last and detail
    assert 0 <= detail["y"] - last["y"] - last["height"] < last["height"]


PREVIEW_WIDTHS = """(rows) => rows.flatMap((row) => [...row.querySelectorAll("[aria-hidden] + bdi")])
  .filter((outcome) => outcome.checkVisibility()).map((outcome) => outcome.clientWidth || outcome.offsetWidth)"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1100])
def test_a_preview_that_a_row_has_no_room_for_leaves_no_arrow_behind(demo, demo_trace, visit, width):
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": width, "height": 1200})
    rows = page.get_by_role("treegrid").get_by_role("row").filter(has_text="→")
    expect(rows.first).to_be_visible()
    widths = rows.evaluate_all(PREVIEW_WIDTHS)
    assert widths and min(widths) > 25


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "words"),
    [
        (1400, ["Waterfall", "Graph", "Transcript", "Spans", "Stats", "Compare", "Replay", "Link", "Delete"]),
        (1000, ["Waterfall", "Graph", "Transcript"]),
        (390, []),
    ],
)
def test_what_can_be_done_with_a_run_has_words_where_there_is_room(demo, demo_trace, visit, width, words):
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": width, "height": 800})
    tools = page.get_by_role("group", name="View").locator("..")
    assert tools.inner_text().split() == words
    tools.get_by_role("link", name="Stats of this run").click()
    expect(page.get_by_role("heading", name="Stats").first).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("view", ["/traces/{}", "/stats"])
def test_what_is_printed_goes_on_over_the_first_page(demo, demo_trace, visit, view):
    page = visit(demo, view.format(demo_trace))
    (pages,) = re.findall(rb"/Count (\d+)", page.pdf(format="A4"))
    assert int(pages) > 1


@pytest.mark.slow
def test_on_a_phone_the_figures_of_a_run_show_on_demand(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", viewport={"width": 390, "height": 844})
    figures = page.get_by_role("main").locator("dl").first
    started = figures.get_by_text("Started", exact=True)
    expect(figures.get_by_text("Duration", exact=True)).to_be_visible()
    expect(started).to_be_hidden()
    page.get_by_role("button", name="All figures").click()
    expect(started).to_be_visible()
    page.get_by_role("button", name="Fewer figures").click()
    expect(started).to_be_hidden()
    page.set_viewport_size({"width": 1440, "height": 844})
    expect(started).to_be_visible()
    expect(page.get_by_role("button", name="All figures")).to_be_hidden()
