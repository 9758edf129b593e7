"""Secrets removed from what other programs send, before any of it reaches a file.

What our own recorder sent was redacted in its process. Its resource says so by naming the recorder and its version; of
the version that is installed here, the rules are the same, so it is not searched again.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import Any, cast

from msgspec import MsgspecError, json
from msgspec.structs import replace

from inspector import semconv as sc
from inspector.ingest.otlp import Decoded, DecodedSpan, Reported, Scope
from inspector.model import AttributeValue
from inspector.plain import Plain
from inspector.redaction import Redactor

_TOGETHER = 16
"""Spans that are looked through at once: nearly all are clean, and each look has a cost of its own."""


def redacted(decoded: Decoded, redactor: Redactor) -> Decoded:
    """Return a request without the secrets in its names, texts, attributes, events, links, resources and scopes."""
    if decoded.malformed is not None or not (decoded.spans or decoded.losses):
        return decoded
    reading = _Redacting(redactor)
    losses = [Reported(reading.shared(each.resource), each.counts) for each in decoded.losses]
    return replace(decoded, spans=reading.spans(decoded.spans), losses=losses)


def as_sent(decoded: Decoded) -> Decoded:
    """Return a request as it is: what takes the place of ``redacted`` where that is switched off."""
    return decoded


def redacting(*, on: bool) -> Callable[[Decoded], Decoded]:
    """Return what a way in does with each request, with a redactor of its own."""
    return partial(redacted, redactor=Redactor()) if on else as_sent


class _Redacting:
    """One request: its resources and scopes, which many spans share, are redacted once."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._shared: dict[int, tuple[object, Any]] = {}

    def spans(self, spans: Sequence[DecodedSpan]) -> list[DecodedSpan]:
        """Return the spans without their secrets; those that have none as they are."""
        out: list[DecodedSpan] = []
        waiting = iter(spans)
        while part := list(islice(waiting, _TOGETHER)):
            foreign = [span for span in part if not is_redacted(span.resource)]
            clean = self._are_clean(foreign)
            out += [span if is_redacted(span.resource) else self._span(span, clean=clean) for span in part]
        return out

    def shared(self, attributes: Mapping[str, AttributeValue]) -> Mapping[str, AttributeValue]:
        """Return the attributes of a resource without their secrets."""
        if is_redacted(attributes):
            return attributes
        return self._once(attributes, lambda: self._attributes(attributes))

    def _once(self, source: Any, make: Any) -> Any:
        known = self._shared.get(id(source))
        if known is None:
            # The source is kept as well: an id is only its own while it lives.
            known = self._shared[id(source)] = (source, make())
        return known[1]

    def _are_clean(self, spans: Sequence[DecodedSpan]) -> bool:
        if not spans:
            return True
        facts = [
            (span.name, span.status_message, span.attributes, span.events or None, span.links or None) for span in spans
        ]
        try:
            return self._redactor.clean(json.encode(facts).decode())
        except (MsgspecError, TypeError, ValueError, RecursionError):
            return False

    def _span(self, span: DecodedSpan, *, clean: bool) -> DecodedSpan:
        resource, scope = self.shared(span.resource), self._once(span.scope, lambda: self._scope(span.scope))
        if resource is not span.resource or scope is not span.scope:
            span = replace(span, resource=resource, scope=scope)
        if clean or self._are_clean((span,)):
            return span
        text = self._redactor.redact_text
        return replace(
            span,
            name=text("name", span.name),
            status_message=text("status", span.status_message) if span.status_message else span.status_message,
            attributes=self._attributes(span.attributes),
            events=[self._attributes(event) for event in span.events],
            links=[self._attributes(link) for link in span.links],
        )

    def _scope(self, scope: Scope) -> Scope:
        name = self._redactor.redact_text("name", scope.name)
        if not scope.attributes:
            return scope if name == scope.name else replace(scope, name=name)
        return replace(scope, name=name, attributes=self._attributes(scope.attributes))

    def _attributes(self, attributes: Mapping[str, AttributeValue]) -> dict[str, AttributeValue]:
        plain, count = self._redactor.redact_value("attributes", cast("Plain", attributes))
        if not count:
            return cast("dict[str, AttributeValue]", attributes)
        return cast("dict[str, AttributeValue]", plain) if isinstance(plain, dict) else {}


def is_redacted(resource: Mapping[str, AttributeValue]) -> bool:
    """Tell whether spans of a resource were redacted where they were recorded, by the rules that are installed here."""
    return resource.get(sc.SDK_NAME) == sc.SCOPE_NAME and resource.get(sc.SDK_VERSION) == _version()


@cache
def _version() -> str:
    try:
        return version("mcp-agent-inspector")
    except PackageNotFoundError:
        return ""
