"""GitHub Copilot CLI, recorded from the file to which it writes its telemetry: spans with all that was said."""

from pathlib import Path

from inspector.coding_agents.one_file import OneFile
from inspector.transcripts.copilot import Copilot


class Collector(OneFile):
    """Records from `start` to `close`.

    Args:
        home: The inspector's directory; None for the configured one.
        telemetry: The file to which Copilot writes.
        content: Whether to record content.
    """

    def __init__(self, home: Path | None, telemetry: Path, *, content: bool) -> None:
        super().__init__("GitHub Copilot", "github-copilot", telemetry, Copilot(), home=home, content=content)
