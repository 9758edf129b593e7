import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect
from serving import fill
from stories import CROWDED, LOOP, MINUTE, crowded_spans, gave, loop_spans, message, model_call, tool_call, wants

TALL = {"viewport": {"width": 1280, "height": 1400}}


@pytest.fixture(scope="module")
def loops(homes: Path, serving):
    """Two conversations of one program, a run of another one, and a loop of which one tool was recorded."""
    home = homes / "loops"
    invoice = tool_call(f"{0x20001:032x}", 1, "invoice", start_ms=2120)
    fill(home, [replace(each, run="watched") for each in (*loop_spans(3, "Send it", 2000), invoice)])
    other = tool_call(f"{0x20000:032x}", 1, "elsewhere", start_ms=5 * MINUTE)
    fill(home, [*loop_spans(1, "Send invoice 1137", 0), *loop_spans(2, "And once more", 1000), other])
    with serving(home) as server:
        yield server


def rows_of(page):
    return page.get_by_role("treegrid").get_by_role("row").filter(has=page.get_by_role("gridcell"))


def header_of(page):
    return page.locator("#main header").first


def test_a_hand_written_loop_is_an_agent_with_its_tools_and_says_which_failed(loops, visit):
    page = visit(loops, f"/runs/{LOOP}", **TALL)
    expect(page.get_by_role("heading", name="mailer")).to_be_visible()
    expect(header_of(page)).to_contain_text("Send invoice 1137")
    expect(rows_of(page)).to_have_count(12)
    for at, name in enumerate(("conversation", "gpt-4.1", "get_invoice", "gpt-4.1", "send_mail", "gpt-4.1")):
        expect(rows_of(page).nth(at)).to_contain_text(name)
        expect(rows_of(page).nth(at)).to_have_attribute("aria-level", "1" if at == 0 else "2")
    expect(page.get_by_role("region", name="What failed")).to_contain_text("send_mail")
    detail = page.get_by_role("region", name="Span", exact=True)
    expect(detail).to_contain_text("KeyError: 'ann'")
    expect(detail).to_contain_text("Inferred from messages")


@pytest.mark.slow
def test_recorded_calls_stand_between_the_turns_and_are_not_inferred_besides(loops, visit):
    page = visit(loops, "/runs/watched", **TALL)
    expect(rows_of(page)).to_have_count(6)
    for at, name in enumerate(("conversation", "gpt-4.1", "invoice", "gpt-4.1", "send_mail", "gpt-4.1")):
        expect(rows_of(page).nth(at)).to_contain_text(name)
        expect(rows_of(page).nth(at)).to_have_attribute("aria-level", "1" if at == 0 else "2")
    expect(rows_of(page).nth(2)).not_to_contain_text("get_invoice")
    expect(header_of(page)).to_contain_text(re.compile(r"Tool calls\s*1 \+ 1 inferred"))


@pytest.mark.slow
def test_a_conversation_says_what_was_asked_how_many_turns_it_took_and_what_was_answered(loops, visit):
    page = visit(loops, f"/runs/{LOOP}", **TALL)
    for question in ("Send invoice 1137", "And once more"):
        conversation = rows_of(page).filter(has_text="conversation").filter(has_text=question)
        expect(conversation).to_have_count(1)
        expect(conversation).to_contain_text("3 turns")
    # Said of the conversation, it is not said of each of its turns.
    expect(rows_of(page).filter(has_text="Send invoice 1137")).to_have_count(1)


@pytest.mark.slow
def test_what_is_inferred_is_counted_nowhere_and_can_be_hidden(loops, visit):
    page = visit(loops, f"/runs/{LOOP}", **TALL)
    header = header_of(page)
    expect(header).to_contain_text(re.compile(r"Traces\s*6"))
    expect(header).to_contain_text(re.compile(r"Tool calls\s*0"))
    page.get_by_role("button", name="6 inferred").click()
    expect(rows_of(page)).to_have_count(6)
    page.wait_for_url(re.compile("inferred=0"))
    page.get_by_role("button", name="inferred").click()
    expect(rows_of(page)).to_have_count(12)


