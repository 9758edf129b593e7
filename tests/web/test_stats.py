import re

import pytest
from playwright.sync_api import expect

QUERY = re.compile(r"#/(spans|)\?(.*)$")


def links_of(page):
    """The links of the page that lead to calls, with what they show."""
    return page.evaluate(
        """() => [...document.querySelectorAll('#main a[href*="spans"]')]
             .map((link) => ({href: link.getAttribute("href"), text: link.textContent.trim()}))"""
    )


def test_the_figures_are_those_of_the_api(crowd, visit):
    page = visit(crowd, "/stats")
    total = crowd.get("/stats")["total"]
    expect(page.locator("#main")).to_contain_text(f"{total['count']:,}")
    expect(page.locator("#main")).to_contain_text(f"{total['errors']:,}")
    for model in ("gpt-4.1", "gpt-4.1-mini", "claude-sonnet-4-5"):
        expect(page.locator("#main")).to_contain_text(model)
    expect(page.locator("#main")).to_contain_text("TimeoutError")


@pytest.mark.slow
@pytest.mark.parametrize("by", ["model", "tool", "agent", "error_type"])
def test_a_count_leads_to_the_events_it_counts(crowd, visit, by):
    page = visit(crowd, "/stats")
    group = next(each for each in crowd.get(f"/stats?by={by}")["groups"] if each["key"])
    link = page.locator(f'#main a[href*="{by}={group["key"]}"]').filter(has_text=re.compile(f"^{group['count']:,}$"))
    expect(link.first).to_be_visible()
    href = link.first.get_attribute("href")
    query = href.partition("?")[2]
    shown = crowd.get(f"/stats?{query}")["total"]["count"]
    assert shown == group["count"]
    link.first.click()
    expect(page.get_by_role("button", name=re.compile(f"Remove .*{re.escape(group['key'])}"))).to_be_visible()


@pytest.mark.slow
def test_tokens_and_cost_have_columns_where_they_are_of_anything(crowd, visit):
    page = visit(crowd, "/stats")
    columns = ["Count", "Failed", "p50", "p95"]
    for by, shown in {"model": [*columns, "Tokens", "Cost"], "tool": columns}.items():
        headings = page.get_by_role("table", name=f"By {by}").get_by_role("columnheader")
        expect(headings).to_have_text([f"By {by}", *shown])


@pytest.mark.slow
def test_the_slowest_and_the_dearest_calls_are_beside_each_other(crowd, visit):
    page = visit(crowd, "/stats", viewport={"width": 1440, "height": 900})
    headings = [page.get_by_role("heading", name=re.compile(f"^{name}")) for name in ("Slowest", "Most expensive")]
    slowest, dearest = (heading.bounding_box() for heading in headings)
    assert slowest["y"] == dearest["y"]
    assert slowest["x"] < 100


@pytest.mark.slow
def test_a_filter_narrows_every_figure(crowd, visit):
    page = visit(crowd, "/stats?model=gpt-4.1-mini")
    total = crowd.get("/stats?model=gpt-4.1-mini")["total"]
    expect(page.locator("#main")).to_contain_text(f"{total['count']:,}")
    expect(page.locator("#main")).not_to_contain_text("claude-sonnet")


@pytest.mark.slow
def test_runs_can_be_counted_instead_of_calls(crowd, visit):
    page = visit(crowd, "/stats?of=traces")
    total = crowd.get("/stats?of=traces")["total"]
    expect(page.locator("#main")).to_contain_text(f"{total['count']:,}")


@pytest.mark.slow
def test_the_dearest_runs_are_named_with_their_question(crowd, visit):
    page = visit(crowd, "/stats?of=runs")
    top = crowd.get("/runs?sort=cost&limit=1")["items"][0]
    dearest = page.locator("section", has=page.get_by_role("heading", name="Most expensive"))
    expect(dearest.locator(f'a[href*="{top["run_id"]}"]')).to_contain_text(top["question"])


@pytest.mark.slow
def test_the_slowest_and_the_dearest_calls_are_named_with_what_they_gave(crowd, visit):
    page = visit(crowd, "/stats")
    for sort in ("duration", "cost"):
        top = crowd.get(f"/events?sort={sort}&limit=1")["items"][0]
        link = page.locator(f'#main a[href*="{top["span_id"]}"]').first
        expect(link).to_be_visible()
        about = crowd.get(f"/events/previews?trace_id={top['trace_id']}&span_id={top['span_id']}")["items"][0]
        expect(link).to_contain_text(about["error"] or about["output"] or top["name"].split()[-1])
    link.click()
    page.wait_for_url(re.compile(top["span_id"]))


@pytest.mark.slow
def test_every_link_of_the_page_leads_to_what_the_api_understands(crowd, visit):
    page = visit(crowd, "/stats")
    expect(page.locator("#main")).to_contain_text("TimeoutError")
    queries = {found.group(2) for link in links_of(page) if (found := QUERY.search(link["href"]))}
    assert len(queries) > 20
    for query in sorted(queries):
        crowd.get("/events?" + re.sub(r"(^|&)(span|trace|tab)=[^&]*", "", query).lstrip("&"))


@pytest.mark.slow
def test_times_in_the_headline_are_those_of_one_kind(crowd, visit):
    page = visit(crowd, "/stats")
    expect(page.locator("dt").filter(has_text=re.compile("^Model call p50$"))).to_be_visible()
    expect(page.locator("dt").filter(has_text=re.compile("^Tool call p95$"))).to_be_visible()
    expect(page.locator("dt").filter(has_text=re.compile("^p50$"))).to_have_count(0)
    page.goto(re.sub("#.*", "#/stats?kind=llm", page.url))
    expect(page.locator("dt").filter(has_text=re.compile("^p50$"))).to_be_visible()


@pytest.mark.slow
def test_what_is_stored_is_told_with_its_rule_and_what_goes_next(crowd, visit):
    page = visit(crowd, "/stats")
    storage = page.get_by_role("region", name="Storage")
    found = crowd.get("/storage")
    expect(storage).to_contain_text(f"{found['runs']:,} runs of {found['traces']:,} traces")
    expect(storage).to_contain_text("INSPECTOR_RETENTION_DAYS")
    storage.get_by_role("link", name=re.compile(re.escape(found["next"]["name"]))).click()
    page.wait_for_url(re.compile(f"#/traces/{found['next']['trace_id']}"))


@pytest.mark.slow
def test_on_a_phone_the_figures_stand_in_two_columns(crowd, visit):
    page = visit(crowd, "/stats", viewport={"width": 390, "height": 844})
    boxes = [term.bounding_box() for term in page.locator("dl").first.get_by_role("term").all()]
    assert len({box["x"] for box in boxes if box}) == 2
