"""Finds out whose transcript a file is, and reads it."""

from typing import TypeAlias

from inspector.transcripts.claude_code import ClaudeCode, is_of_claude_code
from inspector.transcripts.codex import Codex, is_of_codex
from inspector.transcripts.lines import object_on

Transcript: TypeAlias = ClaudeCode | Codex


def transcript_of(first_line: bytes) -> Transcript | None:
    """Return a reader for a file that begins with this line; None if it is no transcript."""
    line = object_on(first_line)
    if line is None:
        return None
    if is_of_codex(line):
        return Codex()
    return ClaudeCode() if is_of_claude_code(line) else None
