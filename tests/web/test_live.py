import re
from functools import partial

import pytest
from playwright.sync_api import expect
from serving import wait_until
from settling import settle

HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", {configurable: true, get: () => hidden});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


BOOKING = {"tool_name": "book_hotel", "args": {"nights": 2}, "context": None, "call_id": "book"}


@pytest.fixture
def running(empty, start_agent):
    """A workflow that has begun and not ended, and the id of its trace."""
    agent = start_agent(empty.home)
    agent.emit("before_workflow_run", workflow="plan_trip", context=None, input={"city": "Lisbon"}, call_id="plan")
    wait_until(lambda: empty.get("/traces")["items"])
    return agent, empty.get("/traces")["items"][0]["trace_id"]


def end(agent):
    agent.emit("after_workflow_run", workflow="plan_trip", context=None, result="done", call_id="plan")


def test_an_empty_page_says_how_to_record_and_becomes_the_list_by_itself(empty, visit, start_agent):
    page = visit(empty, "/")
    expect(page.locator("#main")).to_contain_text("inspector.attach()")
    start_agent(empty.home).call("tool_call", tool_name="first_tool", args={}, context=None)
    expect(page.get_by_text("first_tool").first).to_be_visible()
    expect(page.locator("#main")).not_to_contain_text("inspector.attach()")


@pytest.mark.slow
def test_a_new_run_appears_at_the_top_of_the_list(empty, visit, start_agent):
    start_agent(empty.home).call("tool_call", tool_name="older", args={}, context=None)
    page = visit(empty, "/")
    expect(page.get_by_text("older").first).to_be_visible()
    start_agent(empty.home).call("tool_call", tool_name="newer", args={}, context=None)
    expect(page.get_by_text("newer").first).to_be_visible()
    shown = page.locator("#main").inner_text()
    assert shown.index("newer") < shown.index("older")


@pytest.mark.slow
@pytest.mark.parametrize("view", ["/", "/spans"])
def test_what_arrives_during_a_click_does_not_move_the_row_that_was_pressed(empty, visit, start_agent, view):
    agent = start_agent(empty.home, service="older", run="older")
    agent.call("tool_call", tool_name="older", args={}, context=None)
    page, witness = visit(empty, view), visit(empty, view)
    page.get_by_role("row").filter(has_text="older").hover()
    # In the new document, the pointer rests over the list and has not moved.
    page.reload()
    settle(page)
    page.mouse.down()
    start_agent(empty.home, service="newer", run="newer").call("tool_call", tool_name="newer", args={}, context=None)
    expect(witness.get_by_role("row").filter(has_text="newer")).to_be_visible()
    page.mouse.up()
    expect(page.get_by_role("heading", name="older").first).to_be_visible()


@pytest.fixture
def both(empty, start_agent):
    """Two processes of a run, each in a workflow; the later one has called eight tools."""
    agents = {name: start_agent(empty.home, run="both") for name in ("earlier", "later")}
    for name, agent in agents.items():
        agent.emit("before_workflow_run", workflow=name, context=None, input={}, call_id=name)
    for at in range(8):
        agents["later"].call("tool_call", tool_name=f"tool_{at}", args={}, context=None)
    wait_until(lambda: len(empty.get("/events?tool=tool_7")["items"]) == 1)
    return agents


def fail(agent):
    """A row above, and a line over all of them that says so."""
    agent.emit("before_tool_call", **BOOKING)
    agent.emit("after_tool_call", **BOOKING, result={"isError": True, "content": "no room"})


@pytest.mark.slow
@pytest.mark.parametrize("height", [800, 420])
def test_what_arrives_during_a_click_does_not_move_the_span_that_was_pressed(empty, both, visit, height):
    page = visit(empty, "/runs/both", viewport={"width": 1280, "height": height})
    pressed = page.get_by_role("row").filter(has_text="tool_4")
    pressed.hover()
    before = pressed.bounding_box()["y"]
    page.mouse.down()
    fail(both["earlier"])
    expect(page.get_by_role("region", name="What failed")).to_contain_text("no room")
    assert pressed.bounding_box()["y"] == pytest.approx(before, abs=1)
    page.mouse.up()
    expect(page.get_by_role("region", name="Selected span")).to_contain_text("tool_4")
    # And what was there once goes.
    page.mouse.down()
    for name, agent in both.items():
        agent.emit("after_workflow_run", workflow=name, context=None, result="done", call_id=name)
    expect(page.get_by_role("region", name="Open now")).to_have_count(0)
    assert pressed.bounding_box()["y"] == pytest.approx(before, abs=1)
    page.mouse.up()
    # Away from the spans, no space is left above or below them.
    page.mouse.move(5, 5)
    heights = "(spans) => [spans.scrollHeight, Math.max(spans.clientHeight, 26 + 28 * 11)]"
    assert len(set(page.get_by_role("treegrid").evaluate(heights))) == 1


