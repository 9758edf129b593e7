"""What was not recorded, in sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator

from inspector.model import LOSS_REASONS, Loss, Losses, LossReason

_SENTENCES: dict[LossReason, tuple[str, str, str]] = {
    "dropped": ("call", "calls", "not recorded in full: the queue was full"),
    "unwritten": ("call", "calls", "not recorded in full: the file could not be written"),
    "unencodable": ("call", "calls", "not recorded in full: no record could be made"),
    "undecodable": ("line or span", "lines or spans", "unreadable, and not stored"),
    "dropped_segments": ("spool file", "spool files", "removed to make room before being stored"),
}
ADVICE: dict[LossReason, str] = {
    "dropped": "record fewer or smaller calls at a time",
    "unwritten": "see that there is room in the home and that it can be written, then run the program again",
    "unencodable": "the logger mcp.inspector of the program says why",
    "undecodable": "see docs/spool.md; a process that was killed can leave one such line",
    "unmatched": "emit the begin and the end of a call with one call_id; see docs/instrumentation-hooks.md",
    "dropped_segments": "keep inspector serve running, so that recordings are stored sooner",
}


def sum_of(losses: Iterable[Loss]) -> Losses:
    """Add up what was not recorded, by reason."""
    counts: Counter[LossReason] = Counter()
    for loss in losses:
        counts[loss.reason] += loss.count
    return Losses(**counts)


def counts_in(losses: Losses) -> Iterator[tuple[LossReason, int]]:
    """Yield each reason for which something was not recorded, with how much."""
    return ((reason, count) for reason in LOSS_REASONS if (count := getattr(losses, reason)))


def loss_sentences(losses: Losses, *, of: str = "") -> Iterator[str]:
    """Say what was not recorded, one sentence per reason; ``of`` says whose, such as " of its processes"."""
    return (loss_sentence(reason, count, of=of) for reason, count in counts_in(losses))


def loss_sentence(reason: LossReason, count: int, *, of: str = "") -> str:
    """Say how much was not recorded for one reason."""
    if reason == "unmatched":
        return f"{count:,} {'call' if count == 1 else 'calls'}{of} ended that had not begun there"
    one, many, what = _SENTENCES[reason]
    return f"{count:,} {one if count == 1 else many}{of} {'was' if count == 1 else 'were'} {what}"
