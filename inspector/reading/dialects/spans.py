"""Reads spans: finds the dialect of each, and applies its table."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import msgspec

from inspector import semconv
from inspector.model import AttributeValue, Kind, Span
from inspector.nouns import NOUNS
from inspector.otlp import DecodedSpan, note_origin, read_exported
from inspector.reading.cost import Tokens, price_usd, why_unpriced
from inspector.reading.dialects.attributes import LONGEST_NAME, price, text, tokens
from inspector.reading.dialects.claude_code import CLAUDE_CODE
from inspector.reading.dialects.dialect import Dialect, KindRule, Reader
from inspector.reading.dialects.failing import error, status
from inspector.reading.dialects.frameworks import (
    AGENT_FRAMEWORK,
    ANTHROPIC,
    AUTOGEN,
    FAST_AGENT,
    LITELLM,
    MCP_AGENT,
    MCP_SDK,
    OTEL,
    TENXGRAPH,
)
from inspector.reading.dialects.gemini_cli import GEMINI_CLI
from inspector.reading.dialects.genai import GEN_AI
from inspector.reading.dialects.google_adk import GOOGLE_ADK
from inspector.reading.dialects.langsmith import LANGSMITH
from inspector.reading.dialects.logfire import LOGFIRE, PENDING, PENDING_MARK, announced
from inspector.reading.dialects.openinference import OPENINFERENCE
from inspector.reading.dialects.openllmetry import OPENLLMETRY
from inspector.reading.dialects.recorder import HOOKS, INSPECTOR
from inspector.reading.dialects.table import complete, narrowed
from inspector.reading.dialects.vercel_ai import VERCEL_AI
from inspector.spooling import is_run_id

DIALECTS: tuple[Dialect, ...] = (
    INSPECTOR,
    OPENINFERENCE,
    VERCEL_AI,
    LANGSMITH,
    LITELLM,
    MCP_AGENT,
    OPENLLMETRY,
    GOOGLE_ADK,
    TENXGRAPH,
    AGENT_FRAMEWORK,
    AUTOGEN,
    CLAUDE_CODE,
    GEMINI_CLI,
    ANTHROPIC,
    FAST_AGENT,
    MCP_SDK,
    LOGFIRE,
    HOOKS,
    GEN_AI,
    OTEL,
)
"""The more specific first: a span that matches two gets the first of them; the last one matches everything."""

RESOURCE_KEYS = (
    "service.version",
    "deployment.environment.name",
    semconv.HOST_NAME,
    semconv.PROCESS_PID,
    semconv.SDK_LANGUAGE,
    semconv.RUN_ID,
    semconv.REPLAYED_RUN,
)
"""Resource attributes that are kept with each span, unless the span has an attribute of that name.

