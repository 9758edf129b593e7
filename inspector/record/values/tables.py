"""Arrays, tensors and tables of known libraries, recorded by type and shape rather than content."""

# The values are of any type, and read through unbound methods of their classes, which pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import datetime as dt
import sys
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from inspector.plain import Plain
from inspector.record.values.family import Walk
from inspector.record.values.layouts import Layout

SMALL_ARRAY: Final = 64
"""The content of arrays with up to this many entries is recorded."""
_SMALL_BYTES = 16_384
_MAX_COLUMNS = 100
_NAMES_OF_COLUMNS: Final = {"pandas": "columns", "polars": "columns", "pyarrow": "column_names"}
_MOST_NAMED = 10_000


def _numpy(value: Any, layout: Layout, walk: Walk, depth: int) -> Plain:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if issubclass(type(value), numpy.generic):
        if numpy.generic.nbytes.__get__(value) > _SMALL_BYTES:
            return {"$type": layout.type_name}
        item = numpy.generic.item(value)
        if type(item) in (str, int, float, bool, bytes, complex, dt.datetime, dt.date, dt.timedelta):
            return walk.copy(item, depth)
        return {"$type": layout.type_name}
    if not issubclass(type(value), numpy.ndarray):
        return None
    shape: tuple[int, ...] = numpy.ndarray.shape.__get__(value)
    dtype = numpy.ndarray.dtype.__get__(value)
    out: dict[str, Plain] = {"$type": layout.type_name, "shape": list(shape), "dtype": numpy.dtype.__str__(dtype)[:100]}
    is_small = numpy.ndarray.size.__get__(value) <= SMALL_ARRAY and numpy.ndarray.nbytes.__get__(value) <= _SMALL_BYTES
    if is_small and dtype.kind in "biufcSU":
        out["values"] = walk.copy(numpy.ndarray.tolist(value), depth + 1)
    return out


def _table(value: Any, layout: Layout, walk: Walk, depth: int) -> Plain:
    """Copy a table or tensor of a known library: only its own class, no subclass or class of the same name."""
    module = sys.modules.get(layout.type_name.partition(".")[0])
    if module is None or vars(module).get(layout.bases[0].__name__) is not layout.bases[0]:
        return None
    out: dict[str, Plain] = {"$type": layout.type_name}
    for name in ("shape", "dtype", "device"):
        attribute: Any = getattr(value, name, None)
        if name == "shape" and attribute is not None:
            out[name] = walk.copy(list(islice(attribute, _MAX_COLUMNS)), depth + 1)
        elif attribute is not None:
            out[name] = str(attribute)[:100]
    if (columns := _columns(value, layout)) is not None:
        out["columns"] = walk.copy(columns, depth + 1)
    return out


def _columns(value: Any, layout: Layout) -> list[object] | None:
    """Return the names of a table's first columns, if that is cheap; some libraries compute all names to return one."""
    name = _NAMES_OF_COLUMNS.get(layout.type_name.partition(".")[0])
    if name is None or layout.type_name.endswith(".LazyFrame"):
        return None
    shape: Any = getattr(value, "shape", None)
    if type(shape) is not tuple or len(shape) != 2 or shape[1] > _MOST_NAMED:
        return None
    attribute: Any = getattr(value, name, None)
    return None if attribute is None else list(islice(attribute, _MAX_COLUMNS))


LIBRARIES: Final[dict[str, Callable[[Any, Layout, Walk, int], Plain]]] = {
    "numpy": _numpy,
    **dict.fromkeys(("pandas", "polars", "torch", "jax", "jaxlib", "tensorflow", "pyarrow", "cupy"), _table),
}
"""The functions that copy values of a library, by its name."""
