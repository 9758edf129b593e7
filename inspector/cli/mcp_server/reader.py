"""What a tool reads from: the store, and what of it may be answered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.cli.mcp_server.texts import one_line
from inspector.cli.output import figures
from inspector.cli.output.rows import short_run_id
from inspector.lookup import as_one_trace, events_of, find_run_or_trace, traces_of
from inspector.model import Event, Filter, Run, Trace
from inspector.settings import Settings
from inspector.store import Store

_LATEST = 100
_MOST_TEXT = 160


@dataclass(frozen=True, slots=True)
class Reader:
    """The store of a home, for one call of a tool."""

    store: Store
    settings: Settings
    content: bool
    """Whether recorded texts are answered, or only names and figures."""
    own_run: str | None
    """The run that the caller itself belongs to, if it is recorded; found only if it is named."""
    characters: int
    """About how long the answer may be."""

    def find(self, named: str | None) -> Run | Trace:
        """Find a run, or its only trace, by its name; by default the last one that is not the caller's.

        Raises:
            RunUnknown: There is none.
        """
        if self.own_run is not None and (named or "last") == "last":
            for trace in self.store.traces(Filter(), limit=_LATEST).items:
                run = None if trace.run_id == self.own_run else self.store.run(trace.run_id)
                if run is not None:
                    return as_one_trace(self.store, run)
        return find_run_or_trace(self.store, named or "last")

    def traces(self, found: Run | Trace) -> list[list[Event]]:
        """Read all spans of a run without their large fields, trace by trace."""
        return [list(events_of(self.store, trace.trace_id)) for trace in traces_of(self.store, found)]

    def others(self, runs: Sequence[Run]) -> list[Run]:
        """Leave the caller's own run out."""
        return [run for run in runs if run.run_id != self.own_run]


def run_lines(run: Run | Trace, *, content: bool) -> Iterator[str]:
    """Write a run, or its only trace: what it is on one line, then its question and its answer."""
    run_id = short_run_id(run.run_id)
    used = run.input_tokens or run.output_tokens
    failed = f" ({run.errors:,} failed)" if run.errors else ""
    parts = (
        run_id,
        one_line(run.name, _MOST_TEXT),
        run.status,
        figures.moment(run.start_time_unix_nano),
        figures.duration(run.duration_ms),
        f"{figures.counted(run.calls, 'call')}{failed}",
        f"{figures.tokens(run.input_tokens, run.output_tokens)} tok" if used else "",
        figures.cost(run.cost_usd),
    )
    yield "  ".join(filter(None, parts))
    for word, text in (("asked", run.question), ("answered", run.answer)):
        if text and content:
            yield f"  {word}: {one_line(text, _MOST_TEXT)}"
