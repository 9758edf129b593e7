"""The provider that makes spans for as long as the program has none, and what records those of the program's.

``trace.set_tracer_provider`` works once, and that once is the program's. So ours is put where the API looks without it,
and a provider that the program sets takes its place: with all the exporters it has, for tracers that were handed out
before as well, and with our processor added.
"""

# First, so that its hook for forked children comes before that of the SDK, which uses its threads: these wait in the
# child for a lock that its hook releases.
import concurrent.futures.thread  # noqa: F401 # pyright: ignore[reportUnusedImport]
import logging
import os
from collections.abc import Callable
from typing import Any

from opentelemetry import trace
from opentelemetry.environment_variables import OTEL_PYTHON_TRACER_PROVIDER
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Decision, ParentBased, StaticSampler
from opentelemetry.util import types

from inspector.logger import warn_once
from inspector.otel.processor import RecordingProcessor
from instrument.signals import is_of_signal

# Neither has a public name: what is set by set_tracer_provider cannot be set again, and nobody is told of it.
_GLOBAL = "_TRACER_PROVIDER"
_SETTER = "_set_tracer_provider"
_MOST = 1024
"""Attributes, events and links of a span, as many as the inspector takes in."""

_quiet = logging.NullHandler()
"""Without a handler, Python prints warnings of the SDK on the stderr of a program that does not know it has one."""
_nothing = trace.NoOpTracerProvider()


class _OwnProvider(trace.ProxyTracerProvider):
    """Stands in for as long as the program has no provider of its own.

    It is a ``ProxyTracerProvider`` to whoever looks whether there is one: there is none.
    """

    def __init__(self) -> None:
        self.processor = RecordingProcessor()
        self._sdk: TracerProvider | None = None

    @property
    def sdk(self) -> TracerProvider:
        """What makes the spans; it exports nothing."""
        if self._sdk is None:
            # Recorded are all, and what the sender of a trace decided is passed on as it is.
            unsampled = StaticSampler(Decision.RECORD_ONLY)
            self._sdk = TracerProvider(
                sampler=ParentBased(ALWAYS_ON, remote_parent_not_sampled=unsampled, local_parent_not_sampled=unsampled),
                resource=Resource.get_empty(),
                shutdown_on_exit=False,
                span_limits=SpanLimits(max_span_attributes=_MOST, max_events=_MOST, max_links=_MOST),
            )
            self._sdk.add_span_processor(self.processor)
        return self._sdk

    def get_tracer(
        self,
        instrumenting_module_name: str,
        instrumenting_library_version: str | None = None,
        schema_url: str | None = None,
        attributes: types.Attributes = None,
    ) -> trace.Tracer:
        """Return a tracer for a library."""
        return _Tracer(instrumenting_module_name, instrumenting_library_version, schema_url, attributes)


class _Tracer(trace.ProxyTracer):
    """Starts spans of whatever provider there is at that moment."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._arguments = arguments
        self._made: tuple[trace.TracerProvider, trace.Tracer] | None = None

    @property
    def _tracer(self) -> trace.Tracer:
        # What the proxy starts spans with; the API's own keeps the first provider that it sees.
        provider = _provider()
        if self._made is None or self._made[0] is not provider:
            self._made = (provider, provider.get_tracer(*self._arguments))
        return self._made[1]


_own = _OwnProvider()
_is_on = False
_joined: dict[int, tuple[trace.TracerProvider, RecordingProcessor | None]] = {}
"""Providers of the program that our processor was offered to, each with it; a provider cannot lose one again."""
_undo: list[Callable[[], None]] = []


def record_api_spans() -> TracerProvider:
    """Record every span that is started through the API, whoever's the provider is.

    Returns:
        A provider of ours, which exports nothing.

    Raises:
        ValueError: Of a variable of OpenTelemetry's that limits attributes and is no number; nothing is changed then.
    """
    sdk = _own.sdk
    if not _is_on:
        _begin()
    return sdk


def _begin() -> None:
    global _is_on  # noqa: PLW0603 - the API has one provider
    _is_on = True
    _switch(is_on=True)
    _watch()
    current = getattr(trace, _GLOBAL)
    if current is not None:
        _join(current)
    # One that the environment names is loaded by the API as soon as it is asked for, unless there is one by then.
    elif OTEL_PYTHON_TRACER_PROVIDER not in os.environ:
        setattr(trace, _GLOBAL, _own)
        logging.getLogger("opentelemetry").addHandler(_quiet)


def stop_recording_api_spans() -> None:
    """Let spans pass unrecorded, and give the API back as it was."""
    global _is_on  # noqa: PLW0603 - as above
    _is_on = False
    _switch(is_on=False)
    while _undo:
        _undo.pop()()
    logging.getLogger("opentelemetry").removeHandler(_quiet)
    if getattr(trace, _GLOBAL) is _own:
        setattr(trace, _GLOBAL, None)


def _switch(*, is_on: bool) -> None:
    for processor in (_own.processor, *(each for _, each in _joined.values())):
        if processor is not None:
            processor.is_on = is_on


def _provider() -> trace.TracerProvider:
    current = getattr(trace, _GLOBAL)
    if current is None or current is _own:
        return _own.sdk if _is_on else _nothing
    if _is_on:
        # Somebody may have put it there by other ways than the API's function.
        _join(current)
    return current


def _watch() -> None:
    set_theirs = getattr(trace, _SETTER)

    def set_and_join(*args: Any, **kwargs: Any) -> None:
        set_theirs(*args, **kwargs)
        current = getattr(trace, _GLOBAL)
        if current is not _own and current is not None:
            _join(current)

    def restore() -> None:
        if getattr(trace, _SETTER) is set_and_join:
            setattr(trace, _SETTER, set_theirs)

    setattr(trace, _SETTER, set_and_join)
    _undo.append(restore)


def _join(provider: trace.TracerProvider) -> None:
    """Have a provider of the program's record its spans too."""
    if id(provider) in _joined:
        return
    logging.getLogger("opentelemetry").removeHandler(_quiet)
    processor = None
    try:
        processor = RecordingProcessor()
        # The SDK's have it, the API's need not.
        add: Callable[[RecordingProcessor], object] = getattr(provider, "add_span_processor")  # noqa: B009
        add(processor)
    # The border to providers of any kind.
    except BaseException as error:
        if is_of_signal(error):
            raise
        processor = None
        name = f"{type(provider).__module__}.{type(provider).__qualname__}"
        warn_once(
            f"spans of the OpenTelemetry API are not recorded: the program's provider, {name}, takes no span processor"
        )
    _joined[id(provider)] = (provider, processor)
