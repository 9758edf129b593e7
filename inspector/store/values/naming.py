"""What a name in a filter means: it is looked for where it is known, if no call is counted under it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

from inspector.model import Filter
from inspector.toolnames import own_names

Named: TypeAlias = Literal["model", "tool", "error_type", "error_class"]
"""What a call may be counted under; an error class is known by its own name in any module."""


def named(where: Filter, is_there: Callable[[Named, str], bool]) -> Filter:
    """Returns a filter that looks for its names where they are known, if no call is counted under them.

    That is a model among those that answered, and an error type among the classes of that name in any module, and then
    among the duplicates of calls; and a tool among those that models know by it. So a filter for calls finds just what
    a row of figures counts, and also what is only known from elsewhere. A list with duplicates has each of them
    with its call.

    Args:
        where: The filter.
        is_there: Whether a span has such a name; of errors, whether a call has.
    """
    if where.model is not None and not is_there("model", where.model):
        where = replace(where, model=None, answered_model=where.model)
    if where.tool is not None and own_names(where.tool) and not is_there("tool", where.tool):
        where = replace(where, tool=None, known_tool=where.tool)
    name = where.error_type
    if name is None:
        return where
    if not where.duplicates:
        if is_there("error_type", name):
            return where
        if is_there("error_class", name):
            return replace(where, error_type=None, error_class=name)
    return replace(where, error_type=None, known_error_type=name)
