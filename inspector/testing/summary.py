"""The failed tests as Markdown, for the page of a CI job."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def write_summary(file: Path, failed: Iterable[tuple[str, Mapping[str, str]]]) -> None:
    """Append a table of tests and their runs to a file; nothing if no test failed."""
    rows = [_row(name, known) for name, known in failed]
    if rows:
        head = ("### Agent tests that failed", "", "| Test | What differs first | Run |", "|---|---|---|")
        with file.open("a", encoding="utf-8") as summary:
            summary.write("\n".join((*head, *rows, "", "")))


def _row(name: str, facts: Mapping[str, str]) -> str:
    run = facts.get("inspector.page") or facts.get("inspector.run", "")
    return _cells((name, facts.get("inspector.divergence", ""), run))


def _cells(texts: Sequence[str]) -> str:
    return f"| {' | '.join(f'`{_cell(text)}`' if text else '' for text in texts)} |"


def _cell(text: str) -> str:
    """Escape a text so that it ends neither its table cell nor its code span."""
    return " ".join(text.replace("|", "\\|").replace("`", "'").split())
