"""Replacing a framework's functions, and putting them back."""

import logging
from collections.abc import Callable, Mapping
from functools import update_wrapper
from inspect import getattr_static
from typing import Any

_log = logging.getLogger("mcp.inspector")
_METHOD_KINDS: dict[Any, Any] = {staticmethod: staticmethod, classmethod: classmethod}


class Patches:
    """What one integration changed in its framework.

    Args:
        integration: Whose changes these are; names them in messages.
    """

    def __init__(self, integration: str) -> None:
        self._integration = integration
        self._undo: list[Callable[[], None]] = []
        self._missing: list[str] = []

    def wrap(self, owner: Any, name: str, wrapper: Callable[[Callable[..., Any]], Callable[..., Any]]) -> bool:
        """Replace a function of a module or class by what ``wrapper`` makes of it.

        A static method, class method or plain function stays of its kind, and keeps its name, signature and docstring.
        A name that is not there, as in a version that is not supported, is left out and told of once.

        Returns:
            Whether it was there.
        """
        try:
            kept: Any = getattr_static(owner, name)
        except AttributeError:
            self._missing.append(f"{getattr(owner, '__name__', owner)}.{name}")
            return False
        own = name in _held(owner)
        kind: Any = _METHOD_KINDS.get(type(kept))
        original = kept.__func__ if kind else kept
        replacement = update_wrapper(wrapper(original), original)
        wrapped = kind(replacement) if kind else replacement
        setattr(owner, name, wrapped)

        def restore() -> None:
            # Another program's patch on top of ours calls ours, so what is there now stays.
            if _held(owner).get(name) is not wrapped:
                return
            if own:
                setattr(owner, name, kept)
            else:
                delattr(owner, name)

        self._undo.append(restore)
        return True

    def on_undo(self, action: Callable[[], None]) -> None:
        """Have an extension point that was taken given back."""
        self._undo.append(action)

    def undo(self) -> None:
        """Put back everything, the last change first."""
        while self._undo:
            action = self._undo.pop()
            try:
                action()
            # A framework whose extension point cannot be given back must not keep the others from theirs.
            except Exception:  # noqa: BLE001
                _log.warning("the integration %s could not be undone", self._integration, exc_info=True)

    @property
    def missing(self) -> tuple[str, ...]:
        """Functions that the installed version does not have."""
        return tuple(self._missing)


def _held(owner: Any) -> Mapping[str, Any]:
    held: Any = owner.__dict__
    return held
