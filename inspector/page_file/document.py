"""The document: the app and a run, packed, with a policy that only runs the app and connects to nothing."""

import base64
import gzip
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

from inspector.api.packed import FilePage

_LOADER = Path(__file__).with_name("loader.js")
_LEVEL = 9


def packed(text: bytes) -> str:
    """Return a text as a document holds it: nothing in it can be markup."""
    # No time in it: the same run makes the same file.
    return base64.b64encode(gzip.compress(text, _LEVEL, mtime=0)).decode("ascii")


def document(app: FilePage, parts: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of the document.

    Args:
        app: What shows the run.
        parts: What the run is, packed; the page knows them by their numbers.
    """
    loader = _LOADER.read_text("utf-8")
    yield _HEAD.format(policy=_policy(loader, app))
    yield _part("app-style", _packed_app(app.style))
    yield _part("app-script", _packed_app(app.script))
    for number, part in enumerate(parts):
        yield _part(f"part-{number}", part)
    yield f'<script type="text/plain" id="licences">\n{app.licences}\n</script>\n'
    yield f"<script>{loader}</script>\n</body></html>\n"


_packed_app = cache(packed)

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Inspector</title><link rel="icon" href="data:,"></head>
<body><div id="root"></div>
<noscript>This file holds a recorded run, packed; showing it needs JavaScript, and no network.</noscript>
"""


def _part(name: str, text: str) -> str:
    return f'<script type="text/plain" id="{name}">{text}</script>\n'


def _policy(loader: str, app: FilePage) -> str:
    scripts = f"{_hash(loader.encode())} {_hash(app.script)}"
    return (
        f"default-src 'none'; script-src {scripts}; style-src {_hash(app.style)}; img-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types inspector"
    )


def _hash(text: bytes) -> str:
    return f"'sha256-{base64.b64encode(sha256(text).digest()).decode('ascii')}'"
