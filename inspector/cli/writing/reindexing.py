"""Interprets recorded spans again, in the process that may write the database."""

from collections.abc import Iterator

from inspector.cli.errors import CliError
from inspector.cli.exporting import ExportSelection, selected_traces
from inspector.cli.opening import opened
from inspector.cli.output.figures import counted
from inspector.cli.output.visible import visible
from inspector.cli.ownership import other_owner
from inspector.ingest import Reindexed, reindex
from inspector.settings import Settings

_MOST_NAMES = 40


def reindex_selected(settings: Settings, selection: ExportSelection, *, write: bool) -> Reindexed:
    """Interpret traces again.

    Raises:
        CliError: There is no such trace, or another process owns the database.
    """
    with opened(settings, write=write) as store:
        owner = other_owner(settings.lock_file) if write else None
        if owner is not None:
            who = f"process {owner.pid}" if owner.url is None else f"the server on {owner.url}"
            raise CliError(f"{who} owns the database: stop it, and try again; --dry-run works beside it")
        # Listed before anything is written: pages of a changing list may repeat a trace.
        trace_ids = list(dict.fromkeys(selected_traces(store, selection)))
        return reindex(store, trace_ids, write=write)


def report(totals: Reindexed, *, written: bool) -> Iterator[str]:
    """Yield how much changed, and in how many spans, by field or attribute."""
    verb = "changed" if written else "would change"
    yield f"{counted(totals.spans, 'span')} read again, {totals.changed:,} {verb}"
    names = sorted(totals.by_name.items(), key=lambda item: (-item[1], item[0]))
    width = len(f"{names[0][1]:,}") if names else 0
    yield from (f"  {count:>{width},}  {visible(name)}" for name, count in names[:_MOST_NAMES])
    if len(names) > _MOST_NAMES:
        yield f"  … and {counted(len(names) - _MOST_NAMES, 'more field')}"
    if totals.traces:
        yield f"{counted(totals.traces, 'trace')} summed up differently: {', '.join(sorted(totals.of_traces))}"
