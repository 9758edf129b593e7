import re

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect
from serving import fill, wait_until
from stories import many_runs, message, model_call, tool_call

from inspector.model import Filter, Loss, Span
from inspector.store.sqlite import SqliteStore

RUN = re.compile(r"/runs/run-[0-9]{4}")


def runs_of(page):
    return page.get_by_role("grid", name="Runs").get_by_role("row").filter(has=page.locator('a[href*="/runs/"]'))


def address(page):
    return page.url.partition("#")[2]


def test_runs_stand_newest_first_with_what_they_took(crowd, visit):
    page = visit(crowd, "/")
    newest = crowd.get("/runs?limit=3")["items"]
    for place, run in enumerate(newest):
        row = runs_of(page).nth(place)
        expect(row.get_by_role("link").first).to_have_attribute("href", re.compile(run["run_id"]))
        # Why a run failed takes the place of its answer.
        answered = [] if run["status"] == "error" else [run["answer"]]
        for said in (run["name"], run["agent"], run["question"], *answered):
            expect(row).to_contain_text(said)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1024, 1440, 1920])
def test_a_long_question_leaves_half_of_the_line_to_the_answer(homes, serving, visit, width):
    home = homes / f"long-question-{width}"
    trace = f"{0x77:032x}"
    question = [message("user", "Which of the reports that came in last year says something of foxes? " * 4)]
    fill(home, [model_call(trace, 1, question, message("assistant", "None of them does, as far as I can see. " * 4))])
    with serving(home) as server:
        page = visit(server, "/", viewport={"width": width, "height": 800})
        asked = page.get_by_role("row").get_by_text("Which of the reports").bounding_box()
        answered = page.get_by_role("row").get_by_text("None of them does").bounding_box()
        assert asked is not None
        assert answered is not None
        assert abs(asked["width"] - answered["width"]) < 4


@pytest.mark.slow
def test_the_last_answer_of_several_traces_is_not_shown_as_that_to_the_first_question(homes, serving, visit):
    home = homes / "cities"
    fill(
        home,
        [
            model_call(
                f"{0xC17 + number:032x}",
                1,
                [message("user", f"What is the weather in {city}?")],
                message("assistant", f"It is sunny in {city}."),
                start_ms=number * 5000,
                run=run,
            )
            for number, (run, city) in enumerate((("one", "Oslo"), ("two", "Atlantis"), ("two", "Rome")))
        ],
    )
    with serving(home) as server:
        page = visit(server, "/")
        asked_twice = page.get_by_role("row").filter(has_text="Atlantis")
        expect(asked_twice).to_contain_text("It is sunny in Rome.")
        expect(asked_twice.get_by_label("last answer")).to_have_count(1)
        expect(asked_twice.get_by_label("answered")).to_have_count(0)
        expect(page.get_by_role("row").filter(has_text="Oslo").get_by_label("answered")).to_have_count(1)
        asked_twice.click()
        expect(page.get_by_text("What is the weather in Atlantis? … It is sunny in Rome.")).to_be_visible()
        expect(page.locator("#main header").get_by_label("last answer")).to_have_count(1)


@pytest.mark.slow
def test_scrolling_loads_all_runs(crowd, visit):
    page = visit(crowd, "/")
    expect(runs_of(page).first).to_be_visible()
    oldest = crowd.get("/runs?order=asc&limit=1")["items"][0]["run_id"]
    grid = page.get_by_role("grid", name="Runs")
    grid.focus()
    last = page.locator(f'a[href*="{oldest}"]')

    def is_at_the_end():
        grid.press("End")
        return last.is_visible()

    wait_until(is_at_the_end, 60)
    # Only what is in view is in the document.
    assert runs_of(page).count() < 100


def test_a_run_opens_with_a_click_and_the_way_back_leads_to_the_same_list(crowd, visit):
    page = visit(crowd, "/?status=error")
    expect(runs_of(page).first).to_be_visible()
    runs_of(page).nth(2).get_by_role("link").first.click()
    page.wait_for_url(RUN)
    page.go_back()
    expect(runs_of(page).first).to_be_visible()
    assert address(page) == "/?status=error"


