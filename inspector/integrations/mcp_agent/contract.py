"""The module that the hook contract was first written for, ``mcp_agent.core.instrument``.

No published mcp-agent has it. With ``INSPECTOR_ENABLE_PATCH=1`` one that lacks it is given ours under that name, so
that subscribers written for it find it; the hooks come from the methods that are patched in any case. A fork that has
it emits hooks there, which are emitted again on our bus, where the recorder and every other subscriber are.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import instrument
from inspector.integrations.patches import Patches

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
    theirs: Any = import_module(NAME)
    for hook in instrument.HOOKS:
        _pass_on(patches, theirs, hook)
    patches.wrap(theirs, "_emit", _emitting)


def _pass_on(patches: Patches, theirs: Any, name: str) -> None:
    # A plain function: it is called in the emitter's own task, where what is emitted in between is below the call.
    def emit(*positional: Any, **keywords: Any) -> None:
        instrument._emit_sync(name, *positional, **keywords)  # noqa: SLF001 -- for emitters, which this is one of

    theirs.register(name, emit)
    patches.on_undo(lambda: theirs.unregister(name, emit))


def _emitting(original: Callable[..., Any]) -> Callable[..., Any]:
    async def _emit(name: str, *positional: Any, **keywords: Any) -> Any:
        if name not in instrument.HOOKS:
            await instrument._emit(name, *positional, **keywords)  # noqa: SLF001 -- as above
        return await original(name, *positional, **keywords)

    return _emit
