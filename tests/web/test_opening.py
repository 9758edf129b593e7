import gzip
import re
import socket
import sqlite3
import threading
from contextlib import closing
from urllib.parse import urlsplit

import pytest
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import expect
from serving import ROOT, fill
from stories import many_runs

import inspector
from inspector.settings import Settings

FIRST_VIEW_BYTES = 180_000


def test_the_printed_address_signs_the_browser_in_and_opens_the_runs(
    tmp_path, browser, watch, wait_ms, put_demo, serving
):
    put_demo(tmp_path / "home")
    with serving(tmp_path / "home", sign_in=False) as server:
        page = browser.new_page()
        page.set_default_timeout(wait_ms)
        watch.over(page, server.url)
        page.goto(server.sign_in_url)
        expect(page.get_by_text("trip-planner").first).to_be_visible()
        assert page.url.startswith(f"{server.url}/")
        assert "code" not in page.url
        page.context.close()


def test_a_browser_that_is_not_signed_in_is_told_how(demo, visit, watch):
    watch.tolerate("401")
    stranger = visit(demo, "/")
    stranger.context.clear_cookies()
    stranger.reload()
    expect(stranger.get_by_role("alert").filter(has_text="not signed in").first).to_contain_text("inspector open")
    assert "trip-planner" not in stranger.locator("body").inner_text()


@pytest.mark.slow
def test_a_deep_link_to_a_span_shows_that_span(demo, demo_trace, visit):
    failed = demo.get(f"/events?trace_id={demo_trace}&status=error&kind=tool&limit=1")["items"][0]
    page = visit(demo, f"/traces/{demo_trace}?span={failed['span_id']}")
    expect(page.locator("#main")).to_contain_text("did not answer in time")
    expect(page.locator('[aria-selected="true"]').filter(has_text="book_hotel").first).to_be_visible()


@pytest.mark.slow
def test_a_damaged_database_is_said_above_the_runs_that_can_be_read(tmp_path, visit, serving, watch):
    watch.tolerate("503")
    database = tmp_path / "home" / "inspector.db"
    fill(tmp_path / "home", many_runs(2))
    with closing(sqlite3.connect(database)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        look = "SELECT rootpage FROM sqlite_master WHERE name = 'ix_contents_span'"
        (broken,) = connection.execute(look).fetchone()
    with database.open("r+b") as file:
        file.seek((broken - 1) * size)
        file.write(b"\xff" * size)
    with serving(tmp_path / "home") as server:
        page = visit(server, "/")
        # The page asks for the server's state every half a minute, and may have done so before the check was over.
        expect(page.get_by_role("alert").filter(has_text="is damaged")).to_be_visible(timeout=60_000)
        expect(page.get_by_role("grid", name="Runs").locator('a[href*="/runs/"]').first).to_be_visible()


def test_an_address_that_leads_nowhere_says_so(demo, visit):
    page = visit(demo, "/no/such/view")
    expect(page.get_by_role("heading", level=1)).to_be_attached()
    page.get_by_role("navigation").get_by_role("link", name="Runs").click()
    expect(page.get_by_text("trip-planner").first).to_be_visible()


@pytest.mark.slow
def test_a_trace_that_is_not_there_says_so(demo, visit, watch):
    watch.tolerate("404")
    page = visit(demo, f"/traces/{'0' * 31}1")
    expect(page.locator("#main")).to_contain_text("Run not found")
    page.get_by_role("link", name="Go to the runs").click()
    expect(page).to_have_title("Runs · Inspector")


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "odd",
    [
        "/?status=nonsense",
        "/?attr=broken&since=yesterday",
        "/?min_duration_ms=abc&foo=bar&limit=0",
        "/spans?status=zz",
    ],
)
def test_what_an_address_cannot_mean_is_left_out_of_it(demo, visit, odd):
    page = visit(demo, odd)
    expect(page.locator("#main")).to_contain_text("trip_planner")
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.fixture(scope="module")
def mounted(tmp_path_factory, put_demo):
    """An application of somebody else that has the inspector at a prefix."""
    home = tmp_path_factory.mktemp("mounted") / "home"
    put_demo(home)
    app = FastAPI(telemetry={"tracing": False, "metrics": False, "logs": False})
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        address = inspector.mount(app, "/tools/inspector", Settings(home=home, port=port, retention_days=36500))
        server = uvicorn.Server(uvicorn.Config(app, ws="none", lifespan="off", log_config=None, proxy_headers=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{port}{address}"
        server.should_exit = True
        thread.join(20)


@pytest.mark.slow
def test_the_app_works_below_a_prefix_of_another_application(mounted, browser, watch, wait_ms):
    page = browser.new_page()
    page.set_default_timeout(wait_ms)
    parts = urlsplit(mounted)
    watch.over(page, f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}")
    page.goto(mounted)
    run = page.get_by_role("link", name=re.compile("trip-planner")).first
    run.click()
    expect(page.get_by_text("book_hotel").first).to_be_visible()
    assert urlsplit(page.url).path == "/tools/inspector/"
    page.get_by_role("navigation").get_by_role("link", name="Stats").click()
    expect(page.locator("#main")).to_contain_text("gpt-4.1-mini")
    page.context.close()


def test_the_first_view_loads_no_more_than_its_budget(demo, visit):
    loaded: list[str] = []
    page = visit(demo, "/")
    page.on("request", lambda request: loaded.append(request.url))
    page.reload()
    expect(page.get_by_text("trip-planner").first).to_be_visible()
    names = {urlsplit(url).path.rpartition("/")[2] for url in loaded if url.endswith((".js", ".css"))}
    sizes = {name: len(gzip.compress((ROOT / "web/dist/assets" / name).read_bytes(), 9)) for name in names}
    assert sizes and sum(sizes.values()) <= FIRST_VIEW_BYTES, sizes


def test_nothing_but_the_apps_own_files_and_the_api_is_asked_for(demo, visit):
    asked: set[str] = set()
    page = visit(demo, "/no/such/view")
    page.on("request", lambda request: asked.add(urlsplit(request.url).path))
    page.reload()
    for view in ("/", "/sessions", "/stats", "/spans"):
        page.goto(f"{demo.url}/#{view}")
        expect(page.locator("#main")).not_to_be_empty()
    unknown = {
        path
        for path in asked
        if not re.match(r"/(assets/|events|labels|runs|traces|sessions|stats|storage|readyz)|/$", path)
    }
    assert unknown == set()
