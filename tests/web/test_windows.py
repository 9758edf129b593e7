"""Two windows side by side: what is deleted or labelled in one shows in the other."""

import re

import pytest
from playwright.sync_api import expect
from serving import fill
from stories import many_runs

RUN = "run-0001"


@pytest.fixture
def three(tmp_path, serving):
    fill(tmp_path / "home", many_runs(3))
    with serving(tmp_path / "home") as server:
        yield server


def delete(page):
    page.get_by_role("button", name="Delete this run").click()
    page.get_by_role("button", name="Delete run", exact=True).click()


@pytest.mark.slow
def test_a_run_that_is_deleted_in_one_window_leaves_the_list_in_the_other(three, visit):
    other = visit(three, "/")
    runs = other.get_by_role("grid", name="Runs").get_by_role("row")
    expect(runs).to_have_count(4)
    delete(visit(three, f"/runs/{RUN}"))
    expect(runs).to_have_count(3)
    expect(other.get_by_role("region", name="Runs in figures")).to_contain_text(re.compile("^Runs2"))


@pytest.mark.slow
def test_the_spans_of_a_run_that_is_deleted_in_one_window_leave_the_list_in_the_other(three, visit):
    other = visit(three, "/spans")
    spans = other.get_by_role("grid", name="Spans").get_by_role("row")
    of_run = spans.filter(has=other.locator('a[href*="c0000001"]'))
    expect(of_run).not_to_have_count(0)
    left = spans.count() - of_run.count()
    delete(visit(three, f"/runs/{RUN}"))
    expect(of_run).to_have_count(0)
    expect(spans).to_have_count(left)


@pytest.mark.slow
def test_the_page_of_a_run_says_that_another_window_deleted_it(three, visit, watch):
    watch.tolerate("404")
    other = visit(three, f"/runs/{RUN}")
    delete(visit(three, f"/runs/{RUN}"))
    expect(other.get_by_role("alert")).to_contain_text("This run was deleted")
    expect(other.get_by_role("treegrid").get_by_role("row").nth(1)).to_be_visible()


@pytest.mark.slow
def test_a_label_that_is_given_in_one_window_shows_in_the_other(three, visit):
    other = visit(three, "/")
    page = visit(three, f"/runs/{RUN}")
    page.get_by_role("button", name=re.compile("good", re.IGNORECASE)).first.click()
    row = other.get_by_role("grid", name="Runs").get_by_role("row").filter(has=other.locator(f'a[href*="{RUN}"]'))
    expect(row).to_contain_text("good")
