"""Objects of ours that a program gets in place of others."""

from typing import Any


class StandIn:
    """Has the attributes of the object that it stands for, except those that a subclass replaces."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        # A copy is asked for attributes before it has any.
        if name == "_inner":
            raise AttributeError(name)
        return getattr(self._inner, name)
