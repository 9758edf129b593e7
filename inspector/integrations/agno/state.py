"""What a tool changes in the session state of its run: recorded with its result, and replayed with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from instrument.signals import is_of_signal


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a tool that changed the session state."""

    result: Any
    """Its result."""
    changed: dict[str, Any]
    """The entries that it set or changed."""
    removed: list[str]
    """The entries that it removed."""


class Watched:
    """The session state that a tool is given, in a ``RunContext`` among its arguments."""

    __slots__ = ("_before", "_context", "_own")

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._context = next((each for each in arguments.values() if type(each).__name__ == "RunContext"), None)
        self._before = None if self._context is None else _written(_state(self._context))
        self._own: Outcome | None = None

    def outcome(self, result: Any) -> Any:
        """Return a result of the tool's own, in an `Outcome` if it changed the state."""
        if self._context is None or self._before is None:
            return result
        before, state = self._before, _state(self._context)
        after = _written(state)
        if after is None or after == before:
            return result
        changed = {name: state[name] for name, text in after.items() if before.get(name) != text}
        self._own = Outcome(result, changed, [name for name in before if name not in after])
        return self._own

    def left(self, result: Any) -> Any:
        """Return the result without what was added to it; if it is a recorded one, change the state likewise."""
        if not isinstance(result, Outcome):
            return result
        if result is not self._own and self._context is not None:
            state = self._context.session_state = _state(self._context)
            state.update(result.changed)
            for name in result.removed:
                state.pop(name, None)
        return result.result


def _state(context: Any) -> dict[str, Any]:
    return {} if context.session_state is None else context.session_state


def _written(state: dict[str, Any]) -> dict[str, bytes] | None:
    """Return the entries of a state as JSON; None if they are not plain data."""
    try:
        return {name: msgspec.json.encode(value) for name, value in state.items()}
    # Its values are the program's, of any class.
    except Exception as error:
        if is_of_signal(error):
            raise
        return None
