"""What is imported when it is first used: names of a package, and packages that only some parts need."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def lazily(package: str, homes: Mapping[str, tuple[str, ...]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__getattr__`` and ``__dir__``; ``homes`` has its names, by the modules that they are in."""
    places = {name: module for module, names in homes.items() for name in names}

    def look_up(name: str) -> Any:
        if name == "__all__":
            return sorted(places)
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(places[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return look_up, lambda: sorted(places)


def need(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module``, which comes with the extra ``extra``.

    Raises:
        ExtraMissing: It is not installed. An import that fails deeper inside passes as it is.
    """
    from toolkit.errors import ExtraMissing  # importing the toolkit alone does without

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        package = error.name
    raise ExtraMissing(f"{purpose} needs {package}: pip install 'mcp-agent-inspector[{extra}]'", name=package)


def need_mcp(purpose: str) -> None:
    """See that the SDK of the Model Context Protocol is there, and is not too old."""
    need("mcp", extra="mcp", purpose=purpose)
    need("mcp.shared.dispatcher", extra="mcp", purpose=f"{purpose} (mcp 2 or newer)")
