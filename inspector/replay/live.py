"""Calls that a replay makes after all, if the program may leave its recording; it asks before it runs a tool."""

import json
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from threading import RLock
from typing import Final

from instrument.control import Denied, Proceed, Proposal

EVERY: Final = "*"
"""Allows all tools."""
_TERMINAL: Final = Path("/dev/tty")
_SHOWN: Final = 2_000
"""The length of arguments as shown to a person."""


class LiveCalls:
    """Decides about the calls of a program that has diverged from its recording; ``allowed`` tools simply run."""

    def __init__(self, allowed: Collection[str]) -> None:
        self._allowed = set(allowed)
        self._lock = RLock()
        self.made: Counter[str] = Counter()
        """The calls made, and how often."""
        self.refused: Counter[str] = Counter()

    def decide(self, proposal: Proposal) -> Proceed:
        """Let a call go on; a tool that may change something only if a person allows it.

        Raises:
            Denied: Nobody does.
        """
        # One question at a time, and one answer for whoever waits to ask the same.
        with self._lock:
            if proposal.noun == "tool_call" and not (proposal.read_only or self._is_allowed(proposal.name)):
                self._ask(proposal)
            self.made[proposal.name or "a model"] += 1
        return Proceed()

    def _is_allowed(self, tool: str) -> bool:
        return not self._allowed.isdisjoint((tool, EVERY))

    def _ask(self, proposal: Proposal) -> None:
        name = proposal.name
        answer = _answer_at_the_terminal(
            f"replay: run the tool {_shown(name)} with {_shown(proposal.args)}? [y/N/always] "
        )
        if answer == "always":
            self._allowed.add(name)
        elif answer not in ("y", "yes"):
            self.refused[name] += 1
            if answer is None:
                raise Denied(f"the replay has no terminal to ask whether {name} may run; to allow it: --allow {name}")
            raise Denied(f"{name} was refused at the terminal", by="terminal")


def _shown(value: object) -> str:
    """Return a value as ASCII JSON, so that what a model writes cannot control the terminal."""
    text = json.dumps(value, default=repr)
    more = len(text) - _SHOWN
    return text if more <= 0 else f"{text[:_SHOWN]}... ({more} more characters)"


def _answer_at_the_terminal(question: str) -> str | None:
    """Ask the person at the terminal, wherever the program's own streams go; None if there is nobody."""
    try:
        with _TERMINAL.open("rb", buffering=0) as reading, _TERMINAL.open("wb", buffering=0) as writing:
            writing.write(question.encode())
            return reading.readline().decode(errors="replace").strip().lower()
    except OSError:
        return None
