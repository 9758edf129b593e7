"""What middleware did to a call."""

from collections.abc import Iterator

from inspector.plain import Plain, scalars
from inspector.reading.control import verdict
from inspector.reading.facts import Facts

_WITHOUT_CONTENT = ("name", "did", "calls", "answer", "waited_ms", "error")
_OF_AN_ATTEMPT = ("outcome", "error")


def without_content(middleware: Plain) -> Plain:
    """Return which middleware did what, without arguments and results."""
    return [_without_content(entry) for entry in _entries(middleware)]


def _without_content(entry: dict[str, Plain]) -> dict[str, Plain]:
    kept = scalars(entry, _WITHOUT_CONTENT)
    if attempts := [scalars(attempt, _OF_AN_ATTEMPT) for attempt in _entries(entry.get("attempts"))]:
        kept["attempts"] = [*attempts]
    return kept


def outcome(facts: Facts) -> str | None:
    """Return the outcome of a tool call; None if no middleware or controller was involved and nothing was refused.

    If a middleware raised, or a failure became a result, it is unknown whether the tool had run before. An unknown tool
    did not run, nor did one with wrong arguments.
    """
    decided = verdict(facts)
    if "refused" in facts or decided == "denied":
        return "denied"
    if decided == "answered":
        return "short_circuited"
    if "middleware" not in facts or "never_run" in facts:
        return None
    did = [entry.get("did") for entry in _entries(facts["middleware"])]
    if "answered" in did:
        return "short_circuited"
    return None if "raised" in did or "recovered" in did else "executed"


def _entries(middleware: Plain) -> Iterator[dict[str, Plain]]:
    for entry in middleware if isinstance(middleware, list) else ():
        if isinstance(entry, dict):
            yield entry
