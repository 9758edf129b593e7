"""Lists and maps rebuilt from attributes that spell a path: ``llm.input_messages.0.message.role``.

Paths come from whoever sent the span, so nothing is built to the size that one asks for: a list has as many items as
were sent, in the order of their indices, however large those are.
"""

from collections.abc import Mapping
from typing import TypeAlias

from inspector.model import AttributeValue

MAX_STEPS = 12
"""Steps of a path; what follows is one name."""
MAX_DIGITS = 9
"""Digits of an index; what has more is a name."""

_Tree: TypeAlias = "dict[str, _Tree | AttributeValue]"


def rebuilt(attributes: Mapping[str, AttributeValue], prefix: str) -> AttributeValue:
    """Return the list or map that the attributes under a prefix (its dot included) spell; None when there are none.

    A path that is both a value and the beginning of others stands for the others.
    """
    start = len(prefix)
    tree: _Tree = {}
    for key in [key for key in attributes if key.startswith(prefix)]:
        if len(key) > start:
            _plant(tree, key[start:].split(".", MAX_STEPS - 1), attributes[key])
    return _grown(tree) if tree else None


class _Branch(dict[str, "_Branch | AttributeValue"]):
    """A map that was made here, apart from maps that are values."""


def _plant(tree: "dict[str, _Tree | AttributeValue]", path: list[str], value: AttributeValue) -> None:
    *way, last = path
    branch = tree
    for step in way:
        below = branch.get(step)
        if not isinstance(below, _Branch):
            below = _Branch()
            branch[step] = below
        branch = below
    if not isinstance(branch.get(last), _Branch):
        branch[last] = value


def _grown(tree: "Mapping[str, _Tree | AttributeValue]") -> AttributeValue:
    grown = {step: _grown(below) if isinstance(below, _Branch) else below for step, below in tree.items()}
    for step in grown:
        if not _is_index(step):
            return grown
    return [grown[step] for step in sorted(grown, key=int)]


def _is_index(step: str) -> bool:
    return step.isdigit() and len(step) <= MAX_DIGITS and step.isascii()
