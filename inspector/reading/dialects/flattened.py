"""Rebuilds lists and maps from attributes whose keys are paths: ``llm.input_messages.0.message.role``.

Paths come from any sender, so an index never sets the size of a list: it has as many items as were sent, in the order
of their indices, however large those are.
"""

from collections.abc import Mapping
from typing import TypeAlias

from inspector.model import AttributeValue

MAX_STEPS = 12
"""Maximum steps of a path; the rest is one name."""
MAX_DIGITS = 9
"""Maximum digits of an index; more digits make it a name."""

_Tree: TypeAlias = "dict[str, _Tree | AttributeValue]"


def rebuilt(attributes: Mapping[str, AttributeValue], prefix: str) -> AttributeValue:
    """Return the list or map that the attributes under a prefix (its dot included) spell; None when there are none.

    If a path is both a value and the beginning of other paths, the other paths count.
    """
    start = len(prefix)
    tree: _Tree = {}
    for key in [key for key in attributes if key.startswith(prefix)]:
        if len(key) > start:
            _plant(tree, key[start:].split(".", MAX_STEPS - 1), attributes[key])
    return _grown(tree) if tree else None


class _Branch(dict[str, "_Branch | AttributeValue"]):
    """A map that was built here, as opposed to maps that are values."""


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
