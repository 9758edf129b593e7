"""Finds the functions of the SDK to wrap."""

from importlib import import_module
from typing import Any

from inspector.integrations.patches import Patches, Wrapper


def wrap(patches: Patches, module: str, path: str, wrapper: Wrapper) -> None:
    """Wrap ``path``, such as ``ClientSession.call_tool``, in a module; if it does not exist, it counts as missing."""
    try:
        owner: Any = import_module(module)
    except ImportError:
        root, _, rest = module.partition(".")
        patches.wrap(import_module(root), rest, wrapper)
        return
    *classes, name = path.split(".")
    for each in classes:
        if not hasattr(owner, each):
            name = each
            break
        owner = getattr(owner, each)
    patches.wrap(owner, name, wrapper)