@pytest.mark.slow
def test_the_header_tells_what_is_inferred_apart_and_agrees_with_the_line_of_failures(loops, visit):
    page = visit(loops, f"/runs/{LOOP}", **TALL)
    expect(header_of(page)).to_contain_text(re.compile(r"Errors\s*0 \+ 2 inferred"))
    expect(header_of(page)).to_contain_text(re.compile(r"Tool calls\s*0 \+ 4 inferred"))
    failed = page.get_by_role("region", name="What failed")
    expect(failed).to_contain_text("First failure, inferred from messages")
    expect(failed).to_contain_text("1 of 2 (2 inferred)")
    # Both are of one tool, and of no type: the line says all of it.
    expect(failed.get_by_role("list", name="Failures by error")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("view", ["graph", "transcript"])
def test_what_is_inferred_is_marked_and_can_be_hidden_in_the_other_views_too(loops, visit, view):
    page = visit(loops, f"/runs/{LOOP}?view={view}", **TALL)
    shown = page.get_by_role(
        "region" if view == "graph" else "group", name={"graph": "Agent graph"}.get(view, "Transcript")
    )
    if view == "graph":
        boxes = page.get_by_role("group", name="Drawing of the agent graph").get_by_role("button")
        expect(boxes.filter(has_text="get_invoice").first).to_contain_text("2 inferred calls")
        expect(boxes.filter(has_text="gpt-4.1").first).to_contain_text("6 calls")
    else:
        card = shown.get_by_role("article").filter(has=page.get_by_role("button", name="tool call get_invoice"))
        expect(card.first).to_contain_text("inferred")
    page.get_by_role("button", name="6 inferred").click()
    page.wait_for_url(re.compile("inferred=0"))
    expect(shown.get_by_text("inferred")).to_have_count(0)
    expect(shown.get_by_text("conversation")).to_have_count(0)


@pytest.mark.slow
def test_find_walks_to_inferred_tools_too_and_marks_what_it_found(loops, visit):
    page = visit(loops, f"/runs/{LOOP}", **TALL)
    expect(rows_of(page)).to_have_count(12)
    page.keyboard.press("f")
    page.keyboard.type("84932")
    row = rows_of(page).filter(has_text="get_invoice").filter(has_text="inferred").first
    # Above it is the call that asked for it, which does not know the amount.
    expect(page.get_by_role("status").filter(has_text=re.compile("^[0-9]"))).to_be_visible()
    page.get_by_role("treegrid").press("Home")
    page.keyboard.press("n")
    expect(row).to_have_attribute("aria-selected", "true")
    place = page.get_by_role("note").filter(has_text="result")
    expect(place.locator("mark")).to_have_text("84932")


@pytest.mark.slow
def test_a_hit_in_the_name_of_an_attribute_is_marked_among_the_attributes(loops, visit):
    page = visit(loops, f"/runs/{LOOP}?find=gen_ai", **TALL)
    page.get_by_role("link", name="show the attributes").click()
    detail = page.get_by_role("region", name="Span", exact=True)
    expect(detail.get_by_role("tab", name="Attributes")).to_have_attribute("aria-selected", "true")
    page.wait_for_function("() => CSS.highlights.get('find')?.size > 0")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1024, 1440])
def test_rows_say_what_a_call_was_about_however_wide_the_page(loops, visit, width):
    page = visit(loops, f"/runs/{LOOP}", viewport={"width": width, "height": 900})
    preview = rows_of(page).filter(has_text="send_mail").get_by_text("KeyError").first
    expect(preview).to_be_visible()
    expect(page.get_by_role("columnheader", name="Tokens")).to_be_visible(visible=width == 1440)


@pytest.mark.slow
def test_the_transcript_of_a_loop_says_only_what_each_call_brought(loops, visit):
    page = visit(loops, f"/runs/{LOOP}?view=transcript", **TALL)
    transcript = page.get_by_role("group", name="Transcript")
    expect(transcript).to_contain_text("Send invoice 1137")
    expect(transcript).to_contain_text("84932.86")
    expect(transcript).to_contain_text("And once more")
    # The second conversation continues nothing of the first one.
    expect(transcript).not_to_contain_text("left out since the call before")


