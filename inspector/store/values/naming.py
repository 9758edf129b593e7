"""Resolves the names in a filter: if no call is counted under a name, the filter uses other attributes that have it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

from inspector.model import Filter
from inspector.toolnames import own_names

Named: TypeAlias = Literal["model", "tool", "error_type", "error_class"]
"""What a call may be counted under; an error class is its name without the module."""


def named(where: Filter, is_there: Callable[[Named, str], bool]) -> Filter:
    """Return a filter whose names are replaced if no call is counted under them.

    A model is then one that answered; a tool is the name under which models know it; an error type is a class of that
    name in any module, or else the error type of a duplicate. So a filter on calls finds exactly the calls that a row
    of statistics counts, but also understands other names for them. A list with duplicates has them with their calls.
    """
    if where.model is not None and not is_there("model", where.model):
        where = replace(where, model=None, answered_model=where.model)
    if where.tool is not None and own_names(where.tool) and not is_there("tool", where.tool):
        where = replace(where, tool=None, known_tool=where.tool)
    where = taken_literally(where)
    name = where.error_type
    if name is None or is_there("error_type", name):
        return where
    if is_there("error_class", name):
        return replace(where, error_type=None, error_class=name)
    return replace(where, error_type=None, known_error_type=name)


def taken_literally(where: Filter) -> Filter:
    """Return the filter that is meant if calls are counted under all of its names, as any result of it proves."""
    if where.duplicates and where.error_type is not None:
        return replace(where, error_type=None, known_error_type=where.error_type)
    return where
