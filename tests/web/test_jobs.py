"""What people come for, from the list of runs on, in no more clicks than it should take; typing is not counted."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from serving import fill, wait_until
from settling import settle
from stories import MINUTE, TRACEBACK, crowded_spans, gave, loop_spans, message, model_call, span_of, tool_call, wants

from inspector import semconv
from inspector.model import SpanError

BOOKS = f"{0xB00C5:032x}"
WRONG = "84932.86"
CLERK = {"run": "books", "service": "clerk"}
TALL = {"viewport": {"width": 1280, "height": 1000}}


def books():
    """A clerk reads sixty invoices, one of which has a wrong amount, and fails to pay that."""
    yield span_of(BOOKS, 1, "agent", name="invoke_agent clerk", agent="clerk", took_ms=900, **CLERK, status="error")
    asked = [message("system", "You pay invoices."), message("user", "Pay what is due.")]
    reads = [wants(f"c{at}", "get_invoice", page=at) for at in range(60)]
    yield model_call(BOOKS, 2, asked, message("assistant", "", *reads), parent=1, start_ms=1, **CLERK)
    for at in range(60):
        yield tool_call(
            BOOKS,
            3 + at,
            "get_invoice",
            {"page": at},
            {"number": f"INV-{1100 + at}", "amount": WRONG if at == 37 else f"{at}.50"},
            parent=1,
            start_ms=10 + at,
            **CLERK,
        )
    paying = message("assistant", "INV-1137 is due since May.", wants("pay", "pay", invoice="INV-1137", amount=WRONG))
    asked += [message("assistant", "", *reads[:1]), message("user", "The rest.")]
    yield model_call(BOOKS, 70, asked, paying, parent=1, start_ms=100, took_ms=2500, **CLERK)
    attributes = {semconv.TOOL_CALL_ID: "pay", "code.function.name": "desk.pay", "inspector.tool.reference": "desk:pay"}
    yield tool_call(
        BOOKS,
        71,
        "pay",
        {"invoice": "INV-1137", "amount": WRONG},
        parent=1,
        start_ms=2700,
        **CLERK,
        status="error",
        error=SpanError("ValueError", f"the account holds less than {WRONG}", TRACEBACK),
        attributes=attributes,
    )


def refusals():
    """A server lists its tools in one run, and refuses an argument in a later one."""
    properties = {"nights": {"type": "integer", "description": "How many"}}
    listed = {"name": "book_hotel", "inputSchema": {"type": "object", "properties": properties}}
    answer = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [listed]}})
    key = semconv.SEED_RPC_RESPONSE
    yield span_of(f"{0xA1:032x}", 1, "rpc", name="tools/list", run="listed", attributes={key: answer}, output_key=key)
    message = "1 validation error for book_hotelArguments\nnights\n  Input should be a valid integer [type=int_parsing]"
    error = SpanError("tool_error", message)
    fields = {"run": "refused", "status": "error", "error": error, "service": "travel", "start_ms": MINUTE}
    yield tool_call(f"{0xA2:032x}", 1, "book_hotel", {"nights": "two"}, **fields)


def refund(system="Be kind."):
    """A model takes over the order that a tool gave it, in a text of many lines, and the amount from nowhere."""
    order = "\n".join(["An order of Ada's.", *(f"line {at}" for at in range(12)), '{"id": "ORD-7714", "paid": 19.5}'])
    asked = [message("system", system), message("user", "I am Ada. Refund my last order.")]
    look, pay = wants("c1", "look_up", customer="Ada"), wants("c2", "refund", order="ORD-7714", amount=1950)
    trace = f"{0x4EF:032x}"
    fields = {"run": "refund", "service": "refunder", "parent": 1}
    yield span_of(trace, 1, "agent", name="invoke_agent refunder", took_ms=50, run="refund", status="error")
    yield model_call(trace, 2, asked, message("assistant", "", look), start_ms=1, **fields)
    yield tool_call(trace, 3, "look_up", {"customer": "Ada"}, order, start_ms=10, **fields)
    asked = [*asked, message("assistant", "", look), gave("c1", order)]
    yield model_call(trace, 4, asked, message("assistant", "", pay), start_ms=20, **fields)
    fields |= {"status": "error", "error": SpanError("ValueError", "more than was paid"), "start_ms": 30}
    yield tool_call(trace, 5, "refund", {"order": "ORD-7714", "amount": 1950}, **fields)


@pytest.fixture(scope="module")
def desk(homes: Path, serving):
    """Runs to find things in; only to be looked at."""
    fill(homes / "desk", [*books(), *refusals(), *loop_spans(1, "Send invoice 1137", 5000), *crowded_spans()])
    with serving(homes / "desk") as server:
        yield server


class Hand:
    def __init__(self, page):
        self.page = page
        self.clicks = 0

    def click(self, target):
        target.click()
        self.clicks += 1

    def open(self, run):
        self.click(self.page.get_by_role("grid", name="Runs").get_by_role("link", name=run).first)


def detail_of(page):
    return page.get_by_role("region", name="Selected span")


def test_why_a_run_failed_and_where_the_wrong_value_came_from_take_two_clicks(desk, visit):
    page = visit(desk, "/", **TALL)
    hand = Hand(page)
    hand.open("clerk")
    detail = detail_of(page)
    expect(detail).to_contain_text("the account holds less than")
    expect(detail).to_contain_text("INV-1137")
    settle(page)
    page.keyboard.press("f")
    page.keyboard.type(WRONG)
    page.keyboard.press("Enter")
    # Found are the result, the model that took it over, and the call that failed; the first one is the cause.
    expect(page.get_by_role("status").filter(has_text="1 of 3")).to_be_visible()
    expect(page.get_by_role("note").filter(has_text="result.amount")).to_contain_text(WRONG)
    expect(detail).to_contain_text("get_invoice")
    assert hand.clicks <= 2


def test_where_the_arguments_of_a_failed_call_came_from_takes_one_click(homes, serving, visit):
    fill(homes / "refund", refund())
    with serving(homes / "refund") as server:
        page = visit(server, "/runs/refund", **TALL)
        sources = detail_of(page).get_by_role("region", name="Where the values came from")
        expect(sources).to_contain_text("in the 4 messages that the model saw")
        order = sources.get_by_role("button", name="order answer of look_up, message 4")
        expect(order.locator("mark")).to_have_text("ORD-7714")
        expect(sources.get_by_role("listitem").nth(1)).to_contain_text("amount 1950 is in none of them")
        order.click()
        expect(sources.get_by_role("article")).to_contain_text("An order of Ada's.")
        marked = "[...CSS.highlights.get('value')].map(String)"
        assert page.evaluate(marked) == ["ORD-7714"]
        order.click()
        assert page.evaluate(marked) == []
        sources.get_by_role("link", name="Find it in this run").click()
        expect(page.get_by_role("textbox", name="Find in this run")).to_have_value('"1950"')


@pytest.mark.slow
def test_long_messages_are_searched_for_the_arguments_once_they_are_loaded(homes, serving, visit):
    fill(homes / "long-refund", refund("Be kind. " * 30_000))
    with serving(homes / "long-refund") as server:
        sources = detail_of(visit(server, "/runs/refund", **TALL)).get_by_role(
            "region", name="Where the values came from"
        )
        sources.get_by_role("button", name=re.compile("Load the .* of messages that the model saw")).click()
        expect(sources.get_by_role("button", name="order answer of look_up, message 4")).to_be_visible()


@pytest.mark.slow
def test_the_time_that_an_agent_took_itself_is_told_apart_from_its_calls(desk, visit):
    page = visit(desk, f"/traces/{BOOKS}?span={span_of(BOOKS, 1, 'agent').span_id}", **TALL)
    # Its last call goes on after it.
    expect(detail_of(page)).to_contain_text(re.compile(r"900 ms\s*self time 39\.0 ms"))


@pytest.mark.slow
def test_why_a_tool_was_called_takes_two_clicks(desk, visit):
    page = visit(desk, "/", **TALL)
    hand = Hand(page)
    hand.open("clerk")
    hand.click(detail_of(page).get_by_role("link", name="What the model saw before this call"))
    expect(detail_of(page)).to_contain_text("chat gpt-4.1")
    expect(detail_of(page)).to_contain_text("INV-1137 is due since May.")
    assert hand.clicks <= 2


@pytest.mark.slow
def test_the_jump_of_a_context_takes_three_clicks_and_the_largest_run_one(desk, visit):
    page = visit(desk, "/", **TALL)
    hand = Hand(page)
    hand.click(page.get_by_role("columnheader", name="Tokens").get_by_role("button"))
    rows = page.get_by_role("grid", name="Runs").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("books")
    assert hand.clicks == 1
    hand.open("books")
    hand.click(page.get_by_role("treegrid").get_by_role("row").filter(has_text="conversation").first)
    hand.click(detail_of(page).get_by_role("figure").get_by_role("link", name=re.compile(r"^Turn 8: \+")))
    expect(detail_of(page)).to_contain_text("Invoice 6: paid.")
    assert hand.clicks <= 4


@pytest.mark.slow
def test_runs_that_called_a_tool_with_a_value_take_four_clicks(desk, visit):
    page = visit(desk, "/", **TALL)
    hand = Hand(page)
    hand.click(page.get_by_role("button", name="Add a filter"))
    hand.click(page.get_by_role("button", name="argument", exact=True))
    expect(page.get_by_role("dialog", name="Add a filter").get_by_label("path")).to_be_focused()
    page.keyboard.type("invoice=INV-1137")
    page.keyboard.press("Enter")
    rows = page.get_by_role("grid", name="Runs").get_by_role("row")
    expect(rows).to_have_count(2)
    hand.open("clerk")
    expect(detail_of(page)).to_contain_text("INV-1137")
    assert hand.clicks <= 4


@pytest.mark.slow
def test_a_run_that_is_found_by_a_value_opens_at_what_has_it(desk, visit):
    page = visit(desk, "/?args=page%3D37", **TALL)
    hand = Hand(page)
    hand.open("clerk")
    # The model that asks for it, and the call; neither is the one that failed.
    expect(page.get_by_role("status").filter(has_text="1 of 2")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_role("status").filter(has_text="2 of 2")).to_be_visible()
    expect(detail_of(page)).to_contain_text("get_invoice")
    expect(detail_of(page)).to_contain_text(WRONG)
    assert hand.clicks == 1


@pytest.mark.slow
def test_what_a_live_run_hangs_on_takes_three_clicks(empty, visit, start_agent):
    agent = start_agent(empty.home)
    agent.emit("before_workflow_run", workflow="plan_trip", context=None, call_id="w")
    agent.emit("before_tool_call", tool_name="fetch_rates", args={"currency": "BRL"}, context=None, call_id="t")
    page = visit(empty, "/", **TALL)
    hand = Hand(page)
    hand.open("scripted")
    hand.click(page.get_by_role("region", name="Open now").get_by_role("button"))
    expect(detail_of(page)).to_contain_text("fetch_rates")
    expect(detail_of(page)).to_contain_text("BRL")
    assert hand.clicks <= 3


@pytest.mark.slow
def test_a_hand_written_loop_shows_its_tools_in_two_clicks(desk, visit):
    page = visit(desk, "/", **TALL)
    hand = Hand(page)
    hand.open("mailer")
    # The model call that asks for it names it as well, once its preview is there.
    tools = page.get_by_role("treegrid").get_by_role("row").filter(has_text="inferred")
    failed = tools.filter(has_text="send_mail").first
    expect(page.get_by_role("treegrid").get_by_role("row").filter(has_text="get_invoice").first).to_be_visible()
    hand.click(failed)
    expect(detail_of(page)).to_contain_text("KeyError: 'ann'")
    assert hand.clicks <= 4


@pytest.mark.slow
def test_slow_model_calls_over_time_take_seven_clicks(desk, visit):
    page = visit(desk, "/", **TALL)
    hand = Hand(page)
    hand.click(page.get_by_role("navigation").get_by_role("link", name="Spans"))
    expect(page.get_by_role("grid", name="Spans")).to_be_visible()
    for field in ("kind", "duration"):
        hand.click(page.get_by_role("button", name="Add a filter"))
        hand.click(page.get_by_role("button", name=field, exact=True))
        if field == "kind":
            hand.click(page.get_by_role("checkbox", name="model call"))
            page.keyboard.press("Escape")
            expect(page.get_by_role("button", name="Remove kind: llm")).to_be_visible()
    expect(page.get_by_role("dialog", name="Add a filter").get_by_role("textbox").first).to_be_focused()
    page.keyboard.type("2 s")
    page.keyboard.press("Enter")
    rows = page.get_by_role("grid", name="Spans").get_by_role("row")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("gpt-4.1")
    assert hand.clicks <= 6
    hand.click(page.get_by_role("navigation").get_by_role("link", name="Stats"))
    expect(page.get_by_text("Over time").first).to_be_visible()
    assert hand.clicks <= 7


@pytest.mark.slow
def test_a_call_that_failed_is_copied_as_a_program_in_three_clicks(desk, visit):
    page = visit(desk, "/", permissions=["clipboard-read", "clipboard-write"], **TALL)
    hand = Hand(page)
    hand.open("clerk")
    hand.click(page.get_by_role("button", name="Copy as"))
    hand.click(page.get_by_role("listitem").get_by_role("button", name=re.compile("^Tool call")))
    wait_until(lambda: "from desk import pay" in page.evaluate("navigator.clipboard.readText()"))
    assert hand.clicks <= 4


@pytest.mark.slow
def test_what_a_server_was_asked_and_why_it_refused_take_two_clicks(desk, visit):
    page = visit(desk, "/", **TALL)
    hand = Hand(page)
    hand.open("travel")
    schema = detail_of(page).get_by_role("region", name="As its server listed it")
    expect(schema.get_by_role("row").filter(has_text="nights")).to_contain_text("refused")
    assert hand.clicks <= 2


@pytest.mark.slow
def test_a_run_is_labelled_and_found_by_its_label_in_four_clicks(homes, serving, visit):
    fill(homes / "judged", books())
    with serving(homes / "judged") as server:
        page = visit(server, "/", **TALL)
        hand = Hand(page)
        hand.open("clerk")
        hand.click(page.get_by_role("button", name="Label this run bad"))
        expect(page.get_by_role("button", name="Label this run bad")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("u")
        hand.click(page.get_by_role("button", name="Add a filter"))
        hand.click(page.get_by_role("button", name="label", exact=True))
        expect(page.get_by_role("dialog", name="Add a filter").get_by_role("combobox")).to_be_focused()
        page.keyboard.type("bad")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Change label: bad")).to_be_visible()
        expect(page.get_by_role("grid", name="Runs").get_by_role("row")).to_have_count(2)
        assert hand.clicks <= 4


@pytest.mark.slow
def test_runs_are_deleted_in_two_clicks_and_the_rule_is_one_away(homes, serving, visit):
    fill(homes / "kept", [*books(), *refusals()])
    with serving(homes / "kept") as server:
        page = visit(server, "/", **TALL)
        hand = Hand(page)
        hand.click(page.get_by_role("checkbox", name=re.compile("Select all")))
        hand.click(page.get_by_role("button", name=re.compile("^Delete 3 runs")))
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        assert hand.clicks <= 2
        hand.click(page.get_by_role("navigation").get_by_role("link", name="Stats"))
        expect(page.get_by_role("region", name=re.compile("Stor"))).to_be_visible()


@pytest.mark.slow
def test_all_of_it_goes_without_a_mouse(desk, visit):
    page = visit(desk, "/", **TALL)
    runs = page.get_by_role("grid", name="Runs")
    expect(runs.get_by_role("row").nth(1)).to_be_visible()
    names = runs.get_by_role("row").all_text_contents()[1:]
    for _ in range(1 + next(at for at, name in enumerate(names) if "clerk" in name)):
        page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(detail_of(page)).to_contain_text("the account holds less than")
    page.keyboard.press("3")
    page.wait_for_url(re.compile("view=transcript"))
    page.keyboard.press("1")
    expect(page.get_by_role("treegrid")).to_be_visible()
    page.keyboard.press("f")
    expect(page.get_by_label("Find in this run")).to_be_focused()
    page.keyboard.type(WRONG)
    page.keyboard.press("Enter")
    expect(detail_of(page)).to_contain_text("get_invoice")
    # Out of the box, so that what follows are keys again.
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect(runs.get_by_role("row").nth(1)).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url(re.compile("#/stats"))


@pytest.mark.slow
def test_a_text_in_a_result_is_found_in_one_click(desk, visit):
    page = visit(desk, "/", **TALL)
    hand = Hand(page)
    expect(page.get_by_role("grid", name="Runs")).to_contain_text("clerk")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type(WRONG)
    page.keyboard.press("Enter")
    row = page.get_by_role("grid", name="Runs").get_by_role("row").filter(has_text="clerk")
    expect(row.locator("mark").first).to_have_text(WRONG)
    hand.open("clerk")
    expect(page.get_by_role("status").filter(has_text=re.compile(r"1 of \d"))).to_be_visible()
    expect(detail_of(page)).to_contain_text(WRONG)
    assert hand.clicks <= 4
