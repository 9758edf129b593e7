"""Names that emitters give."""

from typing import Final

from inspector.plain import well_formed

_KEPT: Final = slice(8192)


def label(value: object) -> str | None:
    """Return a name that an emitter gave, when it is text: a ``str``, a class of it, or a proxy of one.

    What is longer than any name, such as an address that holds all of its data, keeps its beginning.
    """
    if type(value) is str:
        return well_formed(value[_KEPT])
    if not isinstance(value, str):
        return None
    try:
        return well_formed(str.__getitem__(value, _KEPT))
    except TypeError:
        return _proxied(value)


def _proxied(value: object) -> str | None:
    # A proxy only says that it is a text.
    try:
        text = str(value)
        return well_formed(text[_KEPT]) if type(text) is str else None
    except Exception:  # noqa: BLE001 - the border to the agent: a proxy may do anything
        return None