``service.name`` is the span's ``service``; other resource attributes (paths, versions of libraries) are not worth their
space.
"""

_MOST_KEYS = 64
"""Maximum attributes of a span whose keys are cached, so that a sender cannot fill the cache."""
_LAST = len(DIALECTS) - 1
_ALONE = (INSPECTOR, GEN_AI, OTEL)
_TABLES = tuple(complete(each, None if each in _ALONE else GEN_AI) for each in DIALECTS)
_RANKS = {mark: rank for rank, each in reversed(tuple(enumerate(DIALECTS))) for mark in each.marks}
_SCOPES = {scope: rank for rank, each in enumerate(DIALECTS) for scope in each.scopes}
_MARKS = _RANKS.keys()
_REQUESTED = (semconv.REQUEST_MODEL,)
_SERVICE, _PROCESS, _HOOK = (semconv.SERVICE_NAME,), (semconv.PROCESS,), (semconv.HOOK,)


def read_span(decoded: DecodedSpan, *, is_priced: bool = True) -> Span:
    """Read a span by its dialect.

    With ``is_priced``, a model call without a cost gets one by the price list, which takes a while to load.

    Its attributes stay as they came. Facts that a dialect keeps elsewhere are added under the standard key, which is
    listed in ``inspector.normalised``.
    """
    attributes = decoded.attributes
    # Only ours counts: a sender's list names attributes that were not added here, and an export would omit them.
    attributes.pop(semconv.NORMALISED, None)
    attributes.pop(semconv.UNPRICED, None)
    exported = attributes.pop(semconv.EXPORTED, None)
    span = _read_by_dialect(decoded, is_priced=is_priced)
    return span if exported is None else read_exported(span, exported)


def _read_by_dialect(decoded: DecodedSpan, *, is_priced: bool) -> Span:
    # Without an end it is one that was announced before an export.
    if decoded.attributes.get(PENDING_MARK) == PENDING and decoded.end_ns is not None:
        decoded = announced(decoded)
    attributes = decoded.attributes
    find = _table_of if len(attributes) <= _MOST_KEYS else _table_of.__wrapped__
    table = find(decoded.scope.name, tuple(attributes))
    kind = _kind(decoded, table)
    contents = table.contents[kind]
    if contents:
        _normalise(decoded, contents)
    state = status(decoded, table)
    model = _named(attributes, table.model, table)
    counts, cost = _spent(decoded, table, model, is_priced=is_priced) if kind == "llm" else (None, None)
    is_recorded = table.name == INSPECTOR.name
    if not is_recorded:
        note_origin(decoded)
    resource = decoded.resource
    _note_resource(attributes, resource)
    run = attributes.get(semconv.RUN_ID)
    # By position: keyword arguments for so many fields cost 15,000 instructions a span, 5 % of storing it.
    return Span(
        decoded.trace_id,
        decoded.span_id,
        decoded.name[:LONGEST_NAME],
        kind,
        state,
        decoded.start_ns,
        decoded.parent_id,
        text(attributes, table.session),
        _hook(attributes) if is_recorded else None,
        table.name,
        text(resource, _SERVICE),
        _named(attributes, table.agent, table),
        model,
        _named(attributes, table.tool, table) if kind != "other" or not table.placeholders else None,
        decoded.end_ns,
        counts and counts.input,
        counts and counts.output,
        counts and counts.cache_read,
        cost,
        None if state == "ok" else error(decoded, state, table),
        _content_key(attributes, table.inputs[kind]),
        _content_key(attributes, table.outputs[kind]),
        attributes,
        decoded.events,
        decoded.links,
        text(resource, _PROCESS),
        run if isinstance(run, str) and is_run_id(run) else None,
    )


def _hook(attributes: dict[str, AttributeValue]) -> str | None:
    noun = text(attributes, _HOOK)
    row = NOUNS.get(noun) if noun is not None else None
    return noun if row is None or row.required <= attributes.keys() else None


def _spent(
    decoded: DecodedSpan, table: Dialect, model: str | None, *, is_priced: bool
) -> tuple[Tokens | None, float | None]:
    attributes = decoded.attributes
    counts = tokens(attributes, table)
    cost = price(attributes, table.price)
    if is_priced and cost is None and counts is not None:
        provider = text(attributes, table.provider)
        for name in () if model is None else _priced_as(model, attributes):
            cost = price_usd(counts, model=name, provider=provider, start_ns=decoded.start_ns)
            if cost is not None:
                break
        else:
            attributes[semconv.UNPRICED] = why_unpriced(model, provider)
    return counts, cost


def _priced_as(model: str, attributes: dict[str, AttributeValue]) -> Iterator[str]:
    """Yield the model, and the requested one if the model that answered is a version of it."""
    yield model
    requested = text(attributes, _REQUESTED)
    if requested and model.startswith(requested) and not model[len(requested) :].strip("0123456789-@"):
        yield requested


# Spans of one origin have the same few sets of keys; looking up every key of a dialect in each span costs twice as much
# as the rest of reading it.
@lru_cache(maxsize=1_024)
def _table_of(scope: str, keys: tuple[str, ...]) -> Dialect:
    """Return the table of the dialect of a span with these attributes, reduced to these keys."""
    return narrowed(_recognised(scope, frozenset(keys)), keys)


def _recognised(scope: str, keys: frozenset[str]) -> Dialect:
    if semconv.HOOK in keys:
        return _TABLES[0]
    found = keys & _MARKS
    return _TABLES[min(_scope_rank(scope), *map(_RANKS.__getitem__, found)) if found else _scope_rank(scope)]


@lru_cache(maxsize=1_024)
def _scope_rank(name: str) -> int:
    if name in _SCOPES:
        return _SCOPES[name]
    starts = (rank for scope, rank in _SCOPES.items() if scope.endswith("*") and name.startswith(scope[:-1]))
    return min(starts, default=_LAST)


def _kind(decoded: DecodedSpan, table: Dialect) -> Kind:
    attributes = decoded.attributes
    for rule in table.kinds:
        value = attributes.get(rule.key)
        if value is None:
            continue
        kind = _by(rule, value, decoded)
        if kind is not None:
            return kind
    return table.scope_kinds.get(decoded.scope.name, "other") if table.scope_kinds else "other"


def _by(rule: KindRule, value: AttributeValue, decoded: DecodedSpan) -> Kind | None:
    if rule.where == "at the root" and decoded.parent_id is not None:
        return None
    if rule.where == "between processes" and decoded.kind not in (semconv.KIND_SERVER, semconv.KIND_CLIENT):
        return None
    if rule.kinds and isinstance(value, str) and value in rule.kinds:
        return rule.kinds[value]
    return rule.otherwise


def _normalise(decoded: DecodedSpan, contents: Mapping[str, tuple[Reader, ...]]) -> None:
    """Add the standard keys that the span lacks, with the facts that it keeps elsewhere."""
    attributes = decoded.attributes
    added: list[AttributeValue] = []
    for key, readers in contents.items():
        present = attributes.get(key)
        if present is not None and present != "":
            continue
        for read in readers:
            value = _read(read, decoded)
            if value:
                attributes[key] = value
                added.append(key)
                break
    if added:
        attributes[semconv.NORMALISED] = added


def _read(read: Reader, decoded: DecodedSpan) -> str | None:
    """Return what a reader finds as text; nothing if it fails on the sender's data."""
    try:
        value = read(decoded)
        if value is None or isinstance(value, str):
            return value
        return msgspec.json.encode(value).decode() if value not in ([], {}) else None
    # The original is kept anyway, and shown as text.
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError):
        return None


def _named(attributes: dict[str, AttributeValue], keys: tuple[str, ...], table: Dialect) -> str | None:
    name = text(attributes, keys) if keys else None
    return None if table.placeholders and name in table.placeholders else name


def _note_resource(attributes: dict[str, AttributeValue], resource: Mapping[str, AttributeValue]) -> None:
    for key in RESOURCE_KEYS:
        if key in resource and key not in attributes and resource[key] is not None:
            attributes[key] = resource[key]


def _content_key(attributes: dict[str, AttributeValue], keys: tuple[str, ...]) -> str | None:
    """Return the first key that is present; its value becomes JSON text if it is a list or a map."""
    for key in keys:
        value = attributes.get(key)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            attributes[key] = msgspec.json.encode(value).decode()
        return key
    return None
