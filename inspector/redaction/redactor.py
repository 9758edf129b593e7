"""The redactor: finds secrets in a value or a text, and replaces them with placeholders."""

import base64
import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any, Final

from inspector.plain import BYTES_SHOWN, Cut, Plain, well_formed
from inspector.redaction.commands import behind_option
from inspector.redaction.credentials import NAMES, is_encoded, is_pair
from inspector.redaction.hints import suspicious
from inspector.redaction.names import Label, label_of
from inspector.redaction.pairs import NAME_FIELDS, VALUE_FIELDS, is_header, is_header_value
from inspector.redaction.plausible import keeps, scheme_end
from inspector.redaction.search import search
from inspector.redaction.tokens import Found, decoded_text

FUNCTION_FAILED: Final = "[redacted:function failed]"
FAILED: Final = "[redacted:search failed]"
"""Replaces a text that could not be searched: text that is not known to be clean is hidden."""
_PLACEHOLDER = "[redacted:"
_MAX_DEPTH = 200
_LONGEST_FIELD = 16
_PAIR: Final = 2
_USER_OPTIONS: Final = ("-u", "-U", "--user", "--proxy-user")
_COMMAND_FIELDS: Final = ("command", "cmd", "program", "executable")
"""Fields with a command, beside a list of its arguments."""
SHORTEST: Final = 6
"""Length of the shortest text that can contain a secret, including its name."""


class Redactor:
    """Replaces secrets by placeholders.

    A placeholder reads ``[redacted:openai 51 chars #1f0c]``: the rule, the length, and four digits of a salted hash, so
    that two uses of one key can be told from two keys.

    Args:
        patterns: Regular expressions for more secrets, searched in every string.
        function: Called with the field's name and its text for every string, after the rules; returns the text to keep.
        salt: Key of the hash, or what returns it when the first secret is found; random by default.

    Raises:
        ValueError: A pattern is not a valid regular expression.
    """

    def __init__(
        self,
        patterns: Sequence[str] = (),
        function: Callable[[str, str], str] | None = None,
        salt: bytes | Callable[[], bytes] | None = None,
    ) -> None:
        self._patterns = tuple(map(_compiled, patterns))
        self._function = function
        self._salt = salt if salt is not None else secrets.token_bytes(16)
        self._key: bytes | None = None

    def redact_text(self, key: str, text: str) -> str:
        """Return the text without its secrets; if ``key`` names a secret, all of it is one."""
        return self._closed(key, label_of(key), text)[0]

    def redact_value(self, key: str, plain: Plain) -> tuple[Plain, int]:
        """Return a copy of the value without its secrets, and their number; field names count too."""
        try:
            return self._value(key, label_of(key), plain, 0)
        except Exception:  # noqa: BLE001 - as in _closed, for whatever a value is made of
            return FAILED, 1

    def clean(self, text: str) -> bool:
        """Whether a text, or the value with this JSON text, certainly contains no secret; cheap if so.

        False means that it has to be searched, not that there is a secret. Always False with the user's own patterns or
        function, which see strings and not JSON.
        """
        try:
            return not self._patterns and self._function is None and not suspicious(text)
        except Exception:  # noqa: BLE001 - what could not be searched is not known to be clean
            return False

    def _value(self, key: str, label: Label | None, plain: Plain, depth: int, command: str = "") -> tuple[Plain, int]:
        if isinstance(plain, str):
            return self._closed(key, label, plain)
        if depth > _MAX_DEPTH:
            return None, 0
        if isinstance(plain, dict):
            return self._mapping(key, label, plain, depth + 1)
        if isinstance(plain, list | tuple):
            return self._list(key, label, plain, depth + 1, command)
        return plain, 0

    def _closed(self, key: str, label: Label | None, text: str) -> tuple[str, int]:
        """Return the text without its secrets; if that fails for any reason, hide all of it."""
        try:
            return self._field(key, label, text)
        except Exception:  # noqa: BLE001 - a failure must neither stop who asks nor let the text through
            return FAILED, 1

    def _mapping(self, key: str, label: Label | None, plain: dict[str, Plain], depth: int) -> tuple[Plain, int]:
        if plain.get("$type") == "bytes" and isinstance(encoded := plain.get("base64"), str):
            return self._bytes(key, label, plain, encoded)
        pair = _pair_label(plain)
        out: dict[str, Plain] = {}
        count = 0
        command = _command_in(plain)
        for name, item in plain.items():
            inner = label_of(name)
            if inner is None and name.lower() in VALUE_FIELDS:
                inner = pair or (label if name in ("value", "default") else None)
            if inner is None and label == "cookie":
                inner = label
            if inner is None and name.lower() in NAMES:
                item, found = self._credentials(item)  # noqa: PLW2901 - its form without a password
                count += found
            item, found = self._value(name, inner, item, depth, command)  # noqa: PLW2901 -- the item in its redacted form
            clean_name, found_in_name = self._rules(name)
            out[_free(clean_name, out) if found_in_name else name] = item
            count += found + found_in_name
        return out, count

    def _credentials(self, item: Plain) -> tuple[Plain, int]:
        """Return the value under ``auth`` without a password, and whether there was one."""
        text = _text_of(item)
        if text and is_encoded(text):
            return self._placeholder("password", text), 1
        if isinstance(item, list) and len(item) == _PAIR:
            user, secret = map(_text_of, item)
            if user and secret and is_pair(user, secret):
                return [item[0], self._placeholder("password", secret)], 1
        return item, 0

    def _list(
        self, key: str, label: Label | None, plain: Sequence[Plain], depth: int, command: str
    ) -> tuple[Plain, int]:
        out: list[Plain] = []
        count = 0
        earlier = [command]
        before = ""
        for item in plain:
            announced = label
            shown = _text_of(item)
            if before and shown and (before.startswith("-") or len(plain) == _PAIR or _is_listed(before, shown)):
                announced = label or label_of(before)
            if before in _USER_OPTIONS and isinstance(item, str) and _is_credentials(item):
                name, colon, secret = item.partition(":")
                item = name + colon + self._placeholder("password", secret)  # noqa: PLW2901 - its form without a secret
                count += 1
            elif isinstance(item, str) and (begin := behind_option(earlier, before, item)) is not None:
                item = item[:begin] + self._placeholder("password", item[begin:])  # noqa: PLW2901 - as above
                count += 1
            earlier.append(before)
            before = _text_of(item)
            item, found = self._value(key, announced, item, depth)  # noqa: PLW2901 -- as in _mapping
            out.append(item)
            count += found
        return out, count

    def _bytes(self, key: str, label: Label | None, plain: dict[str, Plain], encoded: str) -> tuple[Plain, int]:
        try:
            data = base64.b64decode(encoded).decode("latin-1")
        except ValueError:
            return {**plain, "base64": ""}, 0
        text, count = self._field(key, label or label_of(key), data)
        shown = text.encode("latin-1", "replace")[:BYTES_SHOWN]
        return {**plain, "base64": base64.b64encode(shown).decode("ascii")}, count

    def _field(self, key: str, label: Label | None, text: str) -> tuple[str, int]:
        if type(text) is Cut:
            head, first = self._field(key, label, text.head)
            tail, second = self._field(key, label, text.tail)
            return Cut(head, tail, text.missing, text.edge), first + second
        if label is not None and not keeps(label, text):
            skip = scheme_end(text) if label == "authorization" else 0
            out, count = text[:skip] + self._placeholder(label, text[skip:]), 1
        else:
            out, count = self._rules(text)
        if self._function is not None:
            kept = _kept(self._function, key, out)
            return kept, count + (kept != out)
        return out, count

    def _rules(self, text: str) -> tuple[str, int]:
        text, found = search(text) if len(text) >= SHORTEST and suspicious(text) else (text, [])
        for pattern in self._patterns:
            found += (
                Found(*match.span(), "pattern") for match in pattern.finditer(text) if match.end() > match.start()
            )
        if not found:
            return text, 0
        pieces: list[str] = []
        position = count = 0
        for start, end, rule in _merged(found):
            secret = text[start:end]
            if not secret.startswith(_PLACEHOLDER):
                pieces += (text[position:start], self._placeholder(rule, secret))
                position = end
                count += 1
        return "".join((*pieces, text[position:])), count

    def _placeholder(self, rule: str, secret: str) -> str:
        if self._key is None:
            self._key = (self._salt() if callable(self._salt) else self._salt)[:64]
        digest = blake2b(secret.encode("utf-8", "replace"), digest_size=2, key=self._key).hexdigest()
        return f"{_PLACEHOLDER}{rule} {len(secret)} chars #{digest}]"


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"redaction pattern {pattern!r} is not a valid regular expression: {error}") from error


