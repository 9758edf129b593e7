"""Starts the OpenTelemetry instrumentors that are installed, in silence, and stops them."""

import logging
import os
import threading
import warnings
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from opentelemetry.sdk.trace import TracerProvider

from inspector.logger import logger

_GROUP = "opentelemetry_instrumentor"
_DISABLED = "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS"

_started: dict[str, Any] = {}
_silent = logging.NullHandler()
_silenced: list[logging.Logger] = []


def start_instrumentors(provider: TracerProvider, integrated: Collection[str] = ()) -> None:
    """Start those that are installed and neither disabled nor already started; one that fails is left out.

    Args:
        provider: What makes their spans: not the program's, whose exporters would send what it never asked for.
        integrated: Names of what integrations of ours record; an instrumentor would record every call once more.
    """
    for entry in _wanted():
        if entry.name.replace("-", "_").removesuffix("_v2") in integrated:
            logger.debug("the instrumentor %s is not started: an integration records the same", entry.name)
        elif entry.name not in _started:
            _start(entry, provider)
    logger.debug("started OpenTelemetry instrumentors: %s", ", ".join(_started) or "none")


def _wanted() -> Iterator[EntryPoint]:
    # A star stands for all of them in OpenTelemetry's own variable.
    disabled = {each.strip() for each in os.environ.get(_DISABLED, "").split(",")}
    return (each for each in entry_points(group=_GROUP) if each.name not in disabled and "*" not in disabled)


def _start(entry: EntryPoint, provider: TracerProvider) -> None:
    try:
        with _silence(entry.name):
            instrumentor = entry.load()()
            instrumentor.instrument(tracer_provider=provider)
    # The border to other people's packages, which may not fit what is installed.
    except Exception:  # noqa: BLE001
        is_debugging = logger.isEnabledFor(logging.DEBUG)
        logger.warning("the instrumentor %s could not be started", entry.name, exc_info=is_debugging)
        return
    _started[entry.name] = instrumentor
    _yield_to_the_program(entry.name, instrumentor)
    # What it warns of later would be printed where the program has set no logging up.
    package = logging.getLogger(entry.module)
    package.addHandler(_silent)
    _silenced.append(package)


def stop_instrumentors() -> None:
    """Stop those that were started and that the program has not taken over."""
    while _started:
        name, instrumentor = _started.popitem()
        _stop(name, instrumentor)
    while _silenced:
        _silenced.pop().removeHandler(_silent)


def _stop(name: str, instrumentor: Any) -> None:
    cast("dict[str, Any]", vars(instrumentor)).pop("instrument", None)
    try:
        with _silence(name):
            instrumentor.uninstrument()
    # As above.
    except Exception:  # noqa: BLE001
        logger.warning("the instrumentor %s could not be stopped", name, exc_info=True)


def _yield_to_the_program(name: str, instrumentor: Any) -> None:
    """Have the program's own ``instrument()`` do what it does without us, with the program's provider and settings.

    OpenTelemetry's instrumentors are one object a class, which refuses to be started twice, with a warning.
    """
    if getattr(cast("Any", type(instrumentor)), "_instance", None) is not instrumentor:
        return

    def instrument(**settings: Any) -> Any:
        _started.pop(name, None)
        _stop(name, instrumentor)
        return instrumentor.instrument(**settings)

    instrumentor.instrument = instrument


@contextmanager
def _silence(name: str) -> Generator[None]:
    """Keep what this thread logs, and what it warns of, from the program's stderr: it did not ask for it."""
    this_thread = threading.get_ident()
    call_handlers, show_warning = logging.Logger.callHandlers, warnings.showwarning

    def log_here(self: logging.Logger, record: logging.LogRecord) -> Any:
        if threading.get_ident() != this_thread or self is logger:
            return call_handlers(self, record)
        logger.debug("the instrumentor %s: %s", name, record.getMessage())
        return None

    def show_here(message: Any, *args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() != this_thread:
            return show_warning(message, *args, **kwargs)
        logger.debug("the instrumentor %s: %s", name, message)
        return None

    restore = _put(logging.Logger, "callHandlers", log_here), _put(warnings, "showwarning", show_here)
    try:
        yield
    finally:
        for each in restore:
            each()


def _put(owner: Any, name: str, value: Any) -> Callable[[], None]:
    """Set an attribute, and return what sets it back unless somebody else has set it meanwhile."""
    before = getattr(owner, name)
    setattr(owner, name, value)

    def restore() -> None:
        if getattr(owner, name) is value:
            setattr(owner, name, before)

    return restore
