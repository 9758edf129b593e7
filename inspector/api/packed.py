"""The built web app as a fixed table of files, so no request ever becomes a path on disk."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_CHECKOUT = Path(__file__).parents[2]
_INSTALLED = Path(__file__).with_name("web")
_MEDIA_TYPES = {
    ".avif": "image/avif",
    ".css": "text/css; charset=utf-8",
    ".gif": "image/gif",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".wasm": "application/wasm",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}
"""Stated here because ``mimetypes`` depends on the machine, and browsers run no script of another type."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that the page loads; its name changes with its content."""

    body: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class WebApp:
    """All that a browser gets besides the API."""

    page: bytes | None
    """The document, or None if the app was not built."""
    assets: Mapping[str, Asset]
    """By name, which has no slash."""


@dataclass(frozen=True, slots=True)
class FilePage:
    """The app as one script and one style sheet, for a page in one file."""

    script: bytes
    style: bytes
    licences: str
    """Of the packages in the script."""


@cache
def packed_file_page() -> FilePage | None:
    """Read the app for a page in one file, from this package; None if it was not built."""
    place = _place() / "file"
    if not (place / "page.js").is_file():
        return None
    licences = (place / "licenses.md").read_text("utf-8")
    return FilePage((place / "page.js").read_bytes(), (place / "page.css").read_bytes(), licences)


@cache
def packed_web_app() -> WebApp:
    """Read the app from this package, or the one built in this checkout."""
    return read_web_app(_place())


def read_web_app(place: Path) -> WebApp:
    """Read ``index.html`` and ``assets/`` of a directory; files of a type that no page loads are left out.

    Raises:
        OSError: An existing file cannot be read.
    """
    index = place / "index.html"
    if not index.is_file():
        return WebApp(None, {})
    files = (file for file in (place / "assets").glob("*") if file.is_file())
    assets = {
        file.name: Asset(file.read_bytes(), _MEDIA_TYPES[file.suffix]) for file in files if file.suffix in _MEDIA_TYPES
    }
    return WebApp(index.read_bytes(), assets)


def _place() -> Path:
    # Beside an installed package, a directory named web/ is somebody else's.
    in_checkout = (_CHECKOUT / "pyproject.toml").is_file()
    return _CHECKOUT / "web" / "dist" if in_checkout and not _INSTALLED.is_dir() else _INSTALLED
