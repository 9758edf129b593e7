"""Raises what the client of a model raised: the same class, with the same message."""

from importlib import import_module
from typing import Any


def raised_again(cls: str, message: str) -> Exception:
    """Return an exception like a recorded one.

    Raises:
        Exception: The class is missing, or cannot be created from a message.
    """
    module, _, name = cls.partition(":")
    place: Any = import_module(module)
    for attribute in name.split("."):
        place = getattr(place, attribute)
    try:
        return place(message)
    except TypeError:
        # It is made of more than a message, such as the place that could not be reached.
        return _from_message(place)(message)


class _FromMessage(Exception):
    """Is created from a message; combined with another class, it can be caught as that class."""

    def __init__(self, message: str) -> None:
        Exception.__init__(self, message)
        self.args = (message,)

    def __str__(self) -> str:
        return str(self.args[0])


def _from_message(cls: type[Exception]) -> type[Exception]:
    return type(cls.__name__, (_FromMessage, cls), {"__module__": cls.__module__, "__qualname__": cls.__qualname__})
