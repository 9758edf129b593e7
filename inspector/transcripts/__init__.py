"""Reads the sessions that coding agents keep of themselves, as spans.

Claude Code keeps ``~/.claude/projects/*/*.jsonl``, Codex ``~/.codex/sessions/**/rollout-*.jsonl``, Gemini CLI
``~/.gemini/tmp/*/chats/*.jsonl``, and opencode writes one with ``opencode export``. These formats are their own affair
and change, so whatever is not understood is passed over.
"""

from inspector.transcripts.reading import Transcript, transcript_of

__all__ = ["Transcript", "transcript_of"]
