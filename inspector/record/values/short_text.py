"""Texts of a name's length, as emitters give them."""

from typing import Final

from inspector.plain import beginning
from instrument.signals import is_of_signal

_MOST: Final = 8192


def short_text(value: object) -> str | None:
    """Return a name from an emitter, if it is text: a ``str``, an instance of a subclass, or a proxy of one.

    It is shortened if it is longer than any name, such as a ``data:`` URL.
    """
    if type(value) is str:
        return value if len(value) <= _MOST and value.isascii() else beginning(value, _MOST)
    if not isinstance(value, str):
        return None
    try:
        return beginning(value, _MOST)
    except TypeError:
        return _proxied(value)


def _proxied(value: object) -> str | None:
    # A proxy may only claim to be a text.
    try:
        text = str(value)
        return beginning(text, _MOST) if type(text) is str else None
    except Exception as error:  # the boundary to the agent: a proxy may do anything
        if is_of_signal(error):
            raise
        return None
