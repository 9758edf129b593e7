"""What the tools of the runtime itself share: where middleware is told that they come from."""

from collections.abc import Callable
from typing import Any, ClassVar

from toolkit.definition import ToolSource
from toolkit.tool_class import Tool


class RuntimeTool(Tool):
    """A tool that acts on this machine; its name begins with its runtime's, as in ``shell.execute``."""

    source: ClassVar[ToolSource] = "runtime"

    @property
    def server_name(self) -> str:
        """The runtime's name."""
        return self.name.partition(".")[0]

    @property
    def called_function(self) -> Callable[..., Any] | None:
        """None: what it does is the toolkit's own, and nothing to call without it."""
        return None
