"""Reads single attributes of an emitter's objects."""

# The values are of any type, and read through unbound methods of builtins, whose type arguments pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any

from inspector.record.values.layouts import dict_get, instance_dict, layout_of, namespace
from instrument.signals import is_of_signal

_SCALARS = (str, int, float, bool)


def read(obj: Any, *names: str) -> Any:
    """Return the first attribute or mapping key that exists and is not None, without running the object's code."""
    if obj is None:
        return None
    try:
        for name in names:
            value = _read(obj, name)
            if value is not None:
                return value
    except Exception as error:  # the boundary to the agent: an unreadable attribute is one that is not there
        if is_of_signal(error):
            raise
        return None
    return None


def _read(obj: Any, name: str) -> Any:
    layout = layout_of(type(obj))
    if layout.is_mock:
        return None
    if issubclass(type(obj), dict):
        return dict_get(obj, name)
    attributes = instance_dict(obj, layout)
    if attributes is not None and (found := dict_get(attributes, name)) is not None:
        return found
    for slot_name, slot in layout.slots:
        if slot_name == name:
            try:
                return slot.__get__(obj)
            except AttributeError:
                break
    for base in layout.bases:
        if name in namespace(base):
            constant = namespace(base)[name]
            return constant if type(constant) in _SCALARS else None
    return None


def read_live(obj: Any, name: str) -> str | int | float | bool | None:
    """Look up an attribute as the program would, including properties; returns only texts and numbers, never raises."""
    try:
        layout = layout_of(type(obj))
        if layout.is_mock:
            return None
        found = dict_get(obj, name) if type(obj) is dict else getattr(obj, name, None)
        return _scalar(found)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the boundary to the agent: a property may raise anything, even SystemExit
        if is_of_signal(error):
            raise
        return None


def _scalar(value: Any) -> str | int | float | bool | None:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        return int.__add__(value, 0)
    if issubclass(kind, float):
        return float.__add__(value, 0.0)
    return None