def test_the_address_narrows_the_list_and_a_reload_keeps_it(crowd, visit):
    page = visit(crowd, "/?status=error&agent=planner")
    found = crowd.get("/runs?status=error&agent=planner&limit=1000")["items"]
    expect(page.get_by_role("button", name="Remove status: error")).to_be_visible()
    expect(runs_of(page).first).to_contain_text("planner")
    page.reload()
    expect(page.get_by_role("button", name="Remove agent: planner")).to_be_visible()
    expect(runs_of(page).first.get_by_role("link").first).to_have_attribute("href", re.compile(found[0]["run_id"]))


@pytest.mark.slow
def test_the_address_of_a_run_without_its_id_leads_to_the_list(crowd, visit):
    page = visit(crowd, "/runs?status=error")
    expect(page.get_by_role("button", name="Remove status: error")).to_be_visible()
    assert address(page) == "/?status=error"


@pytest.mark.slow
@pytest.mark.parametrize("view", ["/", "/spans", "/stats", "/sessions"])
def test_words_that_a_page_does_not_know_are_left_out_and_named(crowd, visit, view):
    page = visit(crowd, "/nowhere")
    expect(page.get_by_text("Page not found")).to_be_visible()
    page.evaluate(f"location.hash = '#{view}?status=odd&kind=odd&min_duration_ms=x&since=never&sort=odd&order=odd'")
    expect(page.get_by_text(re.compile("^(service-|researcher|session-|Over time)")).first).to_be_visible()
    expect(page.get_by_role("note").filter(has_text="since=never")).to_contain_text("Not understood in the address")
    # Also where the app opens on it, and no longer once something else is asked for.
    page.reload()
    expect(page.get_by_role("note").filter(has_text="since=never")).to_be_visible()
    page.evaluate("location.hash = '#/?status=error'")
    expect(page.get_by_role("button", name="Remove status: error")).to_be_visible()
    expect(page.get_by_role("note").filter(has_text="since=never")).to_have_count(0)


def test_a_filter_is_added_and_removed_with_the_bar(crowd, visit):
    page = visit(crowd, "/")
    page.get_by_role("button", name="Add a filter").click()
    page.get_by_role("button", name="status", exact=True).click()
    page.get_by_role("checkbox", name="error").check()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Remove status: error")).to_be_visible()
    assert "status=error" in address(page)
    expect(runs_of(page).first).to_contain_text("error")
    page.get_by_role("button", name="Remove status: error").click()
    expect(page.get_by_role("button", name="Remove status: error")).to_have_count(0)
    assert "status" not in address(page)


@pytest.mark.slow
def test_values_that_occur_are_suggested(crowd, visit):
    page = visit(crowd, "/")
    page.get_by_role("button", name="Add a filter").click()
    page.get_by_role("button", name="agent", exact=True).click()
    page.get_by_role("option", name="researcher").click()
    expect(page.get_by_role("button", name="Remove agent: researcher")).to_be_visible()


@pytest.mark.slow
def test_search_finds_the_words_of_prompts_and_answers(crowd, visit):
    page = visit(crowd, "/")
    expect(runs_of(page).first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("weekly_report")
    page.wait_for_url(re.compile("q=weekly_report"))
    expect(runs_of(page).first).to_contain_text("weekly_report")
    expect(runs_of(page).filter(has_not_text="weekly_report")).to_have_count(0)


@pytest.mark.slow
def test_what_of_a_search_is_not_understood_is_said_above_the_list(crowd, visit):
    for view in ("/", "/spans", "/spans?sort=tokens", "/stats"):
        page = visit(crowd, f"{view}{'&' if '?' in view else '?'}q=%22weekly_report")
        expect(page.get_by_role("note").first).to_contain_text("quotation mark without its pair")
        page.close()


@pytest.mark.slow
def test_a_filter_that_matches_nothing_says_so_and_can_be_cleared(crowd, visit):
    page = visit(crowd, "/?agent=nobody")
    expect(page.locator("#main h2")).to_be_visible()
    expect(runs_of(page)).to_have_count(0)
    page.get_by_role("button", name=re.compile("clear", re.IGNORECASE)).last.click()
    expect(runs_of(page).first).to_be_visible()


@pytest.mark.slow
def test_dragging_across_the_histogram_keeps_that_time(crowd, visit):
    page = visit(crowd, "/")
    plot = page.get_by_role("slider", name=re.compile("Runs over time"))
    expect(runs_of(page).first).to_be_visible()
    # The bars come after the rows.
    expect(plot).not_to_have_attribute("aria-valuemax", "0")
    box = plot.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.25, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, middle, steps=5)
    page.mouse.up()
    page.wait_for_url(re.compile(r"since=.*until="))
    query = address(page).partition("?")[2]
    wanted = crowd.get(f"/runs?{query}&limit=1000")["items"]
    assert 0 < len(wanted) < 400
    expect(runs_of(page).first.get_by_role("link").first).to_have_attribute("href", re.compile(wanted[0]["run_id"]))


