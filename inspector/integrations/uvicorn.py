"""uvicorn, with whatever application: the application is put into one of ours once it is loaded.

Not in ``Config.load``: that one is under way when an application is imported that records itself.
"""

from typing import Any

from uvicorn.server import Server

from inspector.integrations.asgi import AsgiApp
from inspector.integrations.patches import Patches, wrapping


def install(patches: Patches) -> None:
    """Wrap the moment before a server listens."""
    patches.wrap(Server, "startup", _startup)


@wrapping
async def _startup(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    app = getattr(self.config, "loaded_app", None)
    if app is not None and not isinstance(app, AsgiApp):
        self.config.loaded_app = AsgiApp(app)
    return await original(self, *args, **kwargs)
