"""Calls back when a module has been imported."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from threading import local
from types import ModuleType
from typing import Any

from inspector.integrations.alias import is_alias

Imported = Callable[[], None]

_INITIALIZING = "_initializing"
"""The attribute that importlib sets on a module's spec during its import."""
_CALLBACKS = "inspector_callbacks"


class ImportWatch:
    """A finder on ``sys.meta_path`` that finds nothing itself: it makes the loaders of awaited modules call back."""

    def __init__(self) -> None:
        self._awaited: dict[str, list[Imported]] = {}
        self._asking = local()

    def expect(self, module: str, callback: Imported) -> None:
        """Call back once, right after ``module`` has been imported, or now if it already is."""
        imported = _imported(module)
        if imported is not None and not _is_being_imported(imported):
            callback()
            return
        self._awaited.setdefault(module, []).append(callback)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        if imported is not None:
            self._call_back_at_end(module, imported.__spec__)

    def stop(self) -> None:
        """Forget all awaited modules."""
        self._awaited.clear()
        # A new list: importlib may iterate over the old one in another thread, and would skip the next finder.
        sys.meta_path = [each for each in sys.meta_path if each is not self]

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - the protocol's
        target: ModuleType | None = None,  # noqa: ARG002 - the protocol's
    ) -> ModuleSpec | None:
        """Return the spec that other finders find for an awaited module, with a loader that calls back; else None."""
        if name not in self._awaited or getattr(self._asking, "name", None) == name:
            return None
        self._asking.name = name
        try:
            spec = find_spec(name)
        finally:
            self._asking.name = None
        if spec is not None and hasattr(spec.loader, "exec_module") and not isinstance(spec.loader, type):
            self._call_back_after(name, spec.loader)
        return spec

    def _call_back_after(self, name: str, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            if module.__name__ != name:
                # The loader of a zip file is that of all its modules.
                execute(module)
                return
            with suppress(AttributeError):
                del loader.exec_module
            execute(module)
            # Not before: a program may only check for the module, or retry a failed import.
            self._call_back(name)

        # If a loader refuses attributes, its module is not recorded, but still imported.
        with suppress(AttributeError, TypeError):
            loader.exec_module = exec_module

    def _call_back_at_end(self, name: str, spec: Any) -> None:
        """Call back for a module whose import began before it was awaited: finders are no longer asked for it."""
        if spec.__class__ not in (ModuleSpec, _Beginning):
            return
        noted: dict[str, Any] = spec.__dict__
        noted.setdefault(_CALLBACKS, []).append(lambda: self._call_back(name))
        spec.__class__ = _Beginning
        # It may have ended meanwhile in its thread.
        if not noted[_INITIALIZING]:
            _end(spec)

    def _call_back(self, name: str) -> None:
        for callback in self._awaited.pop(name, ()):
            callback()


class _Beginning(ModuleSpec):
    """The spec of a module that is being imported; it calls back when importlib marks the import as finished."""

    def __setattr__(self, name: str, value: Any) -> None:
        # Before it is noted: threads that wait for the module go on then.
        if name == _INITIALIZING and not value:
            while type(self) is _Beginning:
                _end(self)
        object.__setattr__(self, name, value)


def _end(spec: ModuleSpec) -> None:
    spec.__class__ = ModuleSpec
    callbacks = vars(spec).pop(_CALLBACKS, ())
    # After an import that failed, finders are asked again.
    if getattr(sys.modules.get(spec.name), "__spec__", None) is spec:
        for callback in callbacks:
            callback()


def _imported(name: str) -> ModuleType | None:
    module = sys.modules.get(name)
    return None if is_alias(module) else module


def _is_being_imported(module: ModuleType) -> bool:
    spec = getattr(module, "__spec__", None)
    return bool(getattr(spec, _INITIALIZING, False))
