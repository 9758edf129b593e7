"""Attributes of what middleware did to a call."""

from collections.abc import Iterator

from inspector.plain import Plain

_WITHOUT_CONTENT = ("name", "did", "calls")


def without_content(middleware: Plain) -> Plain:
    """Return who did what, without arguments and results."""
    return [
        {key: value for key in _WITHOUT_CONTENT if isinstance(value := entry.get(key), str | int)}
        for entry in _entries(middleware)
    ]


def outcome(facts: dict[str, Plain]) -> str | None:
    """Return what became of a tool call; None where nobody told of middleware and nothing was refused.

    Where a middleware raised, whether the tool had run before is not known. A tool that is not there did not run, nor
    one whose arguments were wrong.
    """
    if "refused" in facts:
        return "denied"
    if "middleware" not in facts or "never_run" in facts:
        return None
    did = [entry.get("did") for entry in _entries(facts["middleware"])]
    if "answered" in did:
        return "short_circuited"
    return None if "raised" in did else "executed"


def _entries(middleware: Plain) -> Iterator[dict[str, Plain]]:
    for entry in middleware if isinstance(middleware, list) else ():
        if isinstance(entry, dict):
            yield entry
