"""Finds out whose transcript a file is, and reads it."""

from pathlib import Path
from typing import TypeAlias

from inspector.transcripts.claude_code import ClaudeCode, is_of_claude_code
from inspector.transcripts.codex import Codex, is_of_codex
from inspector.transcripts.copilot import Copilot, is_of_copilot
from inspector.transcripts.gemini_cli import GeminiCli, is_of_gemini_cli
from inspector.transcripts.lines import object_on
from inspector.transcripts.opencode import Exported, is_of_opencode

Transcript: TypeAlias = ClaudeCode | Codex | Copilot | GeminiCli | Exported


def transcript_of(first_line: bytes, path: Path) -> Transcript | None:
    """Return a reader for a file that begins with this line; None if it is no transcript.

    Args:
        first_line: Its first line; the whole file if that is one document on many lines.
        path: The file, next to which there may be those of other sessions that it refers to.
    """
    line = object_on(first_line)
    if line is None:
        return None
    if is_of_codex(line):
        return Codex(path)
    if is_of_copilot(line):
        return Copilot()
    if is_of_gemini_cli(line):
        return GeminiCli(path)
    if is_of_opencode(line):
        return Exported()
    return ClaudeCode() if is_of_claude_code(line) else None
