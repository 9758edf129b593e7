"""The app over a ClickHouse: nothing of the page is another than over SQLite."""

import re
from pathlib import Path

import pytest
from clickhouse_server import served
from playwright.sync_api import expect
from serving import fill
from stories import LOOP, MINUTE, loop_spans, tool_call

TALL = {"viewport": {"width": 1280, "height": 1400}}


@pytest.fixture(scope="module")
def scaled(homes: Path, serving):
    """A hand-written loop and a run of one call, in a ClickHouse that is reached over HTTP."""
    home = homes / "scaled"
    with served() as host:
        url = f"clickhouse://default@{host}/app"
        other = tool_call(f"{0x20000:032x}", 1, "elsewhere", start_ms=5 * MINUTE, run="other")
        fill(home, [*loop_spans(1, "Send invoice 1137", 0), other], database_url=url)
        with serving(home, database_url=url) as server:
            yield server
        assert not (home / "inspector.db").exists()


def runs_of(page):
    return page.get_by_role("grid", name="Runs").get_by_role("row").filter(has=page.get_by_role("gridcell"))


@pytest.mark.slow
def test_runs_are_listed_opened_searched_counted_and_labelled(scaled, visit):
    page = visit(scaled, "/")
    expect(runs_of(page)).to_have_count(2)
    expect(runs_of(page).filter(has_text="Send invoice 1137")).to_have_count(1)

    page = visit(scaled, f"/runs/{LOOP}", **TALL)
    rows = page.get_by_role("treegrid").get_by_role("row").filter(has=page.get_by_role("gridcell"))
    for at, name in enumerate(("conversation", "gpt-4.1", "get_invoice", "gpt-4.1", "send_mail", "gpt-4.1")):
        expect(rows.nth(at)).to_contain_text(name)
    expect(rows.first).to_contain_text("3 turns")
    expect(page.locator("#main header").first).to_contain_text(re.compile(r"Traces\s*3"))
    page.get_by_role("button", name="Label this run good").click()
    expect(page.get_by_role("button", name="Label this run good")).to_have_attribute("aria-pressed", "true")

    page = visit(scaled, "/?q=1137&label=good")
    expect(runs_of(page)).to_have_count(1)
    expect(runs_of(page).first).to_contain_text("good")

    page = visit(scaled, "/stats")
    total = scaled.get("/stats")["total"]
    expect(page.locator("#main")).to_contain_text(f"{total['count']:,}")
    expect(page.locator("#main")).to_contain_text("gpt-4.1")
