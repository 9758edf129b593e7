"""The name that the hook contract's first version has for the bus, where no ``mcp_agent`` is installed.

``from mcp_agent.core import instrument`` then finds the bus, as code written for that version expects. The package is
made in memory alone; an installed ``mcp_agent`` is never touched, see `inspector.integrations.mcp_agent.contract`.
"""

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

import instrument

_ROOT: Final = "mcp_agent"
_NAMES: Final = (_ROOT, f"{_ROOT}.core")
_made: dict[str, ModuleType] = {}


def provide_alias() -> None:
    """Make the name; where anything of that name is there already, nothing happens."""
    if _made or _ROOT in sys.modules or find_spec(_ROOT) is not None:
        return
    for name in _NAMES:
        _made[name] = _package(name)
    root, core = (_made[name] for name in _NAMES)
    _set(root, "core", core)
    _set(core, "instrument", instrument)
    sys.modules.update({**_made, f"{_ROOT}.core.instrument": instrument})


def take_alias_back() -> None:
    """Forget the name; modules that imported it keep the bus."""
    for name, module in (*_made.items(), (f"{_ROOT}.core.instrument", instrument)):
        if sys.modules.get(name) is module:
            del sys.modules[name]
    _made.clear()


def _package(name: str) -> ModuleType:
    spec = ModuleSpec(name, loader=None, is_package=True)
    spec.submodule_search_locations = []
    package = ModuleType(name, "The hook contract's first name for the bus `instrument`; nothing else is here.")
    _set(package, "__spec__", spec)
    _set(package, "__path__", [])
    return package


def _set(module: Any, name: str, value: object) -> None:
    setattr(module, name, value)
