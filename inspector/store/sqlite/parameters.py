"""Lists of values as bound parameters of a statement, of which SQLite allows a limited number."""

from collections.abc import Sequence

import msgspec


def json_list(values: Sequence[int] | Sequence[str]) -> str:
    """Return values as one parameter for ``json_each``."""
    return msgspec.json.encode(values).decode()