@pytest.mark.slow
def test_the_histogram_works_with_the_keyboard(crowd, visit):
    page = visit(crowd, "/")
    expect(runs_of(page).first).to_be_visible()
    plot = page.get_by_role("slider", name=re.compile("Runs over time"))
    expect(plot).not_to_have_attribute("aria-valuemax", "0")
    plot.focus()
    plot.press("Home")
    for _ in range(4):
        plot.press("Shift+ArrowRight")
    plot.press("Enter")
    page.wait_for_url(re.compile(r"since=.*until="))
    plot.focus()
    plot.press("Escape")
    page.wait_for_url(lambda url: "since=" not in url)


@pytest.mark.slow
def test_a_heading_sorts_the_list(crowd, visit):
    page = visit(crowd, "/")
    page.get_by_role("columnheader", name="Duration").get_by_role("button").click()
    page.wait_for_url(re.compile("sort=duration"))
    slowest = crowd.get("/runs?sort=duration&limit=1")["items"][0]["run_id"]
    expect(runs_of(page).first.get_by_role("link").first).to_have_attribute("href", re.compile(slowest))


@pytest.mark.slow
def test_the_keyboard_goes_through_the_list_and_opens_a_run(crowd, visit):
    page = visit(crowd, "/")
    expect(runs_of(page).first).to_be_visible()
    third = crowd.get("/runs?limit=3")["items"][2]["run_id"]
    for key in ("j", "j", "ArrowDown", "k", "j", "Enter"):
        page.keyboard.press(key)
    page.wait_for_url(re.compile(third))


def test_sessions_stand_with_their_sums_and_lead_to_their_runs(crowd, visit):
    page = visit(crowd, "/sessions")
    newest = crowd.get("/sessions?limit=1")["items"][0]
    row = page.get_by_role("row").filter(has_text=newest["session_id"])
    expect(row).to_contain_text(str(newest["traces"]))
    row.get_by_role("link").first.click()
    page.wait_for_url(re.compile(f"session_id={newest['session_id']}"))
    expect(runs_of(page)).to_have_count(newest["traces"])


@pytest.mark.slow
def test_sessions_are_sorted_by_the_column_that_is_clicked(crowd, visit):
    page = visit(crowd, "/sessions")
    rows = page.get_by_role("grid", name="Sessions").get_by_role("row")
    for heading, sort in (("Tokens", "tokens"), ("Cost", "cost"), ("Duration", "duration")):
        for order in ("desc", "asc"):
            page.get_by_role("columnheader", name=heading).get_by_role("button").click()
            (first,) = crowd.get(f"/sessions?limit=1&sort={sort}&order={order}")["items"]
            expect(rows.nth(1)).to_contain_text(first["session_id"])
    assert "sort=duration&order=asc" in address(page)
    page.reload()
    expect(rows.nth(1)).to_contain_text(first["session_id"])


def test_the_address_of_a_session_leads_to_its_runs(crowd, visit):
    newest = crowd.get("/sessions?limit=1")["items"][0]
    page = visit(crowd, f"/sessions/{newest['session_id']}")
    expect(page.get_by_role("region", name="Session")).to_contain_text(newest["session_id"])
    expect(runs_of(page)).to_have_count(newest["traces"])


