"""What two pages and the API's contract say of each hook, from the code; run as a program, it writes them again."""

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from inspector import semconv
from inspector.nouns import NOUNS
from inspector.reading.call_record import CallRecord
from inspector.reading.describe import describe
from inspector.record.capture.hooks import CAPTURES
from instrument import HOOKS

ROOT = Path(__file__).parents[1]
KINDS = {semconv.KIND_CLIENT: "CLIENT", semconv.KIND_SERVER: "SERVER"}
REQUEST = {"jsonrpc": "2.0", "id": 1, "method": "{method}"}
RULE = """\
        - if:
            required: [hook, attributes]
            properties:
              hook: {{ const: {noun} }}
            not: {{ required: [clipped] }}
          then:
            properties:
              attributes: {{ required: [{keys}] }}
"""


def catalogue() -> str:
    """Return the rows of the hooks."""
    rows = (
        (f"`{hook.name}`", hook.when, *map(_names, (hook.keywords, hook.optional)), hook.since)
        for hook in HOOKS.values()
    )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def trios() -> str:
    """Return the rows of the spans that three hooks make; a part of a name that differs is in braces."""
    rows = ""
    for capture in CAPTURES:
        keywords = HOOKS[capture.before_hook].keywords
        facts = capture.before({name: REQUEST if name == "envelope" else "{name}" for name in keywords})
        before = {name: msgspec.Raw(msgspec.json.encode(_braced(name, fact))) for name, fact in facts.items()}
        its = describe(CallRecord("1" * 32, "1" * 16, capture.noun, 1, before=before))
        kind = KINDS.get(its.kind, "INTERNAL")
        rows += f"| `{capture.noun}` | `{its.name}` | {kind} | `{its.attributes[semconv.SPAN_TYPE]}` |\n"
    return rows


def _braced(name: str, fact: object) -> object:
    return f"{{{name}}}" if isinstance(fact, str) else fact


def rules() -> str:
    """Return the rules for the attributes that each hook always has."""
    nouns = (noun for noun in NOUNS.values() if noun.hooks)
    return "".join(
        RULE.format(noun=noun.name, keys=", ".join((semconv.HOOK, *sorted(noun.required)))) for noun in nouns
    )


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


PARTS: dict[str, tuple[str, Callable[[], str]]] = {
    "docs/instrumentation-hooks.md": (r"(?<=\| Since \|\n\|---\|---\|---\|---\|---\|\n)(?:\|.*\n)+", catalogue),
    "docs/telemetry.md": (r"(?<=type` \|\n\|---\|---\|---\|---\|\n)(?:\|.*\n)+", trios),
    "openapi.yaml": (
        r"(?<=    HookAttributes:\n)(?:(?:      .*)?\n)*?      allOf:\n(?P<part>(?:        .*\n)+)",
        rules,
    ),
}
"""By file: what finds the part that is written, and what it is."""


def renewed(name: str) -> str:
    """Return a file with its part as the code has it."""
    text = (ROOT / name).read_text(encoding="utf-8")
    pattern, part = PARTS[name]
    found = re.search(pattern, text)
    assert found is not None, f"{name} has no place for what is written of hooks"
    begin, end = found.span("part" if "part" in found.groupdict() else 0)
    return text[:begin] + part() + text[end:]


if __name__ == "__main__":
    for name in PARTS:
        (ROOT / name).write_text(renewed(name), encoding="utf-8")
