"""``inspector import``: reads files of OTLP JSON, and transcripts of coding agents, into the database."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspector.cli.options import home_option

if TYPE_CHECKING:
    from inspector.cli.writing.import_files import Imported


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@home_option
def importing(*, files: tuple[str, ...], home: Path | None) -> int:
    """Import OTLP JSON, as written by 'inspector export' or a collector's file exporter, compressed or not.

    Logs become events of their spans.

    The sessions that Claude Code (~/.claude/projects/*/*.jsonl), Codex (~/.codex/sessions/*/*/*/*.jsonl) and Gemini CLI
    (~/.gemini/tmp/*/chats/*.jsonl) keep of themselves can be imported too, and what 'opencode export' writes. FILE may
    be - for standard input. Spans that are already stored stay as they are. If something cannot be read, or a running
    server refuses it, the command names it, imports the rest, and exits with 1.
    """
    from inspector.cli.home import settings_of
    from inspector.cli.output.notices import notice
    from inspector.cli.writing.import_files import import_files

    imported = import_files(settings_of(home), files)
    for problem in imported.bad_files:
        notice(f"inspector: {problem}")
    if imported.spans or imported.logs:
        for omission in imported.omissions():
            notice(omission)
        where = f"inspector show {imported.last_trace}" if imported.traces == 1 else "inspector events"
        notice(f"{_summary(imported)}; look at them with: {where}")
    return 1 if imported.bad_files else 0


def _summary(imported: "Imported") -> str:
    from inspector.cli.output.figures import counted

    logs = f"{counted(imported.logs, 'log')} of spans"
    if not imported.spans:
        return f"imported {logs}"
    return f"{_summary_of_spans(imported)}, and {logs}" if imported.logs else _summary_of_spans(imported)


def _summary_of_spans(imported: "Imported") -> str:
    from inspector.cli.output.figures import counted

    traces = counted(imported.traces, "trace")
    stored_before = imported.spans - imported.new
    if not stored_before:
        return f"imported {counted(imported.new, 'span')} of {traces}"
    if imported.new <= 0 and imported.is_changed:
        return f"{counted(imported.spans, 'span')} of {traces}: already stored, and now updated"
    if imported.new <= 0:
        return f"{counted(imported.spans, 'span')} of {traces}: already stored, nothing new"
    return f"imported {counted(imported.new, 'span')} of {traces}, {stored_before:,} more were already stored"
