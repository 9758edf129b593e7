"""Makes ``multiprocessing`` children write their recording before they send results.

A child ends without Python's exit functions, and a child of a ``Pool`` gets SIGTERM as soon as its parent has the
results (``with Pool() as pool``). So the child writes before it sends anything to another process: when it pickles, the
one place that queues, pipes and pools have in common, including those of ``concurrent.futures``.
"""

import sys
from collections.abc import Callable
from typing import Any

_DUMPS = "dumps"


def write_before_results(
    flush: Callable[[], object], *, at_end: Callable[[], object], if_news: Callable[[], bool]
) -> None:
    """In a ``multiprocessing`` child, write before anything is sent and before the child ends; elsewhere do nothing."""
    process = sys.modules.get("multiprocessing.process")
    util = sys.modules.get("multiprocessing.util")
    reduction = sys.modules.get("multiprocessing.reduction")
    if process is None or util is None or process.parent_process() is None:
        return
    # At its end, the child runs these, but not those registered before it began.
    util.Finalize(None, at_end, exitpriority=0)
    if reduction is not None:
        _write_before_pickling(reduction.ForkingPickler, flush, if_news)


def _write_before_pickling(pickler: Any, flush: Callable[[], object], if_news: Callable[[], bool]) -> None:
    dumps = pickler.__dict__[_DUMPS].__func__
    # In a child of a child, this is the wrapper of its parent, which would write to the spool of the parent.
    dumps = getattr(dumps, "__wrapped__", dumps)

    def write_and_dumps(cls: Any, obj: object, protocol: int | None = None) -> Any:
        if if_news():
            flush()
        return dumps(cls, obj, protocol)

    write_and_dumps.__wrapped__ = dumps  # pyright: ignore[reportFunctionMemberAccess] - as functools names it
    setattr(pickler, _DUMPS, classmethod(write_and_dumps))
