"""Our provider of the OpenTelemetry API: spans that anybody starts are recorded, without an SDK.

It stands in for as long as the program has no provider of its own. One that the program sets later is taken, and gets
every span from then on, those of tracers that were made before as well.
"""

import logging
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.environment_variables import OTEL_PYTHON_TRACER_PROVIDER
from opentelemetry.util import types

# What the API's own tracers are decorated with: it makes a context manager that decorates coroutine functions too.
from opentelemetry.util._decorator import _agnosticcontextmanager  # pyright: ignore[reportPrivateUsage] - as said above

from inspector.record.failures import error_text
from inspector.record.layouts import type_name
from inspector.record.native import EnrichingSpan, Links, Natives, NativeSpan, Scope, Start
from inspector.record.recorder import Recorder
from inspector.record.values import snapshot

_logger = logging.getLogger("mcp.inspector")
_GLOBAL = "_TRACER_PROVIDER"
_SETTER = "_set_tracer_provider"
_GROUP = "opentelemetry_instrumentor"
_DISABLED = "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS"
_nothing = trace.NoOpTracer()


class Provider(trace.ProxyTracerProvider):
    """Gives out tracers whose spans are recorded.

    It is a ``ProxyTracerProvider`` to whoever looks whether a program has a provider of its own: it has none.
    """

    def __init__(self) -> None:
        self.natives: Natives | None = None
        """What starts spans; None while nothing is recorded."""

    def get_tracer(
        self,
        instrumenting_module_name: str,
        instrumenting_library_version: str | None = None,
        schema_url: str | None = None,
        attributes: types.Attributes = None,
    ) -> trace.Tracer:
        """Return a tracer for a library."""
        plain = tuple((str(key), snapshot(value)) for key, value in (attributes or {}).items())
        scope = Scope(str(instrumenting_module_name or ""), instrumenting_library_version, plain)
        return Tracer(self, scope, schema_url, attributes)


class Tracer(trace.Tracer):
    """Starts recorded spans of one library; of the program's own provider, once it has one."""

    def __init__(self, provider: Provider, scope: Scope, schema_url: str | None, attributes: types.Attributes) -> None:
        self._provider = provider
        self._scope = scope
        self._schema_url = schema_url
        self._attributes = attributes
        self._theirs: tuple[trace.TracerProvider, trace.Tracer] | None = None

    def start_span(  # noqa: PLR0913, PLR0917 - the signature is OpenTelemetry's
        self,
        name: str,
        context: Context | None = None,
        kind: trace.SpanKind = trace.SpanKind.INTERNAL,
        attributes: types.Attributes = None,
        links: Links = None,
        start_time: int | None = None,
        record_exception: bool = True,  # noqa: FBT001, FBT002 - as above
        set_status_on_exception: bool = True,  # noqa: FBT001, FBT002 - as above
    ) -> trace.Span:
        """Start a span below the current one of ``context``, without making it current."""
        theirs = self._of_the_program()
        if theirs is not None:
            return theirs.start_span(
                name, context, kind, attributes, links, start_time, record_exception, set_status_on_exception
            )
        natives = self._provider.natives
        if natives is None:
            return _nothing.start_span(name, context)
        try:
            return natives.start(Start(name, kind, attributes or {}, links, start_time), self._scope, context)
        # The border to a library that may pass anything.
        except Exception:
            _logger.warning("a span of %s could not be recorded", self._scope.name, exc_info=True)
            return _nothing.start_span(name, context)

    @_agnosticcontextmanager
    def start_as_current_span(  # noqa: PLR0913, PLR0917 - the signature is OpenTelemetry's
        self,
        name: str,
        context: Context | None = None,
        kind: trace.SpanKind = trace.SpanKind.INTERNAL,
        attributes: types.Attributes = None,
        links: Links = None,
        start_time: int | None = None,
        record_exception: bool = True,  # noqa: FBT001, FBT002 - as above
        set_status_on_exception: bool = True,  # noqa: FBT001, FBT002 - as above
        end_on_exit: bool = True,  # noqa: FBT001, FBT002 - as above
    ) -> Iterator[trace.Span]:
        """Start a span, and make it the current one inside of a ``with`` block or a decorated function."""
        span = self.start_span(
            name, context, kind, attributes, links, start_time, record_exception, set_status_on_exception
        )
        if not isinstance(span, NativeSpan | EnrichingSpan):
            with trace.use_span(
                span,
                end_on_exit=end_on_exit,
                record_exception=record_exception,
                set_status_on_exception=set_status_on_exception,
            ):
                yield span
            return
        token = otel_context.attach(trace.set_span_in_context(span))
        try:
            yield span
        # Not BaseException: GeneratorExit and the like are no errors.
        except Exception as exc:
            if record_exception:
                span.record_exception(exc)
            if set_status_on_exception:
                # Not by use_span: it formats the exception, and an error in that would take the program's place.
                span.set_status(trace.StatusCode.ERROR, f"{type_name(type(exc))}: {error_text(exc)}")
            raise
        finally:
            otel_context.detach(token)
            if end_on_exit:
                span.end()

    def _of_the_program(self) -> trace.Tracer | None:
        current = getattr(trace, _GLOBAL)
        if current is self._provider or current is None:
            return None
        if self._theirs is None or self._theirs[0] is not current:
            made = current.get_tracer(self._scope.name, self._scope.version, self._schema_url, self._attributes)
            self._theirs = (current, made)
        return self._theirs[1]


