"""A run in one file, opened from the disk: the page works, asks nobody, and shows nothing recorded as markup."""

import itertools
import re

import pytest
from hostile import TEXTS, TRACE, hostile_spans
from msgspec.structs import replace
from pairs import CAUSE, FIRST, SECOND, two_trips
from playwright.sync_api import expect
from serving import DEMO_SPANS, fill, wait_until
from settling import settle, slow_down
from stories import long_trace, span_of
from test_hostile import LOOK, PLANTED, SPANS, assert_only_text, looks_at

from inspector.diff import ComparedRun, diff_run
from inspector.lookup import events_of, find_run_or_trace, traces_of
from inspector.page_file import packed_file_page, page_of_diff, page_of_run
from inspector.settings import Settings
from inspector.store import open_store

BUDGET_BYTES = 450_000
"""What the page may add to its run."""


# The policy of the page is the only such element that is its own.
PLANTED_IN_FILE = PLANTED.replace("meta[http-equiv]", """meta[http-equiv]:not([content^="default-src 'none'"])""")


def assert_only_text_in(file, seen):
    """Nothing ran or became an element, and every link leads to another place of the file."""
    seen["links"] = [link for link in seen["links"] if not link.startswith(f"{file}#/runs/")]
    assert_only_text(seen)


def page_file(home, text="last"):
    store = open_store(Settings(home=home), read_only=True)
    try:
        return page_of_run(store, find_run_or_trace(store, text), app=packed_file_page())
    finally:
        store.close()


@pytest.fixture(scope="module")
def demo_file(put_demo, serving, tmp_path_factory):
    """A run of the demo agent in a file."""
    directory = tmp_path_factory.mktemp("demo-file")
    put_demo(directory / "home")
    with serving(directory / "home") as server:
        wait_until(lambda: [run["spans"] for run in server.get("/traces")["items"]] == [DEMO_SPANS] * 2)
    file = directory / "run.html"
    file.write_bytes(page_file(directory / "home").body)
    return file


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory):
    """Hostile strings in every field, in a file."""
    home = tmp_path_factory.mktemp("hostile-file")
    fill(home / "home", hostile_spans())
    file = home / "run.html"
    file.write_bytes(page_file(home / "home", TRACE).body)
    return file


@pytest.fixture
def open_file(browser, watch, wait_ms):
    """Opens a file in an empty browser without a network; the test fails on any request but that for the file."""
    contexts = []

    def open_page(file, view="", **options):
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        context.set_default_timeout(wait_ms)
        page = context.new_page()
        slow_down(page)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        watch.over(page, "file://")
        page.goto(f"{file.as_uri()}{view and '#'}{view}")
        settle(page)
        assert {url.partition("#")[0] for url in asked} - {"data:,"} == {file.as_uri()}
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.slow
def test_a_run_in_a_file_shows_as_it_does_from_a_server(demo_file, open_file, demo, visit):
    kept, served = open_file(demo_file), visit(demo, "/")
    run_id = kept.url.rpartition("/")[2].partition("?")[0]
    served.goto(f"{demo.url}/#/runs/{run_id}")
    for page in (kept, served):
        expect(page.get_by_role("treegrid").get_by_role("row").nth(5)).to_be_visible()
        expect(page.get_by_role("treegrid")).to_contain_text("book_hotel")
    rows = [page.get_by_role("treegrid").get_by_role("row") for page in (kept, served)]
    # What each call was given comes a moment after it is in sight.
    wait_until(lambda: rows[0].all_inner_texts() == rows[1].all_inner_texts(), 60)


