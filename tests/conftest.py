"""The browser of every test that needs one."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
WAIT_MS = 30_000


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the machine's Chromium, without any window; it asks nobody but the pages that it is sent to."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        message = "no Chromium: install Debian's package chromium"
        pytest.fail(message) if os.environ.get("INSPECTOR_BROWSER") == "required" else pytest.skip(message)
    with sync_playwright() as playwright:
        # Chromium refuses its sandbox to root, and a container's /dev/shm is small.
        arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        expect.set_options(timeout=WAIT_MS)
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; of a module only, since no other event loop runs in this thread as long as it does."""
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a browser profile of its own; the test fails when a script of it does."""
    context = browser.new_context()
    context.set_default_timeout(WAIT_MS)
    made = context.new_page()
    failures: list[str] = []
    made.on("pageerror", lambda error: failures.append(str(error)))
    yield made
    context.close()
    assert failures == []


@pytest.fixture(scope="session")
def checkout() -> Path:
    return Path(__file__).parents[1]
