"""A dialect: a table that says which attribute is the model, the session, the input of a call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from inspector.model import AttributeValue, Kind
from inspector.otlp import DecodedSpan

Reader = Callable[[DecodedSpan], AttributeValue]
"""Finds content where a dialect keeps it; the result is written under a standard key, unless it is None."""

Contents = Mapping[Kind, Mapping[str, tuple[Reader, ...]]]
"""For spans of one kind: standard keys, each with the readers that look for its content if the span lacks the key."""

Keys = tuple[str, ...]
"""Attributes to look at; the first one present counts."""


@dataclass(frozen=True, slots=True)
class KindRule:
    """The kind of a span, by one attribute; the first rule of a dialect with an answer decides."""

    key: str
    kinds: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    """Kinds by the value of the attribute."""
    otherwise: Kind | None = None
    """The kind for every other value; None leaves it to the following rules."""
    where: Literal["anywhere", "at the root", "between processes"] = "anywhere"
    """The spans that the rule applies to: all, those without a parent, or OTLP's clients and servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A convention for attributes: how it is recognised, and which attribute holds which fact.

    A table states only the differences from OpenTelemetry's conventions (`genai.py`), which are used for everything
    else. The same holds for lists of keys: its own come first.
    """

    name: str
    """The name with its version after a slash, as in `Span.dialect`."""
    versions: tuple[tuple[str, str], ...] = ()
    """Names of other versions, each by the attribute that reveals it; the first one present counts."""
    scopes: tuple[str, ...] = ()
    """Instrumentation scopes whose spans follow it; a trailing ``*`` matches any ending."""
    marks: tuple[str, ...] = ()
    """Attributes that only this dialect has; one of them is enough."""
    kinds: tuple[KindRule, ...] = ()
    scope_kinds: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    """Kinds of spans by scope, if no rule has an answer."""
    session: Keys = ()
    agent: Keys = ()
    model: Keys = ()
    provider: Keys = ()
    tool: Keys = ()
    input_tokens: Keys = ()
    output_tokens: Keys = ()
    cache_read: Keys = ()
    cache_write: Keys = ()
    usages: Keys = ()
    """Attributes with a provider's own usage as JSON, for counts that the span lacks."""
    price: Keys = ()
    """The cost in US dollars; a price in the span wins over the price list."""
    error_message: Keys = ()
    failures: Mapping[str, frozenset[str | bool]] = field(default_factory=dict[str, frozenset[str | bool]])
    """Attributes that report a failure which the status does not show, with the values that do; none means any text."""
    completed: Mapping[str, Keys] = field(default_factory=dict[str, Keys])
    """Names of spans that have one of these attributes if their call came to its end; else it was cancelled."""
    placeholders: frozenset[str] = frozenset()
    """Placeholders that libraries write if they know no name."""
    inputs: Mapping[Kind, Keys] = field(default_factory=dict[Kind, Keys])
    outputs: Mapping[Kind, Keys] = field(default_factory=dict[Kind, Keys])
    contents: Contents = field(default_factory=dict[Kind, Mapping[str, tuple[Reader, ...]]])
