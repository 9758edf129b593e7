"""A recorded run as the bytes of a file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from msgspec import UnsetType

from inspector.api.bodies import encode, encode_line
from inspector.api.full_event import with_messages
from inspector.api.packed import FilePage
from inspector.lookup import events_of, traces_of
from inspector.model import Event, Filter, Label, Losses, Run, RunOutline, Trace, every
from inspector.page_file.copied import copied
from inspector.page_file.document import document, packed
from inspector.page_file.errors import RunTooLarge, WebAppMissing
from inspector.received.labels import label_event
from inspector.store import Store

MOST_SPANS = 100_000
"""A run with more is too large for one document."""
MOST_PACKED_BYTES = 64 << 20
"""So many bytes of a run, packed, a browser still opens."""

NO_APP = "the web app is not built here, and a page is made of it: run 'make web' in the checkout"
_PART_BYTES = 512 << 10
_PAGE = 200


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file, and what it holds."""

    body: bytes
    traces: int
    spans: int
    redacted: int
    """Spans in which secrets were found that had been recorded, and are not in the file."""


def page_of_run(store: Store, item: Run | Trace, *, app: FilePage | None, content: bool = True) -> PageFile:
    """Make a file of a run, or of one trace of it, that opens in a browser from wherever it lies.

    Args:
        store: Where it is recorded.
        item: The run or the trace.
        app: What shows it: `packed_file_page` has what came with this package, None where that is not built.
        content: Whether prompts, answers, arguments, results, messages of errors and notes are in it.

    Raises:
        RunTooLarge: It has more than `MOST_SPANS` spans or `MOST_PACKED_BYTES`.
        WebAppMissing: There is nothing to show it with.
    """
    if app is None:
        raise WebAppMissing(f"{NO_APP}, or name a file .jsonl")
    if item.spans > MOST_SPANS:
        raise RunTooLarge(_too_large(item, f"{item.spans:,} spans; a page holds {MOST_SPANS:,}"))
    with copied(_events(store, item), item.run_id, content=content) as copy:
        parts = run_in_parts(copy.store, item.run_id, item.losses)
        size = sum(map(len, parts)) * 3 // 4
        if size > MOST_PACKED_BYTES:
            raise RunTooLarge(_too_large(item, f"{size >> 20} MiB, packed; a page holds {MOST_PACKED_BYTES >> 20}"))
        body = "".join(document(app, parts)).encode()
        run = copy.store.run(item.run_id)
        assert run is not None
        return PageFile(body, run.traces, run.spans, copy.redacted)


def run_in_parts(store: Store, run_id: str, losses: Losses | UnsetType) -> list[str]:
    """Return a run as the parts of a document: the first says what it is, and where the others begin."""
    outline = store.run_outline(run_id, limit=MOST_SPANS)
    assert outline is not None
    begins: list[int] = []
    parts = list(in_parts(_lines(store, run_id, outline), begins))
    return [packed(_head(store, outline, begins, losses)), *parts]


def _too_large(run: Run | Trace, why: str) -> str:
    way_out = "one trace of it, or " if isinstance(run, Run) and run.traces > 1 else ""
    return f"run {run.run_id} is too large for one page: it has {why}. Export {way_out}a file .jsonl.gz instead"


def _events(store: Store, run: Run | Trace) -> Iterator[Event]:
    for trace in traces_of(store, run):
        yield from events_of(store, trace.trace_id, full=True)
    only = None if isinstance(run, Run) else run.trace_id
    yield from (label_event(each) for each in _labels(store, run.run_id) if only in (None, each.trace_id))


def _labels(store: Store, run_id: str) -> Iterator[Label]:
    return every(lambda cursor: store.labels(run_id=run_id, cursor=cursor, limit=_PAGE))


def _head(store: Store, outline: RunOutline, begins: Sequence[int], losses: Losses | UnsetType) -> bytes:
    run_id = outline.run.run_id
    # Those of the home, since a store that took in nothing lost nothing.
    run = replace(outline.run, losses=losses)
    return encode_line(
        {
            "run": run,
            "traces": store.traces(Filter(run_id=run_id), order="asc", limit=MOST_SPANS).items,
            "outline": replace(outline, run=run),
            "turns": store.turns(run_id, limit=MOST_SPANS).items,
            "labels": list(_labels(store, run_id)),
            "begins": begins,
        }
    )


def in_parts(rows: Iterable[tuple[bytes, ...]], begins: list[int]) -> Iterator[str]:
    """Yield rows as parts of a document, and note the row that each part begins with."""
    waiting: list[bytes] = []
    size = 0
    for row, lines in enumerate(rows):
        if not waiting:
            begins.append(row)
        waiting += lines
        size += sum(map(len, lines))
        if size > _PART_BYTES:
            yield packed(b"\n".join(waiting))
            waiting, size = [], 0
    if waiting:
        yield packed(b"\n".join(waiting))


def _lines(store: Store, run_id: str, outline: RunOutline) -> Iterator[tuple[bytes, bytes]]:
    """Yield the spans in full, as the outline has them, each with its preview."""
    rows = zip((outline.traces[at] for at in outline.trace), outline.columns.span_id, strict=True)
    while some := list(islice(rows, _PAGE)):
        previews = {each.span_id: each for each in store.previews(run_id, [span_id for _, span_id in some])}
        for trace_id, span_id in some:
            event = store.event(span_id, trace_id=trace_id)
            assert event is not None
            yield encode_line(with_messages(event)), encode(previews.get(span_id))
