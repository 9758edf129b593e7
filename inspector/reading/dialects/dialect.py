"""What a dialect is: a table that says which attribute is the model, the session, the input of a call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from inspector.model import AttributeValue, Kind
from inspector.otlp import DecodedSpan

Reader = Callable[[DecodedSpan], AttributeValue]
"""Finds content where a dialect keeps it; what it returns is written under a standard key, None is nothing."""

Contents = Mapping[Kind, Mapping[str, tuple[Reader, ...]]]
"""For spans of a kind: standard keys, and who looks for the content of each when the span does not have the key."""

Keys = tuple[str, ...]
"""Attributes to look at; the first that is there counts."""

SERVER, CLIENT = 2, 3
"""Values of OTLP's SpanKind."""


@dataclass(frozen=True, slots=True)
class KindRule:
    """What a span stands for, by one attribute; the first rule of a dialect that has an answer decides."""

    key: str
    kinds: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    """Kinds by the text of the attribute."""
    otherwise: Kind | None = None
    """The kind of every other value; None leaves it to the rules that follow."""
    where: Literal["anywhere", "at the root", "between processes"] = "anywhere"
    """Spans that the rule is about: all, those without a parent, or OTLP's clients and servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A vocabulary of spans: how it is recognised, and where it keeps what.

    A table has only what differs from the conventions (`genai.py`); what it does not find, they are asked for. The same
    holds for lists of keys: its own come first.
    """

    name: str
    """With its version after the slash, as `Span.dialect` shows it."""
    versions: tuple[tuple[str, str], ...] = ()
    """Names of other versions, each behind the attribute that tells it; the first that is there counts."""
    scopes: tuple[str, ...] = ()
    """Instrumentation scopes whose spans speak it; one that ends in ``*`` stands for all that begin so."""
    marks: tuple[str, ...] = ()
    """Attributes that only this dialect has; any of them is enough."""
    kinds: tuple[KindRule, ...] = ()
    scope_kinds: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    """Kinds of the spans of a scope, where no rule has an answer."""
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
    """Attributes with a provider's own usage as JSON, asked for counts that the span does not have."""
    price: Keys = ()
    """The cost in US dollars; a price in the span wins over the price list."""
    error_message: Keys = ()
    failures: Mapping[str, frozenset[str | bool]] = field(default_factory=dict[str, frozenset[str | bool]])
    """Attributes that tell a failure that the status does not tell, with the values that do; none means any text."""
    placeholders: frozenset[str] = frozenset()
    """Texts that libraries write where they know no name."""
    inputs: Mapping[Kind, Keys] = field(default_factory=dict[Kind, Keys])
    outputs: Mapping[Kind, Keys] = field(default_factory=dict[Kind, Keys])
    contents: Contents = field(default_factory=dict[Kind, Mapping[str, tuple[Reader, ...]]])