def _merged(found: Iterable[Found]) -> list[Found]:
    """Return the found parts in order; overlapping ones are merged under the name of the first and longest."""
    out: list[Found] = []
    for part in sorted(found, key=lambda part: (part.start, -part.end)):
        if out and part.start < out[-1].end:
            out[-1] = Found(out[-1].start, max(out[-1].end, part.end), out[-1].rule)
        else:
            out.append(part)
    return out


def _pair_label(plain: dict[str, Plain]) -> Label | None:
    """Return the kind of secret in ``{"name": "API_KEY", "value": "…"}``, as settings and headers are often listed."""
    fields = {field.lower() for field in plain if len(field) <= _LONGEST_FIELD}
    if fields.isdisjoint(VALUE_FIELDS) or fields.isdisjoint(NAME_FIELDS):
        return None
    for field, name in plain.items():
        if field.lower() in NAME_FIELDS and (label := label_of(_text_of(name))):
            return label
    return None


def _command_in(plain: dict[str, Plain]) -> str:
    """Return the command beside which a list of arguments may be, wherever it stands; empty if there is none."""
    commands = (item for name, item in plain.items() if name.lower() in _COMMAND_FIELDS and isinstance(item, str))
    return next(commands, "")


def _is_listed(name: str, value: str) -> bool:
    """Whether two texts of a longer list are the name of a header and its value."""
    return is_header(name) and is_header_value(value)


def _is_credentials(text: str) -> bool:
    name, colon, secret = text.partition(":")
    return bool(name and colon and secret) and not secret.startswith(_PLACEHOLDER) and not secret.isdecimal()


def _text_of(plain: Plain) -> str:
    """Return a text, or bytes as a text; nothing for other values."""
    if isinstance(plain, str):
        return plain
    if isinstance(plain, dict) and plain.get("$type") == "bytes" and isinstance(encoded := plain.get("base64"), str):
        return decoded_text(encoded)
    return ""


def _free(name: str, taken: dict[str, Plain]) -> str:
    count, free = 1, name
    while free in taken:
        count += 1
        free = f"{name} ({count})"
    return free


def _kept(function: Callable[[str, str], str], key: str, text: str) -> str:
    try:
        kept: Any = function(key, text)
        return well_formed(str.__str__(kept)) if isinstance(kept, str) else FUNCTION_FAILED
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 -- a failing function must neither stop who asks nor let the text through
        return FUNCTION_FAILED
