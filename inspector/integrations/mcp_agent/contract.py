"""The module that the hook contract was first written for, ``mcp_agent.core.instrument``.

No published mcp-agent has it. With ``INSPECTOR_ENABLE_PATCH=1`` one that lacks it is given ours under that name, so
that subscribers written for it find it; the hooks come from the methods that are patched in any case. A fork that has
it emits hooks there, which are emitted again on our bus, where the recorder and every other subscriber are.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, Final

import instrument
from inspector.integrations.patches import Patches
from inspector.logger import warn_of_error_once

NAME: Final = "mcp_agent.core.instrument"


def has_contract() -> bool:
    """Tell whether the installed mcp-agent emits hooks itself."""
    if sys.modules.get(NAME) is instrument:
        return False
    try:
        return hasattr(import_module(NAME), "_emit")
    except ImportError:
        return False


def provide(patches: Patches) -> None:
    """Let ``from mcp_agent.core import instrument`` find the bus."""
    core: Any = import_module("mcp_agent.core")
    core.instrument = instrument
    sys.modules[NAME] = instrument

    def take_back() -> None:
        if sys.modules.get(NAME) is instrument:
            del sys.modules[NAME]
        if getattr(core, "instrument", None) is instrument:
            del core.instrument

    patches.on_undo(take_back)


def pass_on(patches: Patches) -> None:
    """Emit on our bus what mcp-agent emits on its own, hooks that the contract does not have included."""
    _OwnHooks(patches, import_module(NAME)).pass_on()


class _OwnHooks:
    """The hooks of a fork, each of which we subscribe to before the fork asks whether anybody has."""

    def __init__(self, patches: Patches, theirs: Any) -> None:
        self._patches = patches
        self._theirs = theirs
        self._known: set[object] = set()

    def pass_on(self) -> None:
        """Subscribe to the contract's hooks now, and to others when they are emitted, or looked for in the table."""
        table: Any = getattr(self._theirs, "_hooks", None)
        if type(table) in (dict, defaultdict):
            self._watch(table)
        emitters = [value for name, value in _held(self._theirs) if _EMITS.match(name)]
        for module, name, value in _held_by_the_fork():
            if isinstance(value, FunctionType) and any(value is each for each in emitters):
                self._patches.wrap(module, name, self._emitting)
        for hook in instrument.HOOKS:
            self.know(hook)

    def know(self, name: object) -> None:
        """Subscribe to a hook, the first time that there is talk of it."""
        if name in self._known or not isinstance(name, str):
            return
        self._known.add(name)

        # A plain function: it is called in the emitter's own task, where what is emitted in between is below the call.
        def emit(*positional: Any, **keywords: Any) -> None:
            instrument._emit_sync(name, *positional, **keywords)  # noqa: SLF001 -- for emitters, which this is one of

        # The border to a fork of any kind, which may know no hooks but its own.
        try:
            self._theirs.register(name, emit)
        except Exception:  # noqa: BLE001
            warn_of_error_once(f"the hook {name} of mcp-agent's own cannot be subscribed to")
            return
        self._patches.on_undo(lambda: self._theirs.unregister(name, emit))

    def _watch(self, table: dict[Any, Any]) -> None:
        watched = _Table(table, self.know)

        def take_back() -> None:
            table.clear()
            table.update(watched)
            _replace(watched, table)

        _replace(table, watched)
        self._patches.on_undo(take_back)

    def _emitting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Make a function that emits, whether it is a coroutine function or not, subscribe us before it does."""

        def emit(*args: Any, **keywords: Any) -> Any:
            self.know(args[0] if args else None)
            return original(*args, **keywords)

        return emit


_EMITS: Final = re.compile("_?emit")


class _Table(defaultdict[Any, Any]):
    """Subscribers by hook, as the contract's first reference code has them; an emitter's guard asks it as well."""

    def __init__(self, table: dict[Any, Any], know: Callable[[object], None]) -> None:
        super().__init__(getattr(table, "default_factory", None), table)
        self._know = know

    def get(self, name: Any, default: Any = None) -> Any:
        self._know(name)
        return super().get(name, default)

    def __getitem__(self, name: Any) -> Any:
        self._know(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._know(name)
        return super().__contains__(name)


def _replace(old: object, new: object) -> None:
    for module, name, value in _held_by_the_fork():
        if value is old:
            setattr(module, name, new)


def _held_by_the_fork() -> list[tuple[ModuleType, str, object]]:
    """Return what modules of the fork hold: those that were imported before us took it from the contract's by name."""
    modules = [module for name, module in tuple(sys.modules.items()) if name.partition(".")[0] == "mcp_agent"]
    return [(module, name, value) for module in modules for name, value in _held(module)]


def _held(module: ModuleType) -> tuple[tuple[str, object], ...]:
    return tuple(vars(module).items())
