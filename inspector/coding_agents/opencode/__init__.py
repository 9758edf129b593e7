"""opencode, recorded from what a plugin of ours notes in it.

``inspector run opencode`` adds the plugin to its configuration, by an environment variable. opencode's own telemetry is
not used: it is lost where a run fails, since opencode does not send the last of it then.
"""

from pathlib import Path
from typing import Final

from inspector.coding_agents.one_file import OneFile
from inspector.coding_agents.opencode.notes import Notes

__all__ = ["PLUGIN", "Collector"]

PLUGIN: Final = Path(__file__).with_name("mcp-agent-inspector.mjs")
"""What opencode has to load."""


class Collector(OneFile):
    """Records from `start` to `close`.

    Args:
        home: The inspector's directory; None for the configured one.
        notes: The file to which the plugin writes.
        content: Whether to record content.
    """

    def __init__(self, home: Path | None, notes: Path, *, content: bool) -> None:
        super().__init__("opencode", "opencode", notes, Notes(), home=home, content=content)
