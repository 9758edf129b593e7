"""Names that emitters give."""

from inspector.plain import well_formed


def label(value: object) -> str | None:
    """Return a name that an emitter gave, when it is text: a ``str``, a class of it, or a proxy of one."""
    if type(value) is str:
        return well_formed(value)
    if not isinstance(value, str):
        return None
    try:
        return well_formed(str.__str__(value))
    except TypeError:
        return _proxied(value)


def _proxied(value: object) -> str | None:
    # A proxy only says that it is a text.
    try:
        text = str(value)
        return well_formed(text) if type(text) is str else None
    except Exception:  # noqa: BLE001 - the border to the agent: a proxy may do anything
        return None
