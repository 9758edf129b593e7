"""Chromium for programs that are no tests: the benchmark and the screenshots."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
WAIT_MS = 30_000


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the machine's Chromium without a window, or end the program in one line where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        sys.exit("no Chromium: install Debian's package chromium")
    arguments = ["--disable-dev-shm-usage", "--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        try:
            yield browser
        finally:
            browser.close()
