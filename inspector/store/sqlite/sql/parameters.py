"""Lists of values as bound parameters of a statement, of which SQLite allows a limited number."""

from collections.abc import Sequence
from typing import cast

import msgspec
from sqlalchemy import ColumnElement, bindparam, text


def json_list(values: Sequence[int] | Sequence[str]) -> str:
    """Return values as one parameter for ``json_each``."""
    return msgspec.json.encode(values).decode()


def is_among(column: str, values: Sequence[int]) -> ColumnElement[bool]:
    """Return the condition for rows whose column has one of these values.

    A plus before the column keeps the planner from looking up the rows one by one.
    """
    listed = text(f"{column} IN (SELECT value FROM json_each(:among))")
    return cast("ColumnElement[bool]", listed.bindparams(bindparam("among", json_list(values), unique=True)))
