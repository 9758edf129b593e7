"""Ordinary texts, as agents read and write them, out of what is installed here under free licences.

Docstrings and code of the standard library, descriptions of packages, what pages of our own say, tracebacks of real
failures, listings with digests, data as JSON, pictures as base64: nothing in it was written for the rules, and nothing
was left out because of them.
"""

import ast
import base64
import hashlib
import importlib
import json
import random
import re
import sysconfig
import traceback
import uuid
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARES = {
    "docstrings": 500,
    "code": 400,
    "descriptions": 350,
    "json": 200,
    "chats": 150,
    "listings": 100,
    "tracebacks": 100,
    "pictures": 100,
    "pages": 100,
}
"""How many texts of each kind; 2,000 in all."""


def corpus(seed: int = 20261122) -> list[tuple[str, str]]:
    """The kind and the text of each, the same for one seed and one set of installed files."""
    rng = random.Random(seed)
    texts: list[tuple[str, str]] = []
    for kind, share in SHARES.items():
        found = [text for text in _KINDS[kind](rng) if len(text) >= 40]
        rng.shuffle(found)
        assert found, kind
        texts += [(kind, found[at % len(found)]) for at in range(share)]
    return texts


def _sources() -> list[Path]:
    library = Path(sysconfig.get_path("stdlib"))
    return sorted(path for path in library.rglob("*.py") if not {"site-packages", "test", "tests"} & set(path.parts))


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return ""


def _docstrings(rng: random.Random) -> Iterator[str]:
    for path in rng.sample(_sources(), 150):
        try:
            tree = ast.parse(_read(path))
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                if text:
                    yield text[:4000]


def _code(rng: random.Random) -> Iterator[str]:
    for path in rng.sample(_sources(), 120):
        lines = _read(path).splitlines(keepends=True)
        for start in range(0, len(lines), 40):
            yield "".join(lines[start : start + 40])


def _packages() -> list[metadata.Distribution]:
    return sorted(metadata.distributions(), key=lambda each: each.metadata["Name"] or "")


def _descriptions(rng: random.Random) -> Iterator[str]:
    for each in _packages():
        text = each.read_text("METADATA") or ""
        for part in re.split(r"\n(?=#|\S.*\n[=~-]{4,}\n)", text):
            yield part[:4000]


def _json(rng: random.Random) -> Iterator[str]:
    for each in _packages():
        about = each.metadata.json
        about["id"] = str(uuid.UUID(int=rng.getrandbits(128)))
        yield json.dumps({"results": [about], "next_page_token": None, "max_tokens": 512, "token": 12})
        yield json.dumps({"content": [{"type": "text", "text": json.dumps(about)}], "is_error": False})
    for path in sorted((ROOT / "web").glob("*.json")) + sorted((ROOT / "tests" / "ingest").rglob("*.json*")):
        for start in range(0, min(path.stat().st_size, 40_000), 4_000):
            yield _read(path)[start : start + 4_000]


def _chats(rng: random.Random) -> Iterator[str]:
    docs = list(_docstrings(rng))
    for at, question in enumerate(docs[:-1]):
        identifier = "".join(rng.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=24))
        call = {"id": f"call_{identifier}", "function": {"name": "read", "arguments": json.dumps({"page": at})}}
        usage = {"prompt_tokens": at, "completion_tokens": 7, "total_tokens": at + 7, "cached_tokens": 0}
        messages = [
            {"role": "user", "content": question},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": json.dumps({"text": docs[at + 1]})},
        ]
        yield json.dumps({"id": f"chatcmpl-{identifier}", "messages": messages, "usage": usage, "max_tokens": 4096})


def _listings(rng: random.Random) -> Iterator[str]:
    for each in _packages():
        yield (each.read_text("RECORD") or "")[:3000]
    sources = _sources()
    for _ in range(50):
        chosen = rng.sample(sources, 12)
        yield "\n".join(f"{hashlib.sha1(path.read_bytes()).hexdigest()}  {path}" for path in chosen)
        yield "\n".join(f"* {hashlib.sha256(path.read_bytes()).hexdigest()[:12]} Add {path.stem}" for path in chosen)


def _tracebacks(rng: random.Random) -> Iterator[str]:
    for name in ("json", "ast", "tomllib", "ipaddress", "email", "fractions", "configparser", "zoneinfo", "datetime"):
        module = importlib.import_module(name)
        for function in list(vars(module).values()):
            if not callable(function):
                continue
            for argument in ("{'a': 1", object(), -1):
                try:
                    function(argument)
                except (Exception, SystemExit):
                    yield traceback.format_exc()


def _pictures(rng: random.Random) -> Iterator[str]:
    for path in sorted(ROOT.glob("docs/images/*.png")):
        data = path.read_bytes()
        for _ in range(40):
            start = rng.randrange(len(data))
            yield (
                "data:image/png;base64," + base64.b64encode(data[start : start + rng.randrange(1_000, 9_000)]).decode()
            )


def _pages(rng: random.Random) -> Iterator[str]:
    for path in sorted(ROOT.glob("docs/**/*.md")):
        if path.name != "redaction.md":
            yield from (part[:4000] for part in re.split(r"\n(?=## )", _read(path)))


_KINDS = {
    "docstrings": _docstrings,
    "code": _code,
    "descriptions": _descriptions,
    "json": _json,
    "chats": _chats,
    "listings": _listings,
    "tracebacks": _tracebacks,
    "pictures": _pictures,
    "pages": _pages,
}