@pytest.mark.slow
def test_a_finger_opens_the_span_that_it_touched_though_the_page_moved_below_it(empty, both, visit):
    page = visit(empty, "/runs/both", viewport={"width": 390, "height": 844}, has_touch=True)
    pressed = page.get_by_role("row").filter(has_text="tool_4")
    at = pressed.bounding_box()
    touch = partial(page.context.new_cdp_session(page).send, "Input.dispatchTouchEvent")
    touch({"type": "touchStart", "touchPoints": [{"x": at["x"] + 60, "y": at["y"] + 14}]})
    fail(both["earlier"])
    expect(page.get_by_role("region", name="What failed")).to_contain_text("no room")
    assert pressed.bounding_box()["y"] > at["y"]
    touch({"type": "touchEnd", "touchPoints": []})
    expect(page.get_by_role("region", name="Selected span")).to_contain_text("tool_4")


def test_a_running_run_grows_and_ends_before_ones_eyes(empty, running, visit):
    agent, trace_id = running
    page = visit(empty, f"/traces/{trace_id}")
    expect(page.get_by_text("plan_trip").first).to_be_visible()
    agent.emit("before_tool_call", **BOOKING)
    row = page.locator("[role=row]").filter(has_text="book_hotel")
    expect(row).to_be_visible()
    expect(row).to_contain_text("running")
    agent.emit("after_tool_call", **BOOKING, result="done")
    expect(row).not_to_contain_text("running")
    end(agent)
    expect(page.get_by_role("row").filter(has_text="running")).to_have_count(0)


@pytest.mark.slow
def test_a_failure_that_comes_later_does_not_take_the_place_of_what_is_read(empty, running, visit):
    agent, trace_id = running
    page = visit(empty, f"/traces/{trace_id}")
    detail = page.get_by_role("region", name="Selected span")
    expect(detail).to_contain_text("plan_trip")
    agent.emit("before_tool_call", **BOOKING)
    agent.emit("after_tool_call", **BOOKING, result={"isError": True, "content": "no room"})
    expect(page.get_by_role("region", name="What failed")).to_contain_text("book_hotel")
    expect(detail).to_contain_text("plan_trip")
    expect(detail).not_to_contain_text("no room")
    end(agent)
    # Its row says more than before: what it took, and what came of it.
    expect(detail).to_contain_text("done")


@pytest.mark.slow
def test_a_killed_agent_leaves_its_calls_lost(empty, running, visit):
    agent, trace_id = running
    page = visit(empty, f"/traces/{trace_id}")
    agent.emit("before_tool_call", **BOOKING)
    row = page.locator("[role=row]").filter(has_text="book_hotel")
    expect(row).to_contain_text("running")
    agent.kill()
    expect(row).to_contain_text("lost")
    row.click()
    expect(page.locator("#main")).to_contain_text(re.compile("process", re.IGNORECASE))


@pytest.mark.slow
def test_the_list_marks_a_run_as_lost_when_its_process_is_killed(empty, running, visit):
    agent, _ = running
    page = visit(empty, "/")
    expect(page.locator("#main").get_by_text("Lisbon").first).to_be_visible()
    agent.kill()
    expect(page.locator("#main")).to_contain_text("lost")


def test_the_tail_shows_every_call_once_and_changes_it_when_it_ends(empty, visit, start_agent):
    page = visit(empty, "/spans")
    expect(page.locator("#main")).not_to_be_empty()
    agent = start_agent(empty.home)
    agent.emit("before_tool_call", **BOOKING)
    row = page.locator("[role=row]").filter(has_text="book_hotel")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("running")
    agent.emit("after_tool_call", **BOOKING, result="done")
    expect(row).to_contain_text("ok")
    expect(row).to_have_count(1)


@pytest.mark.slow
def test_a_paused_tail_stands_still_and_resumes_with_everything(empty, visit, start_agent):
    agent = start_agent(empty.home)
    agent.call("tool_call", tool_name="before_pause", args={}, context=None)
    page = visit(empty, "/spans")
    expect(page.get_by_role("row").filter(has_text="before_pause")).to_be_visible()
    page.get_by_role("button", name=re.compile("pause", re.IGNORECASE)).click()
    for number in range(3):
        agent.call("tool_call", tool_name=f"while_paused_{number}", args={}, context=None)
    expect(page.locator("#main")).to_contain_text(re.compile(r"3 new"))
    expect(page.get_by_role("row").filter(has_text="while_paused")).to_have_count(0)
    page.get_by_role("button", name=re.compile("resume", re.IGNORECASE)).click()
    expect(page.get_by_role("row").filter(has_text="while_paused")).to_have_count(3)


