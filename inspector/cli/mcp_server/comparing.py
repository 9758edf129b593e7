"""Two runs compared, as a coding agent reads it."""

from collections.abc import Iterator
from itertools import groupby

from inspector.cli.comparing.compared import stored_runs_to_compare
from inspector.cli.mcp_server.answer import UncutAnswer
from inspector.cli.mcp_server.arguments import DiffArguments
from inspector.cli.mcp_server.reader import Reader
from inspector.cli.mcp_server.texts import WITHOUT_CONTENT, one_line, shown
from inspector.cli.output import figures
from inspector.cli.output.rows import short_run_id
from inspector.diff import Diff, DiffRun, DiffStep, compare, diff_of, program_changes
from inspector.lookup import SHORT_ID, id_of

_MOST_PARTS, _SHARE = 3, 3
_MOST_NAME = 100


def diff(reader: Reader, arguments: DiffArguments) -> UncutAnswer:
    """Compare two runs; by default the last one with the run before it."""
    a = arguments.a if arguments.a or arguments.b else id_of(reader.find(None))
    first, second = stored_runs_to_compare(reader.store, a, arguments.b)
    comparison = compare(first.events, second.events, program_changes(first.program, second.program))
    found = diff_of(first.run, second.run, comparison, most_text=reader.characters // 4 // _SHARE)
    items = [f"a: {_about(found.a)}\nb: {_about(found.b)}", *_cause(found, content=reader.content)]
    steps = [step for step in found.steps if step.differences]
    for (look, _), alike in groupby(steps, key=lambda step: (_look(step, content=reader.content), step.differences)):
        calls = list(alike)
        items.append("  ".join(filter(None, (_ids(calls[0]), look, f"\u00d7{len(calls):,}" if calls[1:] else ""))))
    equal = len(found.steps) - len(steps)
    about = "The runs are equal." if found.equal else f"The runs differ in {figures.counted(len(steps), 'call')}."
    about += f" {figures.counted(equal, 'call')} of both are equal."
    return UncutAnswer(about, items, noun="line", advice="" if reader.content else WITHOUT_CONTENT)


def _about(run: DiffRun) -> str:
    name = one_line(run.name or "", _MOST_NAME)
    started = "" if run.start_time_unix_nano is None else figures.moment(run.start_time_unix_nano)
    run_id = short_run_id(run.run_id or run.label)
    return "  ".join(filter(None, (run_id, name, run.status or "", started, figures.counted(run.spans, "span"))))


def _cause(found: Diff, *, content: bool) -> Iterator[str]:
    cause = found.cause
    if cause is None:
        return
    step = found.steps[cause.step]
    if not content:
        yield f"cause: {cause.kind} of {one_line(step.name, _MOST_NAME)}"
        return
    lines = [f"cause: {shown(cause.sentence)}"]
    if cause.part is not None:
        for side, text in (("a", cause.part.a), ("b", cause.part.b)):
            lines.append(f"{side}: {shown(text)}" if isinstance(text, str) else f"{side}: (missing)")
    yield "\n".join(lines)


def _ids(step: DiffStep) -> str:
    return " / ".join(f"{side} {call.span_id[:SHORT_ID]}" for side, call in (("a", step.a), ("b", step.b)) if call)


def _look(step: DiffStep, *, content: bool) -> str:
    """Write what a call is and how it differs; equal ones that follow each other are written once."""
    labels = [one_line(part.label, _MOST_NAME) for part in step.changed[:_MOST_PARTS]] if content else []
    parts = (step.kind, one_line(step.name, _MOST_NAME), ", ".join(step.differences), "; ".join(labels))
    return "  ".join(filter(None, parts))