@pytest.mark.slow
def test_every_list_counts_the_calls_that_the_page_of_the_run_counts(demo, visit):
    run = demo.get("/traces?limit=1")["items"][0]
    assert run["calls"] < run["spans"]
    said = re.compile(rf"{run['calls']}")
    for view, grid in (("/", "Runs"), ("/sessions", "Sessions")):
        page = visit(demo, view)
        expect(page.get_by_role("columnheader", name="Calls", exact=True)).to_be_visible()
        counted = page.get_by_role("grid", name=grid).get_by_title(f"+ {run['spans'] - run['calls']} duplicates")
        expect(counted.first).to_have_text(said)
    page = visit(demo, f"/?session_id={run['session_id']}")
    expect(page.get_by_role("region", name="Session")).to_contain_text(f"{run['calls']} calls")


CUT = """grid => [...grid.querySelectorAll('[role="row"]')].some(row =>
  [...row.children].some(cell => cell.getBoundingClientRect().right > grid.getBoundingClientRect().right))"""


@pytest.mark.slow
@pytest.mark.parametrize(("view", "grid"), [("/", "Runs"), ("/sessions", "Sessions")])
def test_a_narrow_page_leaves_columns_out_and_cuts_none(crowd, visit, view, grid):
    page = visit(crowd, view)
    rows = page.get_by_role("grid", name=grid)
    expect(rows.get_by_role("row").nth(1)).to_be_visible()
    for width in (1440, 1180, 1024, 991, 800, 760, 390):
        page.set_viewport_size({"width": width, "height": 800})
        wait_until(lambda: not rows.evaluate(CUT))
    expect(rows.get_by_role("columnheader", name="Errors")).to_be_visible()


@pytest.mark.slow
def test_on_a_phone_a_run_has_room_for_what_it_was(demo, visit):
    page = visit(demo, "/", viewport={"width": 390, "height": 800})
    about = page.get_by_role("grid", name="Runs").get_by_role("gridcell").filter(has=page.get_by_role("link")).first
    expect(about).to_be_visible()
    assert about.evaluate("cell => cell.clientWidth") >= 128