@pytest.mark.slow
def test_a_filtered_tail_shows_what_matches_only(empty, visit, start_agent):
    agent = start_agent(empty.home)
    page = visit(empty, "/spans?tool=wanted")
    expect(page.locator("#main")).not_to_be_empty()
    agent.call("tool_call", tool_name="unwanted", args={}, context=None)
    agent.call("tool_call", tool_name="wanted", args={}, context=None)
    expect(page.get_by_role("row").filter(has_text="execute_tool wanted")).to_have_count(1)
    expect(page.get_by_role("row").filter(has_text="unwanted")).to_have_count(0)


@pytest.mark.slow
def test_a_tail_of_a_model_that_only_answered_goes_on(empty, visit, start_agent):
    agent = start_agent(empty.home)

    def ask(call_id):
        call = {"llm": "stub", "prompt": "hi", "context": None, "call_id": call_id}
        agent.emit("before_llm_generate", **call)
        agent.emit("after_llm_generate", **call, response={"model": "stub-2026", "content": "yes"})

    ask("first")
    wait_until(lambda: empty.get("/events?model=stub-2026")["items"])
    page = visit(empty, "/spans?model=stub-2026")
    rows = page.get_by_role("row").filter(has_text="chat stub")
    expect(rows).to_have_count(1)
    ask("second")
    expect(rows).to_have_count(2)


@pytest.mark.slow
def test_a_run_is_no_longer_called_live_when_its_server_is_gone(empty, running, visit, watch):
    watch.tolerate("ERR_")
    _, trace_id = running
    page = visit(empty, f"/traces/{trace_id}")
    live = page.get_by_title("Spans appear as they happen")
    expect(live).to_be_visible()
    empty.stop()
    expect(page.get_by_role("alert").filter(has_text="does not answer")).to_be_visible()
    expect(live).to_have_count(0)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("view", ["/", "/spans"])
def test_a_lost_connection_is_said_and_nothing_is_missed(tmp_path, visit, watch, start_agent, start_server, view):
    watch.tolerate("ERR_")
    # A server that has just begun looks at its database before it says that it is ready.
    watch.tolerate("503 (Service Unavailable)")
    home = tmp_path / "home"

    def record(tool):
        start_agent(home).call("tool_call", tool_name=tool, args={}, context=None)

    record("before_stop")
    server = start_server(home)
    page = visit(server, view)
    expect(page.get_by_text("before_stop").first).to_be_visible()
    server.stop()
    banner = page.get_by_role("alert").filter(has_text="does not answer")
    expect(banner).to_be_visible()
    record("while_stopped")
    again = start_server(home, server.port, sign_in=False)
    try:
        expect(banner).to_have_count(0)
        expect(page.get_by_text("while_stopped").first).to_be_visible()
        record("after_start")
        expect(page.get_by_text("after_start").first).to_be_visible()
        for name in ("before_stop", "while_stopped", "after_start"):
            expect(page.get_by_role("row").filter(has_text=f"execute_tool {name}")).to_have_count(1)
    finally:
        again.stop()


@pytest.mark.slow
def test_a_trace_goes_on_growing_after_the_server_came_back(tmp_path, visit, watch, start_agent, start_server):
    watch.tolerate("ERR_")
    home = tmp_path / "home"
    agent = start_agent(home)
    agent.emit("before_workflow_run", workflow="plan_trip", context=None, input={}, call_id="plan")
    server = start_server(home)
    wait_until(lambda: server.get("/traces")["items"])
    page = visit(server, f"/traces/{server.get('/traces')['items'][0]['trace_id']}")
    expect(page.locator("[role=row]").filter(has_text="plan_trip")).to_be_visible()
    server.stop()
    expect(page.get_by_role("alert").filter(has_text="Runs are still recorded")).to_be_visible()
    agent.emit("before_tool_call", **BOOKING)
    again = start_server(home, server.port, sign_in=False)
    try:
        expect(page.locator("[role=row]").filter(has_text="book_hotel")).to_have_count(1)
        agent.emit("after_tool_call", **BOOKING, result="done")
        expect(page.locator("[role=row]").filter(has_text="book_hotel")).not_to_contain_text("running")
    finally:
        again.stop()


