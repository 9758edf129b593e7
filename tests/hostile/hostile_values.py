"""Values that no honest program sends, made from a seed: for any place that takes a number, a text, an id or JSON."""

import json
import random
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
INT64 = 2**63
NUMBERS = [
    *(0, -1, 1, 2**31, 2**32, 2**53 + 1, INT64 - 1, INT64, -INT64, -INT64 - 1, 2**64 - 1, 2**64, 2**128, 10**308),
    *(0.5, -0.0, 1e308, -1e308, 5e-324),
]
TEXTS = [
    *(
        "",
        " ",
        "\0",
        "a\0b",
        "\r\nX-Injected: 1",
        "\n",
        "\t",
        "\x1b]8;;x\x07",
        "\x7f",
        "\ufeff",
        "\u202e",
        "\ud800",
        "é",
    ),
    *("../" * 12 + "etc/passwd", "..\\..\\x", "/", "//", ".", "..", "%", "%00", "%2e%2e%2f", "%ff", "%zz", "%25"),
    *(
        "'",
        '"',
        "'; DROP TABLE spans; --",
        '" OR 1=1',
        "*",
        "a*",
        "NEAR(a b)",
        "AND",
        "NOT",
        "(",
        "^a",
        "a:b",
        "{}",
        "[]",
    ),
    *(
        "<script>alert(1)</script>",
        "javascript:x",
        "${7*7}",
        "{{7*7}}",
        "%s%n",
        "__proto__",
        "constructor",
        "__class__",
    ),
    *("null", "true", "NaN", "Infinity", "-0", "0x10", "1e400", "+1", "1_000", "٣", "１", "1" * 400, "9" * 5000),
    *(
        "now",
        "-1d",
        "2026-13-45T99:99:99Z",
        "0000-00-00",
        "9999-12-31T23:59:59.999999999Z",
        "-1",
        "1e18",
        "99999-01-01",
    ),
    *("a" * 300, "a" * 2000, "é" * 600, "\U0001f600" * 300, "{" * 500, "[" * 3000, '{"a":' * 1000),
]
IDS = [
    "0" * 32,
    "0" * 16,
    "f" * 32,
    "F" * 16,
    "g" * 32,
    "a" * 31,
    "a" * 33,
    "a" * 15,
    f"{1:032x}",
    f"{1:016x}",
    "-",
    "é" * 16,
]
KEYS = sorted(
    {
        found
        for path in [*(ROOT / "inspector/reading/dialects").glob("*.py"), ROOT / "inspector/semconv.py"]
        for found in re.findall(r'"([a-z_]+(?:\.[a-z_0-9]+)+)"', path.read_text())
    }
)
"""Every attribute that is read as more than a text."""
ROLES = ["user", "assistant", "system", "tool", "", None, 7, [], {}]
FIELDS = [
    "role",
    "content",
    "parts",
    "type",
    "text",
    "name",
    "arguments",
    "tool_calls",
    "function",
    "id",
    "result",
    "error",
    "messages",
    "message",
    "usage",
]


NOT_FINITE = [float("inf"), float("-inf"), float("nan")]
"""Rare, since JSON has none of them, so that all of the request is refused."""


def number(rng: random.Random) -> Any:
    if rng.random() < 0.003:
        return rng.choice(NOT_FINITE)
    return rng.choice(NUMBERS) if rng.random() < 0.7 else rng.choice((1, -1)) * rng.getrandbits(rng.randrange(1, 200))


def text(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.6:
        return rng.choice(TEXTS)
    if kind < 0.75:
        return rng.choice(IDS)
    if kind < 0.85:
        return str(number(rng))
    return "".join(
        chr(rng.choice((rng.randrange(32), rng.randrange(256), rng.randrange(0x2FFF))))
        for _ in range(rng.randrange(60))
    )


def value(rng: random.Random, depth: int = 0) -> Any:
    """Something of any type, often shaped like what models are sent."""
    kind = rng.random()
    if depth > 4 or kind < 0.3:
        return text(rng)
    if kind < 0.45:
        return number(rng)
    if kind < 0.55:
        return rng.choice((None, True, False, [], {}, [[]], [{}], {"": None}))
    if kind < 0.75:
        return [value(rng, depth + 1) for _ in range(rng.randrange(5))]
    shaped = {name: value(rng, depth + 1) for name in rng.sample(FIELDS, rng.randrange(1, 6))}
    return shaped | ({"role": rng.choice(ROLES)} if rng.random() < 0.5 else {})


def json_text(rng: random.Random, plain: Any) -> bytes:
    """JSON of a value, as Python writes it: NaN as it stands, half pairs escaped or in bytes that are no UTF-8."""
    return json.dumps(plain, ensure_ascii=rng.random() < 0.7).encode("utf-8", "surrogatepass")


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Bytes with some of them changed, gone, doubled, or others put between."""
    out = bytearray(data)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(out) + 1)
        match rng.randrange(7):
            case 0 if at < len(out):
                out[at] = rng.randrange(256)
            case 1:
                del out[at : at + rng.randrange(1, 12)]
            case 2:
                out[at:at] = rng.randbytes(rng.randrange(1, 9))
            case 3:
                out[at:at] = out[at : at + rng.randrange(1, 60)]
            case 4:
                out[at:at] = rng.choice(
                    (b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\xaf", b'"', b"{", b"[", b"}", b"\\u", b"1e999")
                )
            case 5 if rng.random() < 0.3:
                del out[at:]
            case _:
                out[at:at] = rng.choice(
                    (b'"a":1,"a":2,', b"[" * 300, b'{"a":' * 300, b"-", b"\n", b"\\ud800", b"9" * 300)
                )
    return bytes(out)