@pytest.mark.slow
def test_a_span_of_a_run_is_walked_to_and_linked_on_the_page_of_the_run(loops, visit):
    page = visit(loops, f"/runs/{LOOP}", **TALL)
    detail = page.get_by_role("region", name="Span", exact=True)
    detail.get_by_role("link", name="What the model saw before this call").click()
    expect(detail).to_contain_text("chat gpt-4.1")
    assert f"/runs/{LOOP}" in page.url


@pytest.mark.slow
def test_an_inferred_span_is_opened_by_its_address_and_is_nowhere_passed_off_as_recorded(loops, visit):
    page = visit(loops, f"/runs/{LOOP}", **TALL)
    rows_of(page).filter(has_text="get_invoice").filter(has_text="inferred").first.click()
    page.wait_for_url(re.compile("span=7"))
    page.reload()
    detail = page.get_by_role("region", name="Span", exact=True)
    expect(detail).to_contain_text("Inferred from messages")
    expect(detail.get_by_role("tab")).to_have_text(["Overview"])
    expect(detail.get_by_role("term").filter(has_text=re.compile("^(Trace|Span|Dialect)$"))).to_have_count(0)
    expect(page.get_by_role("group", name="Labels of this span")).to_have_count(0)
    page.get_by_role("button", name="Copy as").click()
    for form in ("JSON", "curl", "Python"):
        expect(page.get_by_role("button", name=re.compile(f"^{form}.*not recorded"))).to_be_disabled()


@pytest.mark.slow
def test_a_span_that_is_not_in_the_run_is_not_asked_for(loops, visit):
    page = visit(loops, f"/runs/{LOOP}?span={0xABCD:016x}", **TALL)
    expect(page.get_by_text("Span not found in this run")).to_be_visible()


@pytest.mark.slow
def test_the_page_of_a_trace_leads_to_its_run(loops, visit):
    page = visit(loops, f"/traces/{0x10010:032x}", **TALL)
    page.get_by_role("link", name=LOOP).click()
    expect(rows_of(page)).to_have_count(12)


@pytest.mark.slow
def test_a_run_that_is_deleted_takes_all_of_its_traces_along(homes, serving, visit, watch):
    # What the page had asked for before can be answered after the run is gone.
    watch.tolerate("404")
    home = homes / "loops-deleted"
    fill(home, [*loop_spans(1, "Send invoice 1137", 0)])
    with serving(home) as server:
        page = visit(server, f"/runs/{LOOP}", **TALL)
        page.get_by_role("button", name="Delete this run").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete run").click()
        expect(page).to_have_url(re.compile(r"#/$"))
        assert server.get("/traces")["items"] == []


def test_a_run_that_is_not_there_says_so(loops, visit, watch):
    watch.tolerate("404")
    page = visit(loops, "/runs/nothing-here")
    expect(page.get_by_text("Run not found")).to_be_visible()


@pytest.mark.slow
def test_what_a_result_holds_is_never_markup(homes, serving, visit):
    home = homes / "loops-hostile"
    evil = "<img src=x onerror=alert(1)>"
    first = [message("user", evil)]
    answer = message("assistant", "", wants("c1", evil, text=evil))
    spans = [
        model_call(f"{0x31:032x}", 1, first, answer, took_ms=100),
        model_call(f"{0x32:032x}", 1, [*first, answer, gave("c1", evil)], message("assistant", evil), start_ms=200),
    ]
    fill(home, [replace(span, run=LOOP, service=evil) for span in spans])
    with serving(home) as server:
        page = visit(server, f"/runs/{LOOP}", **TALL)
        expect(rows_of(page)).to_have_count(4)
        rows_of(page).filter(has_text="inferred").last.click()
        expect(page.get_by_role("region", name="Span", exact=True)).to_contain_text(evil)
        assert page.locator("img[src=x]").count() == 0


