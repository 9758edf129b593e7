"""The first contract's name for the bus, for programs without an ``mcp_agent``.

``from mcp_agent.core import instrument`` then finds the bus, as code written for that version expects. The package
exists only in memory, and only if it is imported and cannot be found elsewhere: an installed ``mcp_agent``, or one that
becomes importable later, is never hidden, see `inspector.integrations.mcp_agent.contract`.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

import instrument

_ROOT: Final = "mcp_agent"
_CORE: Final = f"{_ROOT}.core"
_BUS: Final = f"{_CORE}.instrument"


def provide_alias() -> None:
    """Make the name importable, unless another finder finds it."""
    if _finder not in sys.meta_path:
        sys.meta_path.append(_finder)


def take_alias_back() -> None:
    """Undo `provide_alias`; modules that imported it keep the bus."""
    # A new list: other threads may be iterating over the old one.
    sys.meta_path = [each for each in sys.meta_path if each is not _finder]
    if sys.modules.get(_BUS) is instrument and is_alias(sys.modules.get(_CORE)):
        del sys.modules[_BUS]
    for name in (_CORE, _ROOT):
        if is_alias(sys.modules.get(name)):
            del sys.modules[name]


def is_alias(module: ModuleType | None) -> bool:
    """Tell whether a module is our stand-in for ``mcp_agent``."""
    return getattr(getattr(module, "__spec__", None), "loader", None) is _Loader


class _Loader:
    """Makes the two packages.

    It is used as a class: `inspector.integrations.imports` takes no notice of modules whose loader is one.
    """

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        return ModuleType(spec.name, "The hook contract's first name for the bus `instrument`; nothing else is here.")

    @staticmethod
    def exec_module(module: Any) -> None:
        if module.__name__ == _CORE:
            # No module of its own, whose spec importlib would write into the bus.
            module.instrument = sys.modules[_BUS] = instrument


class _Finder:
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a package's spec, unless one of the finders behind this one knows it."""
        if name not in (_ROOT, _CORE) or (name == _CORE and not is_alias(sys.modules.get(_ROOT))):
            return None
        behind = sys.meta_path[sys.meta_path.index(self) + 1 :] if self in sys.meta_path else []
        finds: list[Any] = [getattr(each, "find_spec", None) for each in behind]
        if any(find is not None and find(name, path, target) is not None for find in finds):
            return None
        return ModuleSpec(name, _Loader, is_package=True)  # pyright: ignore[reportArgumentType] - as the import system's own loaders are, a class


_finder = _Finder()
