"""A hook bus without dependencies: emitters announce what an agent does; subscribers observe it and cannot disturb it.

``register`` and ``unregister`` are for subscribers; ``enabled``, ``_emit``, ``_emit_sync`` and ``around`` for emitters.
``instrument.control`` is separate from the bus, for code that may change a call.
The keywords of each hook are typed in ``instrument.keywords``; ``instrument.testing`` captures emitted hooks in tests.
"""

# No module `__getattr__` here to import things lazily: it makes each `instrument.enabled(…)` cost twice as much.
from instrument import _bus, control
from instrument._around import Call, around
from instrument._bus import enabled, register, unregister
from instrument.catalogue import CONTRACT_VERSION, HOOKS, Hook

_Callback = _bus.Callback
_Ending = _bus.Ending
_emit = _bus.emit
_emit_sync = _bus.emit_sync
_hooks = _bus.hooks
_is_emit = _bus.is_emit
_observe = _bus.observe

__all__ = [
    "CONTRACT_VERSION",
    "HOOKS",
    "Call",
    "Hook",
    "_Callback",
    "_Ending",
    "_emit",
    "_emit_sync",
    "_hooks",
    "_is_emit",
    "_observe",
    "around",
    "control",
    "enabled",
    "register",
    "unregister",
]
