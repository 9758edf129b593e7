"""Figures as a table: one row per value of a field, and the total."""

from collections.abc import Iterable
from typing import Literal

from inspector.cli.output import figures
from inspector.cli.output.table import Cell, Column, table_lines
from inspector.cli.output.terminal import Terminal
from inspector.model import GroupBy, Stats, StatsGroup

Rank = Literal["count", "errors", "p50", "p95", "tokens", "cost"]
"""What rows are sorted by."""


def stats_table(stats: Stats, terminal: Terminal, *, by: GroupBy, noun: str, rank: Rank, limit: int) -> Iterable[str]:
    """Lay out the groups, the largest first and the one without a value last, and the total."""
    columns = (
        Column(title=by.upper().replace("_", " "), shrinks_to=12),
        Column(title=f"{noun.upper()}S", right=True),
        Column(title="ERRORS", right=True),
        Column(title="MEAN SCORE", right=True),
        Column(title="P50", right=True, leaves=4),
        Column(title="P95", right=True, leaves=5),
        Column(title="P99", right=True, leaves=1),
        Column(title="TOKENS", right=True, leaves=3),
        Column(title="COST", right=True, leaves=6),
        Column(title="UNPRICED", right=True, leaves=2),
    )
    rows = [_cells(_key(group, terminal), group, terminal) for group in ranked_groups(stats, by, rank)[:limit]]
    # Durations of all kinds together say nothing.
    total = [Cell(cell.text, "bold") for cell in _cells("total", stats.total, terminal)]
    total[4:7] = [Cell("")] * 3
    return table_lines(columns, [*rows, total], terminal)


def ranked_groups(stats: Stats, by: GroupBy, rank: Rank) -> list[StatsGroup]:
    """Return the groups, the largest first and the one without a value last."""
    # A call without an error type is one that did not fail, or failed without one.
    shown = [group for group in stats.groups if by != "error_type" or group.key is not None or group.errors]
    return sorted(shown, key=lambda group: (group.key is None, -(_rank(group, rank) or 0)))


def _rank(group: StatsGroup, rank: Rank) -> float | None:
    values: dict[Rank, float | None] = {
        "count": group.count,
        "errors": group.errors,
        "p50": group.p50_ms,
        "p95": group.p95_ms,
        "tokens": group.input_tokens + group.output_tokens,
        "cost": group.cost_usd,
    }
    return values[rank]


def _key(group: StatsGroup, terminal: Terminal) -> str:
    return terminal.signs("\u2013") if group.key is None else terminal.safe(group.key)


def _cells(key: str, group: StatsGroup, terminal: Terminal) -> list[Cell]:
    used = group.input_tokens or group.output_tokens
    return [
        Cell(key),
        Cell(f"{group.count:,}"),
        Cell(f"{group.errors:,}", "red" if group.errors else ""),
        Cell(f"{group.mean_score:.4g}" if isinstance(group.mean_score, float) else ""),
        *(Cell(terminal.signs(figures.duration(each))) for each in (group.p50_ms, group.p95_ms, group.p99_ms)),
        Cell(terminal.signs(figures.tokens(group.input_tokens, group.output_tokens)) if used else ""),
        Cell(terminal.signs(figures.cost(group.cost_usd))),
        Cell(f"{group.unpriced_calls:,}" if group.unpriced_calls else ""),
    ]