@pytest.mark.slow
def test_every_view_of_a_file_works_by_the_keyboard(demo_file, open_file):
    page = open_file(demo_file)
    expect(page.get_by_role("treegrid")).to_be_visible()
    page.keyboard.press("2")
    expect(page.get_by_role("button", name="Graph", exact=True)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("3")
    expect(page.get_by_role("button", name="Transcript", exact=True)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("1")
    page.keyboard.press("e")
    expect(page.get_by_role("tab").first).to_be_visible()
    expect(page).to_have_url(re.compile("span="))
    page.keyboard.press("?")
    shortcuts = page.get_by_role("dialog")
    expect(shortcuts).to_contain_text("Find in the run")
    expect(shortcuts).not_to_contain_text("Go to the runs")


@pytest.mark.slow
def test_words_of_what_a_file_holds_are_found(demo_file, open_file):
    page = open_file(demo_file)
    page.keyboard.press("f")
    expect(page.get_by_label("Find in this run")).to_be_focused()
    page.keyboard.type("book_hotel")
    expect(page.get_by_text(re.compile(r"of \d+$|^\d+ of \d+")).first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("note").filter(has_text="book_hotel")).to_be_visible()


@pytest.mark.slow
def test_nothing_that_takes_a_server_is_offered_in_a_file(demo_file, open_file):
    page = open_file(demo_file)
    page.keyboard.press("e")
    page.get_by_role("button", name="Copy as").click()
    expect(page.get_by_role("button", name=re.compile("^JSON all"))).to_be_visible()
    for name in (
        "Delete",
        "Label this",
        "Stats of",
        "Spans of",
        "^curl",
        "^Python",
        "Find or go to",
        "Copy a link",
        "Compare w",
    ):
        expect(page.get_by_role("button", name=re.compile(name))).to_have_count(0)
        expect(page.get_by_role("link", name=re.compile(name))).to_have_count(0)


@pytest.mark.slow
def test_another_address_of_a_file_leads_to_its_run(hostile_file, open_file):
    span = span_of(TRACE, 102).span_id
    page = open_file(hostile_file, f"/traces/{TRACE}?span={span}")
    expect(page).to_have_url(re.compile(f"#/runs/[^/]+\\?span={span}$"))
    page = open_file(hostile_file, "/stats")
    expect(page).to_have_url(re.compile("#/runs/[^/]+$"))


@pytest.mark.slow
def test_hostile_strings_are_only_text_in_a_file(hostile_file, open_file, subtests):
    names = ("script", "img-onerror", "proto", "markdown-image", "javascript-link")
    page = open_file(hostile_file)
    for kind, name in (*itertools.product(SPANS, names), ("model", "many-lines")):
        span = span_of(TRACE, 100 + list(TEXTS).index(name) * 10 + SPANS[kind]).span_id
        with subtests.test(kind=kind, name=name):
            page.goto(f"{page.url.partition('?')[0]}?span={span}")
            # Not what the one before shows.
            expect(page.get_by_role("tabpanel")).to_contain_text(span)
            expect(page.get_by_role("tab")).to_have_count(5)
            for seen in looks_at(page, kind, PLANTED_IN_FILE):
                assert_only_text_in(hostile_file, seen)
            expect(page.get_by_role("tabpanel")).to_contain_text(span)


@pytest.mark.slow
@pytest.mark.parametrize("view", ["graph", "transcript"])
def test_hostile_strings_are_only_text_in_a_view_of_a_file(hostile_file, open_file, view):
    page = open_file(hostile_file)
    page.goto(f"{page.url.partition('?')[0]}?view={view}")
    expect(page.locator("#main")).to_contain_text(re.compile("evil.example|script>|DROP TABLE|etc/passwd|pwned"))
    assert_only_text_in(hostile_file, page.evaluate(LOOK, PLANTED_IN_FILE))


def test_the_policy_of_a_file_runs_no_other_script_and_reaches_no_address(demo_file, open_file, watch):
    page = open_file(demo_file)
    watch.tolerate("Content Security Policy")
    watch.tolerate("This document requires 'TrustedScript'")
    watch.tolerate("Refused to")
    ran = page.evaluate("""async () => {
      const script = document.createElement("script");
      script.append("window.__ran = true");
      document.body.append(script);
      const sent = await fetch("https://example.com/").then(() => true, () => false);
      let policy = true;
      try { trustedTypes.createPolicy("inspector", { createScript: (text) => text }); } catch { policy = false; }
      return { ran: window.__ran ?? false, sent, policy };
    }""")
    assert ran == {"ran": False, "sent": False, "policy": False}


def test_the_page_adds_at_most_its_budget_to_a_run(demo_file):
    document = demo_file.read_text("utf-8")
    run = sum(map(len, re.findall(r'id="part-\d+">([^<]*)<', document)))
    assert run > 1000
    assert len(document.encode()) - run <= BUDGET_BYTES


@pytest.mark.slow
def test_a_run_of_ten_thousand_spans_opens_from_a_file(tmp_path, open_file):
    fill(tmp_path / "home", long_trace(10_000))
    file = tmp_path / "run.html"
    made = page_file(tmp_path / "home")
    assert made.spans == 10_000
    file.write_bytes(made.body)
    page = open_file(file)
    expect(page.get_by_role("treegrid").get_by_role("row").nth(5)).to_be_visible()
    page.get_by_role("treegrid").press("End")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab").first).to_be_visible()


def test_the_app_of_a_file_has_no_end_of_a_script_in_it():
    app = packed_file_page()
    assert app is not None
    assert "</script" not in app.licences.lower()


OPERATIONS = {
    "llm": {"gen_ai.operation.name": "chat"},
    "tool": {"gen_ai.operation.name": "execute_tool"},
    "agent": {"gen_ai.operation.name": "invoke_agent"},
}


@pytest.fixture(scope="module")
def diff_file(tmp_path_factory):
    """Two runs, compared, in a file."""
    home = tmp_path_factory.mktemp("diff-file") / "home"
    # What a file has of a call is read from its attributes, as of any span that comes in.
    fill(home, (replace(span, attributes={**span.attributes, **OPERATIONS[span.kind]}) for span in two_trips()))
    file = home.parent / "two.html"
    store = open_store(Settings(home=home), read_only=True)
    try:
        found = [find_run_or_trace(store, text) for text in (FIRST, SECOND)]
        events = [[*events_of(store, traces_of(store, each)[0].trace_id, full=True)] for each in found]
        first, second = (
            ComparedRun(diff_run(run.run_id, run, len(each)), each, None)
            for run, each in zip(found, events, strict=True)
        )
        file.write_bytes(page_of_diff(first, second, app=packed_file_page()).body)
    finally:
        store.close()
    return file


@pytest.mark.slow
def test_two_runs_in_a_file_show_where_they_part_and_each_its_own_page(diff_file, open_file):
    page = open_file(diff_file)
    expect(page.get_by_role("button", name=f"Cause: {CAUSE}.")).to_be_visible()
    detail = page.get_by_role("region", name="Selected call")
    expect(detail.locator("del").first).to_have_text("300")
    expect(detail.locator("ins").first).to_have_text("150")
    expect(page.get_by_text(re.compile("Difference 1 of"))).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_text(re.compile("Difference 2 of"))).to_be_visible()
    page.get_by_role("region", name="The second run").get_by_role("link").click()
    expect(page).to_have_url(re.compile(f"/runs/{SECOND}"))
    expect(page.get_by_role("treegrid")).to_contain_text("book")
    page.go_back()
    page.get_by_role("region", name="The first run").get_by_role("link").click()
    expect(page).to_have_url(re.compile(f"/runs/{FIRST}"))
    expect(page.get_by_role("treegrid")).to_contain_text("weather")
