"""What the tools of the runtime itself share: where middleware is told that they come from."""

from typing import ClassVar

from toolkit.definition import ToolSource
from toolkit.tool_class import Tool


class RuntimeTool(Tool):
    """A tool that acts on this machine; its name begins with its runtime's, as in ``shell.execute``."""

    source: ClassVar[ToolSource] = "runtime"

    @property
    def server_name(self) -> str:
        """The runtime's name."""
        return self.name.partition(".")[0]