UNCUT = """name => {
  const text = document.createRange();
  text.selectNodeContents(name);
  return text.getBoundingClientRect().right <= name.closest('[role="gridcell"]').getBoundingClientRect().right;
}"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("view", "called"),
    [
        ("/spans?kind=workflow", "invoke_workflow weekend_trip"),
        ("/spans?kind=llm", "chat gpt-4.1"),
        ("/traces/{}", "execute_tool book_hotel"),
    ],
)
def test_a_list_names_what_was_called_and_leaves_the_operation_to_its_icon(demo, demo_trace, visit, view, called):
    page = visit(demo, view.format(demo_trace), viewport={"width": 390, "height": 800})
    name = page.get_by_role("row").locator("bdi", has_text=called).first
    expect(name).to_be_visible()
    operation = name.locator("bdi")
    assert operation.evaluate("each => each.offsetWidth") == 0
    assert name.evaluate(UNCUT)
    page.set_viewport_size({"width": 1440, "height": 800})
    assert operation.evaluate("each => each.offsetWidth") == 0


@pytest.mark.slow
def test_runs_of_which_no_tokens_are_known_have_a_dash_in_the_figures_above_them(tmp_path, visit, serving):
    fill(tmp_path / "home", [tool_call(f"{0x55:032x}", 1, "look")])
    with serving(tmp_path / "home") as server:
        page = visit(server, "/")
        expect(page.get_by_role("region", name="Runs in figures")).to_contain_text(re.compile(r"Tokens\s*–"))
        expect(page.get_by_role("columnheader", name="Started")).to_be_visible()


@pytest.mark.slow
def test_a_run_that_is_deleted_comes_back_for_a_minute(tmp_path, visit, serving):
    fill(tmp_path / "home", many_runs(3))
    with serving(tmp_path / "home") as server:
        page = visit(server, "/", viewport={"width": 390, "height": 800})
        expect(runs_of(page)).to_have_count(3)
        page.keyboard.press("j")
        page.keyboard.press("Delete")
        expect(runs_of(page)).to_have_count(2)
        figures = page.get_by_role("region", name="Runs in figures")
        expect(figures).to_contain_text(re.compile("Deleted.*1 still counted"))
        assert len(server.get("/runs")["items"]) == 3
        page.get_by_role("button", name="Undo").click()
        expect(runs_of(page)).to_have_count(3)
        expect(figures).not_to_contain_text("still counted")
        page.get_by_role("button", name=re.compile("Delete the run")).last.click()
        page.get_by_role("button", name="Delete now").click()
        expect(page.get_by_role("button", name="Undo")).to_have_count(0)
        expect(runs_of(page)).to_have_count(2)
        wait_until(lambda: len(server.get("/runs")["items"]) == 2)


@pytest.mark.slow
def test_runs_that_are_picked_are_deleted_together_when_the_minute_is_over(tmp_path, visit, serving):
    fill(tmp_path / "home", many_runs(22))
    with serving(tmp_path / "home") as server:
        page = visit(server, "/?status=error")
        expect(runs_of(page)).to_have_count(4)
        page.clock.install()
        page.get_by_role("checkbox", name="Select all 4 loaded runs").click()
        page.get_by_role("button", name="Delete 4 runs").click()
        expect(page.get_by_text("No run matches this filter")).to_be_visible()
        expect(page.get_by_role("status").filter(has_text="4 runs deleted for good")).to_be_visible()
        page.get_by_role("navigation").get_by_role("link", name="Stats").click()
        page.clock.run_for(60_500)
        wait_until(lambda: len(server.get("/runs")["items"]) == 18)


@pytest.mark.slow
def test_closing_the_page_does_not_wait_for_the_minute(tmp_path, visit, serving):
    fill(tmp_path / "home", many_runs(3))
    with serving(tmp_path / "home") as server:
        page = visit(server, "/")
        expect(runs_of(page)).to_have_count(3)
        for key in ("j", "x", "j", "j", "Shift+X", "Delete"):
            page.keyboard.press(key)
        expect(runs_of(page)).to_have_count(0)
        page.close(run_before_unload=True)
        wait_until(lambda: server.get("/runs")["items"] == [])


@pytest.mark.slow
def test_a_session_whose_id_no_path_carries_is_opened_and_deleted(tmp_path, visit, serving, watch):
    # What the page had asked for before can be answered after the session is gone.
    watch.tolerate("404")
    fill(tmp_path / "home", [replace(span, session_id="..") for span in many_runs(2)])
    with serving(tmp_path / "home") as server:
        page = visit(server, "/?session_id=..")
        expect(page.get_by_role("region", name="Session")).to_contain_text("calls")
        page.get_by_role("button", name="Delete session").click()
        page.get_by_role("dialog").get_by_role("button", name=re.compile("Delete")).click()
        page.wait_for_url(re.compile("#/sessions"))
        assert server.get("/traces")["items"] == []


@pytest.mark.sweep(1)
@pytest.mark.parametrize("part", ["kind=llm", "model=gpt-4.1-mini", "tool=search", "error_type=TimeoutError"])
def test_every_filter_shows_what_the_api_answers(crowd, visit, part):
    page = visit(crowd, f"/?{part}")
    wanted = crowd.get(f"/runs?{part}&limit=1")["items"][0]["run_id"]
    expect(runs_of(page).first.get_by_role("link").first).to_have_attribute("href", re.compile(wanted))


@pytest.mark.slow
def test_what_is_missing_is_said_on_its_run_and_once_above_all(tmp_path, visit, serving):
    home = tmp_path / "home"
    fill(home, many_runs(2))
    store = SqliteStore(home / "inspector.db")
    run = store.traces(Filter()).items[0]
    [event] = store.events(Filter(trace_id=run.trace_id), limit=1).items
    at_ns = int(event.start_time_unix_nano)
    span = Span(run.trace_id, "f" * 16, "late", "tool", "ok", at_ns, end_ns=at_ns, process="p")
    store.write([span], losses=[Loss("p", None, None, "dropped", 24_225, at_ns, at_ns)])
    store.close()
    said = "24,225 calls{} were not recorded in full: the queue was full."
    with serving(home) as server:
        page = visit(server, f"/traces/{run.trace_id}")
        expect(page.get_by_role("region", name="What is missing")).to_contain_text(said.format(" of its processes"))
        page = visit(server, "/")
        missing = page.get_by_role("region", name="What is missing")
        expect(missing).to_contain_text(said.format(""))
        missing.get_by_role("button", name="Hide until this changes").click()
        expect(missing).to_have_count(0)
        page.reload()
        expect(runs_of(page).first).to_be_visible()
        expect(missing).to_have_count(0)