_provider = Provider()
_started: list[tuple[str, Any]] = []
_undo: list[Callable[[], None]] = []


def provide(recorder: Recorder, *, integrated: Collection[str] = ()) -> bool:
    """Record every span that is started through the API, and start the instrumentors that are installed.

    Args:
        recorder: What records.
        integrated: Names of what is recorded otherwise, whose instrumentors would tell of every call again.

    Returns:
        False when the program has a provider of its own, which keeps its spans.
    """
    if _provider.natives is not None:
        return True
    if getattr(trace, _GLOBAL, None) is not None or os.environ.get(OTEL_PYTHON_TRACER_PROVIDER):
        _logger.warning("the program has its own OpenTelemetry provider, which keeps the spans that libraries start")
        return False
    _provider.natives = recorder.natives
    _tell_of_another()
    # Not by set_tracer_provider, which works once: that once is the program's.
    setattr(trace, _GLOBAL, _provider)
    _start_instrumentors(integrated)
    return True


def _tell_of_another() -> None:
    set_theirs = getattr(trace, _SETTER, None)
    if set_theirs is None:
        return

    def set_and_tell(*args: Any, **kwargs: Any) -> None:
        was_ours = getattr(trace, _GLOBAL) is _provider
        set_theirs(*args, **kwargs)
        if was_ours and getattr(trace, _GLOBAL) is not _provider:
            _logger.warning(
                "the program has set its own OpenTelemetry provider; "
                "spans that libraries start go there from now on, and are not recorded here"
            )

    def restore() -> None:
        if getattr(trace, _SETTER) is set_and_tell:
            setattr(trace, _SETTER, set_theirs)

    setattr(trace, _SETTER, set_and_tell)
    _undo.append(restore)


def stop_providing() -> None:
    """Record no more spans of the API, and stop the instrumentors that were started."""
    if _provider.natives is None:
        return
    _provider.natives = None
    while _started:
        name, instrumentor = _started.pop()
        try:
            instrumentor.uninstrument()
        # The border to other people's packages.
        except Exception:
            _logger.warning("the instrumentor %s could not be stopped", name, exc_info=True)
    while _undo:
        _undo.pop()()
    if getattr(trace, _GLOBAL) is _provider:
        setattr(trace, _GLOBAL, None)


def _start_instrumentors(integrated: Collection[str]) -> None:
    disabled = {each.strip() for each in os.environ.get(_DISABLED, "").split(",")}
    for found in _wanted(entry_points(group=_GROUP), disabled):
        if found.name.replace("-", "_").removesuffix("_v2") in integrated:
            _logger.debug("the instrumentor %s is not started: an integration records the same", found.name)
            continue
        try:
            instrumentor = found.load()()
            instrumentor.instrument()
        # The border to other people's packages, which may not fit what is installed.
        except Exception:
            _logger.warning("the instrumentor %s could not be started", found.name, exc_info=_is_debugging())
            continue
        _started.append((found.name, instrumentor))
    _logger.debug("started OpenTelemetry instrumentors: %s", ", ".join(name for name, _ in _started) or "none")


def _wanted(found: Sequence[EntryPoint] | Any, disabled: set[str]) -> Iterator[EntryPoint]:
    # A star stands for all of them in OpenTelemetry's own variable.
    return (each for each in found if each.name not in disabled and "*" not in disabled)


def _is_debugging() -> bool:
    return _logger.isEnabledFor(logging.DEBUG)
