"""Stops a process's clock and seeds its random numbers, so that a recording can be repeated.

Only Python's own ``time``, ``datetime``, ``random`` and ``uuid`` are frozen. Monotonic clocks, waiting and timeouts are
left alone, as are ``os.urandom`` and ``secrets``.
"""

import ctypes
import datetime as dt
import gc
import random
import time
import uuid
from collections.abc import Callable, Mapping
from functools import wraps
from threading import Lock
from typing import Any, Final, cast

from inspector.frozen import Frozen

_NS: Final = 10**9


def freeze(frozen: Frozen) -> None:
    """Freeze this process, for good.

    Args:
        frozen: The time and the seed.
    """
    _freeze_time(frozen.time_ns)
    _freeze_dates(frozen.time_ns / _NS)
    if frozen.seed is not None:
        _freeze_random(frozen.seed)


def _freeze_time(now_ns: int) -> None:
    now = now_ns / _NS
    time.time = lambda: now
    time.time_ns = lambda: now_ns
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, _with_moment(getattr(time, name), 0, now))
    localtime = time.localtime
    for name, place in (("asctime", 0), ("strftime", 1)):
        setattr(time, name, _with_moment(getattr(time, name), place, localtime()))
    time.clock_gettime = _real_time_at(time.clock_gettime, now)
    time.clock_gettime_ns = _real_time_at(time.clock_gettime_ns, now_ns)


def _with_moment(function: Callable[..., Any], place: int, moment: object) -> Callable[..., Any]:
    """Return a function with the frozen time as the default of the argument at this position."""

    @wraps(function)
    def called(*args: Any) -> Any:
        return function(*args) if args[place:] not in ((), (None,)) else function(*args[:place], moment)

    return called


def _real_time_at(function: Callable[[int], Any], moment: object) -> Callable[[int], Any]:
    return lambda clock: moment if clock == time.CLOCK_REALTIME else function(clock)


def _freeze_dates(now: float) -> None:
    def today(cls: Any) -> Any:
        return cls.fromtimestamp(now)

    def at(cls: Any, tz: dt.tzinfo | None = None) -> Any:
        return cls.fromtimestamp(now, tz)

    def utc(cls: Any) -> Any:
        return cls.fromtimestamp(now, dt.UTC).replace(tzinfo=None)

    _set(dt.date, {"today": today})
    _set(dt.datetime, {"now": at, "today": today, "utcnow": utc})


def _set(cls: type, methods: Mapping[str, Callable[..., Any]]) -> None:
    """Replace methods of a class that refuses attributes: existing instances need this very class.

    Programs, pydantic and C extensions know ``datetime`` by its identity, so it has to stay the class that it is.
    """
    (held,) = cast("list[dict[str, Any]]", [each for each in gc.get_referents(cls.__dict__) if isinstance(each, dict)])
    held.update({name: classmethod(method) for name, method in methods.items()})
    # The class caches earlier lookups.
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def _freeze_random(seed: int) -> None:
    random.seed(seed)
    seeds, lock = random.Random(seed), Lock()  # noqa: S311 - the same numbers are what is wanted
    reseed = random.Random.seed

    def drawn(bits: int) -> int:
        with lock:
            return seeds.getrandbits(bits)

    @wraps(reseed)
    def seeded(self: random.Random, a: Any = None, version: int = 2) -> None:
        reseed(self, drawn(64) if a is None else a, version)

    random.Random.seed = seeded
    uuid.uuid4 = wraps(uuid.uuid4)(lambda: uuid.UUID(int=drawn(128), version=4))
