"""The lines of a cassette: those of a spool file, which all commands read, with each message on a line of its own."""

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from inspector.cassette.errors import SecretFound
from inspector.cassette.ids import EXCHANGES
from inspector.cassette.order import Json
from inspector.cassette.stable import stable
from inspector.model import Event
from inspector.otlp import export_lines
from inspector.parts import FIELD
from inspector.redaction import Redactor

_LONG_CHARS: Final = 80
_encode: Final = msgspec.json.Encoder(order="sorted").encode
_dump: Final = msgspec.json.encode


def write_cassette(path: Path, events: Iterable[Event]) -> None:
    """Write the events of a run, in full and raw, to a file, which replaces an old one once it is complete.

    Raises:
        SecretFound: It contains a secret; nothing is written.
        OSError: The file cannot be written.
    """
    body = b"".join(cassette_lines(events, path.stem))
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_bytes(body)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def cassette_lines(events: Iterable[Event], name: str) -> list[bytes]:
    """Return the lines of a cassette, each with its newline; its ids are made from its name.

    Raises:
        SecretFound: The run contains a secret.
    """
    spans: list[Json] = []
    around: dict[str, Json] = {}
    for line in export_lines(events):
        (group,) = msgspec.json.decode(line)["resourceSpans"]
        (scope,) = group["scopeSpans"]
        for span in scope["spans"]:
            _search(span)
            span["around"] = len(around)
            around[str(len(around))] = {"resource": group["resource"], "scope": scope["scope"]}
            spans.append(span)
    return list(_lines(stable(spans, name), around))


def _search(span: Json) -> None:
    redactor = Redactor()
    for pair in span["attributes"]:
        named = {pair["key"]: pair["value"]}
        redacted, _ = redactor.redact_value("attributes", named)
        if redacted != named:
            raise SecretFound(_refusal(span, f"the attribute {pair['key']}"))
    for part in ("events", "status", "name"):
        named = {part: span[part]}
        redacted, _ = redactor.redact_value("attributes", named)
        if redacted != named:
            raise SecretFound(_refusal(span, f"its {part}"))


def _refusal(span: Json, place: str) -> str:
    return (
        f"there is a secret in {place} of {span['name']} ({span['spanId'][:8]}), so no cassette is written: "
        "take it out of the program's prompts and results, and record the run again"
    )


def _lines(spans: Iterable[Json], around: dict[str, Json]) -> Iterator[bytes]:
    parts = _PartLines()
    for span in spans:
        head = around[str(span.pop("around"))]
        for pair in span["attributes"]:
            text = pair["value"].get("stringValue")
            if text is not None and len(text) > _LONG_CHARS:
                pieces = _Cut(parts, deepest=2 if pair["key"] == EXCHANGES else 1).pieces_of(text)
                if len(pieces) > 1:
                    pair["value"] = {FIELD: {"pieces": pieces}}
        yield from parts.taken()
        scopes = [{"scope": head["scope"], "spans": [span]}]
        yield _encode({"resourceSpans": [{"resource": head["resource"], "scopeSpans": scopes}]}) + b"\n"


class _PartLines:
    """The parts of a file, each written once, before the first line that refers to it."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._waiting: list[bytes] = []

    def number(self, body: bytes) -> int:
        number = self._numbers.get(body)
        if number is None:
            # Derived from its content, so a part added before it does not change its number.
            number = self._numbers[body] = int.from_bytes(blake2b(body, digest_size=7).digest())
            self._waiting.append(b'{"part":%d,"json":%b}\n' % (number, body))
        return number

    def taken(self) -> list[bytes]:
        """Return the lines of the parts that were added since."""
        waiting, self._waiting = self._waiting, []
        return waiting


class _Cut:
    """The JSON of a value, split into pieces on lines of their own and the text around them."""

    def __init__(self, parts: _PartLines, *, deepest: int) -> None:
        self._parts = parts
        self._deepest = deepest
        self._pieces: list[str | list[int]] = []

    def pieces_of(self, text: str) -> list[str | list[int]]:
        """Return the pieces; only the text if it is not JSON."""
        try:
            self._walk(msgspec.json.decode(text), 1)
        except msgspec.MsgspecError:
            return [text]
        return self._pieces

    def _walk(self, value: Any, depth: int) -> None:
        if isinstance(value, dict) and value and depth <= self._deepest:
            before = "{"
            for name, item in cast("dict[str, Any]", value).items():
                self._put(f"{before}{_dump(name).decode()}:")
                self._walk(item, depth + 1)
                before = ","
            self._put("}")
        elif isinstance(value, list) and value and depth <= self._deepest + 1:
            self._elements(cast("list[Any]", value), depth)
        elif len(body := _dump(value)) > _LONG_CHARS:
            self._refer(body)
        else:
            self._put(body.decode())

    def _elements(self, items: list[Any], depth: int) -> None:
        before = "["
        for item in items:
            self._put(before)
            if depth < self._deepest and isinstance(item, dict):
                self._walk(item, depth + 1)
            else:
                self._refer(_dump(item))
            before = ","
        self._put("]")

    def _put(self, text: str) -> None:
        if self._pieces and isinstance(last := self._pieces[-1], str):
            self._pieces[-1] = last + text
        else:
            self._pieces.append(text)

    def _refer(self, body: bytes) -> None:
        self._pieces.append([self._parts.number(body)])