@pytest.fixture(scope="module")
def crowded(homes: Path, serving):
    """A conversation of twelve turns, the eighth of which carries a file that is longer than all the rest."""
    home = homes / "crowded"
    fill(home, crowded_spans())
    with serving(home) as server:
        yield server


@pytest.mark.slow
def test_where_the_context_went_is_found_in_three_clicks(crowded, visit):
    page = visit(crowded, "/", **TALL)
    page.get_by_role("grid", name="Runs").get_by_role("link", name="books").click()
    detail = page.get_by_role("region", name="Span", exact=True)
    page.get_by_role("treegrid").get_by_role("row").filter(has_text="conversation").first.click()
    chart = detail.get_by_role("figure")
    expect(chart.get_by_role("listitem").filter(has=page.get_by_role("link", name="Turn 12:"))).to_have_count(1)
    expect(chart).to_contain_text("mostly tool results (read_file)")
    chart.get_by_role("link", name=re.compile(r"^Turn 8: \+")).click()
    expect(detail).to_contain_text("chat gpt-4.1")
    expect(detail).to_contain_text("Invoice 6: paid.")
    expect(detail.get_by_role("figure")).to_be_visible()


@pytest.mark.slow
def test_the_chart_of_a_context_is_a_table_as_well(crowded, visit):
    page = visit(crowded, f"/runs/{CROWDED}?span={0x30003 << 32 | 1:016x}", **TALL)
    chart = page.get_by_role("figure")
    page.get_by_role("button", name="As a table").click()
    rows = chart.get_by_role("row")
    expect(rows).to_have_count(13)
    expect(rows.first).to_contain_text("tool results")
    expect(chart).to_contain_text("the provider's figures")


@pytest.mark.slow
def test_a_call_that_no_other_continues_has_no_chart(loops, visit):
    page = visit(loops, f"/traces/{0x20000:032x}", **TALL)
    expect(page.get_by_role("region", name="Span", exact=True)).to_contain_text("elsewhere")
    expect(page.get_by_role("figure")).to_have_count(0)


@pytest.mark.slow
def test_rows_say_what_a_call_was_given_and_gave(crowded, visit):
    page = visit(crowded, f"/runs/{CROWDED}", viewport={"width": 1600, "height": 900})
    rows = rows_of(page)
    expect(rows.nth(1)).to_contain_text("Next is 0.")
    expect(rows.nth(2)).to_contain_text("Invoice 0: paid.")
    # Those that come into view tell as well.
    page.get_by_role("treegrid").focus()
    page.keyboard.press("End")
    expect(rows.filter(has_text="Next is 11.")).to_be_in_viewport()


@pytest.mark.slow
def test_without_messages_the_page_says_why_there_are_no_conversations(homes, serving, visit):
    home = homes / "silent"
    silent = [
        replace(span, attributes={}, input_key=None, output_key=None) for span in loop_spans(1, "Send invoice 1137", 0)
    ]
    fill(home, silent)
    with serving(home) as server:
        page = visit(server, f"/runs/{LOOP}", **TALL)
        expect(page.get_by_role("note")).to_contain_text("recorded without their messages")
        expect(rows_of(page)).to_have_count(3)


@pytest.mark.slow
def test_messages_that_only_keep_a_connection_going_are_one_row_until_it_is_opened(demo, demo_trace, visit):
    page = visit(demo, f"/traces/{demo_trace}", **TALL)
    plumbing = rows_of(page).filter(has_text="MCP: ")
    expect(plumbing).not_to_have_count(0)
    expect(rows_of(page).filter(has_text="initialize")).to_have_count(0)
    plumbing.first.click()
    expect(rows_of(page).filter(has_text="initialize")).not_to_have_count(0)


@pytest.mark.slow
def test_runs_of_other_programs_to_compare_with_are_named_by_their_program(loops, visit):
    page = visit(loops, f"/runs/{LOOP}", **TALL)
    page.get_by_role("button", name="Compare with").click()
    expect(page.get_by_role("region", name="Other runs")).to_contain_text("mailer: Send it")
