"""Reads texts and counts from attributes, which hold whatever a sender put there."""

from collections.abc import Mapping
from typing import cast

from inspector.model import AttributeValue
from inspector.plain import INT64_MAX, Plain
from inspector.reading.cost import Tokens
from inspector.reading.dialects.dialect import Dialect
from inspector.reading.fields import parsed
from inspector.reading.usage import Usage, count_of, read_usage

LONGEST_NAME = 1_024

Attributes = Mapping[str, AttributeValue]


def text(attributes: Attributes, keys: tuple[str, ...]) -> str | None:
    """Return the first text among the keys; a number counts as the text it is written as, nothing else does."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, str):
            if value:
                value = value if len(value) <= LONGEST_NAME else value[:LONGEST_NAME]
                # Lists link to filters by this text, and neither a URL nor a filter can carry this character.
                return value.replace("\0", "\ufffd") if "\0" in value else value
        elif type(value) is int:
            return str(value)
    return None


def whole_text(attributes: Attributes, key: str) -> str | None:
    """Return a text of any length; None for an empty one and for other types."""
    value = attributes.get(key)
    return value if isinstance(value, str) and value else None


def tokens(attributes: Attributes, table: Dialect) -> Tokens | None:
    """Return the counts, cached ones inside the input; None for one that nobody gave, as the output of an embedding.

    The conventions count cached tokens as part of the input. If the parts exceed the total, the library passed on the
    exclusive counts of Anthropic's API, so the parts are added.
    """
    sent = _count(attributes, table.input_tokens)
    output = _count(attributes, table.output_tokens)
    cache_read = _count(attributes, table.cache_read)
    cache_write = _count(attributes, table.cache_write)
    if table.usages and (cache_read is None or sent is None):
        usage = _usage(attributes, table.usages)
        sent = usage.input_tokens if sent is None else sent
        output = usage.output_tokens if output is None else output
        cache_read, cache_write = cache_read or usage.cache_read_tokens, cache_write or usage.cache_write_tokens
    if sent is None and output is None and cache_read is None and cache_write is None:
        return None
    if not cache_read and not cache_write:
        return Tokens(sent, output)
    sent, cache_read, cache_write = sent or 0, cache_read or 0, cache_write or 0
    cached = cache_read + cache_write
    return Tokens(
        min(sent if cached <= sent else sent + cached, INT64_MAX),
        output,
        cache_read,
        cache_write,
    )


def price(attributes: Attributes, keys: tuple[str, ...]) -> float | None:
    """Return the first number among the keys that can be a price."""
    for key in keys:
        value = attributes.get(key)
        if type(value) in (int, float) and cast("float", value) >= 0:
            return float(cast("float", value))
    return None


def _count(attributes: Attributes, keys: tuple[str, ...]) -> int | None:
    for key in keys:
        value = attributes.get(key)
        if value is not None:
            count = count_of(cast("Plain", value))
            if count is not None:
                return count
    return None


def _usage(attributes: Attributes, keys: tuple[str, ...]) -> Usage:
    """Return the counts of a provider's own usage object."""
    for key in keys:
        value = attributes.get(key)
        usage = read_usage(parsed(value) if isinstance(value, str) else cast("Plain", value))
        if usage is not None:
            return usage
    return Usage()