def streams_of(page):
    """Counts the streams that a page holds open."""
    page.add_init_script(
        """
        const Real = EventSource;
        window.__streams = 0;
        window.EventSource = class extends Real {
          constructor(...given) { super(...given); window.__streams += 1; }
          close() { if (this.readyState !== Real.CLOSED) window.__streams -= 1; super.close(); }
        };
        """
    )
    page.reload()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("view", ["/", "/spans", "/traces/"])
def test_a_page_holds_one_stream_and_none_while_it_is_hidden(demo, demo_trace, visit, view):
    page = visit(demo, f"{view}{demo_trace}" if view == "/traces/" else view)
    streams_of(page)
    wait_until(lambda: page.evaluate("window.__streams") == 1)
    page.evaluate(HIDE, True)
    wait_until(lambda: page.evaluate("window.__streams") == 0)
    page.evaluate(HIDE, False)
    wait_until(lambda: page.evaluate("window.__streams") == 1)


@pytest.mark.slow
def test_what_happens_while_a_page_is_hidden_is_there_when_it_is_shown(empty, visit, start_agent):
    page = visit(empty, "/spans")
    streams_of(page)
    wait_until(lambda: page.evaluate("window.__streams") == 1)
    page.evaluate(HIDE, True)
    start_agent(empty.home).call("tool_call", tool_name="unseen", args={}, context=None)
    wait_until(lambda: empty.get("/events")["items"])
    page.evaluate(HIDE, False)
    expect(page.get_by_role("row").filter(has_text="unseen")).to_have_count(1)


@pytest.mark.slow
def test_what_was_deleted_and_labelled_elsewhere_is_known_when_one_comes_back_to_the_list(empty, visit, start_agent):
    for name in ("gone", "kept"):
        start_agent(empty.home, service=name, run=name).call("tool_call", tool_name=name, args={}, context=None)
    page = visit(empty, "/")
    rows = page.get_by_role("grid", name="Runs").get_by_role("row")
    expect(rows).to_have_count(3)
    page.evaluate(HIDE, True)
    elsewhere = visit(empty, "/runs/kept")
    elsewhere.get_by_role("button", name="Label this run bad").click()
    expect(elsewhere.get_by_role("button", name="Label this run bad")).to_have_attribute("aria-pressed", "true")
    elsewhere = visit(empty, "/runs/gone")
    elsewhere.get_by_role("button", name="Delete this run").click()
    elsewhere.get_by_role("button", name="Delete run").click()
    expect(elsewhere.get_by_role("heading", name="Runs")).to_be_attached()
    page.evaluate(HIDE, False)
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="kept")).to_contain_text("bad")


@pytest.mark.slow
def test_what_a_live_run_waits_for_stands_first_with_its_time_and_its_usual_time(empty, running, visit):
    agent, trace_id = running
    agent.emit("before_tool_call", **BOOKING | {"call_id": "before"})
    agent.emit("after_tool_call", **BOOKING | {"call_id": "before"}, result="done")
    agent.emit("before_tool_call", **BOOKING)
    page = visit(empty, f"/traces/{trace_id}")
    strip = page.get_by_role("region", name="Open now")
    # The workflow is open as well, and waits for the call.
    expect(strip).to_contain_text("1 open now")
    call = strip.get_by_role("button")
    expect(call).to_contain_text(re.compile(r"book_hotel.*usually"))
    page.keyboard.press("o")
    expect(call).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("region", name="Selected span")).to_contain_text("book_hotel")
    agent.emit("after_tool_call", **BOOKING, result="done")
    expect(call).to_contain_text("plan_trip")
    end(agent)
    expect(strip).to_have_count(0)


@pytest.mark.slow
def test_a_run_that_is_followed_keeps_its_newest_call_in_view_until_one_scrolls_back(empty, running, visit):
    agent, trace_id = running
    page = visit(empty, f"/traces/{trace_id}", viewport={"width": 1280, "height": 700})
    expect(page.get_by_text("plan_trip").first).to_be_visible()
    page.keyboard.press("Shift+F")
    page.wait_for_url(re.compile("follow=1"))
    for at in range(34):
        agent.call("tool_call", tool_name=f"step_{at}_{'x' * (at % 2)}", args={}, context=None)
    spans = page.get_by_role("treegrid")
    expect(spans.get_by_role("row").filter(has_text="step_33_x")).to_be_in_viewport()
    spans.hover()
    page.mouse.wheel(0, -400)
    page.wait_for_url(re.compile(r"^(?!.*follow=1)"))
    agent.call("tool_call", tool_name="after_all", args={}, context=None)
    expect(page.get_by_role("group", name="Kinds that show")).to_contain_text("35")
    expect(spans.get_by_role("row").filter(has_text="after_all")).not_to_be_in_viewport()
    end(agent)
