"""Ids that providers and frameworks invent while a run is recorded, each replaced by a number.

Providers invent them for answers, frameworks for messages and runs. The next recording has others, so they are
numbered, and an id has the same number wherever it occurs. What the program or a model *says* stays as it is (requests,
the arguments and results of tools, answers), since a replay compares it or returns it. The ids of an answer are the one
exception, because later requests repeat them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from inspector import semconv as sc
from inspector.cassette.order import Json, attribute

EXCHANGES: Final = "inspector.raw.exchanges"
_RESULT: Final = "inspector.raw.result"
ERROR: Final = "inspector.raw.error"
_WORD: Final = r"[0-9A-Za-z_-]"
_PREFIX: Final = r"(?:chatcmpl|cmpl|call|toolu|srvtoolu|msg|resp|req|rs|fc|run|thread|gen)"
_UUID: Final = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_HEX: Final = r"[0-9a-f]{32}|[0-9a-f]{16}"
_OF_PROVIDER: Final = re.compile(
    rf'\\*"(?:id|call_id|item_id|response_id|_request_id)\\*"\s*:\s*\\*"({_PREFIX}[_-]{_WORD}{{1,80}})\\*"'
)
"""An id that a provider invented, in an answer; quotation marks may be escaped."""
_OF_OBJECT: Final = re.compile(rf'"(?:id|\w+_id)":"({_UUID}|{_HEX})"')
_WHOLE: Final = re.compile(rf"{_UUID}|{_HEX}|{_PREFIX}[_-]{_WORD}+")
_ID: Final = re.compile(
    rf"(?<![0-9A-Za-z]){_UUID}(?![0-9A-Za-z])|(?<!{_WORD}){_PREFIX}[_-]{_WORD}+|(?<!{_WORD})(?:{_HEX})(?!{_WORD})"
)
"""A UUID may be part of a longer word, as in ``lc_run--UUID-0``."""
_A_UUID: Final = re.compile(_UUID)
_OF_IDS: Final = (sc.TOOL_CALL_ID, sc.CORRELATION_ID, sc.SESSION_ID, sc.CONVERSATION_ID, sc.RESPONSE_ID)
_COMPARED: Final = (sc.SEED_TOOL_INPUT, sc.SEED_TOOL_OUTPUT, sc.SEED_RPC_REQUEST, sc.SEED_RPC_RESPONSE)
_PREFIXED: Final = re.compile("[_-]")


class Numbers:
    """The numbers of the ids in a run."""

    def __init__(self, spans: Iterable[Json]) -> None:
        self._names: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        every = list(spans)
        self._number_those_of_providers(every)
        kept = {
            each for span in every for text in _compared(span) for each in (*_ID.findall(text), *_A_UUID.findall(text))
        }
        for span in every:
            for each in _made_up(span):
                if each not in kept and each not in self._names:
                    self._add(each)

    def in_text(self, text: str) -> str:
        """Return a text with numbers in place of ids."""
        return _ID.sub(self._instead, text)

    def _instead(self, match: "re.Match[str]") -> str:
        name = self._names.get(match[0])
        # A UUID may be the end of a longer id that has no number itself.
        return name or _A_UUID.sub(lambda part: self._names.get(part[0], part[0]), match[0])

    def _number_those_of_providers(self, spans: Iterable[Json]) -> None:
        ids: set[str] = set()
        for span in spans:
            # Text of the program itself is not a provider's id, even if an answer repeats it.
            for key in (sc.SEED_LLM_PROMPT, sc.SEED_TOOL_OUTPUT):
                ids.update(each for each in _ID.findall(attribute(span, key)) if each not in self._names)
            for provider_id in _OF_PROVIDER.findall(attribute(span, EXCHANGES) + attribute(span, sc.SEED_LLM_RESPONSE)):
                if provider_id not in self._names and provider_id not in ids:
                    self._add(provider_id)

    def _add(self, made_up: str) -> None:
        prefix = "" if _is_digits(made_up) else _PREFIXED.split(made_up)[0]
        self._counts[prefix] += 1
        number = self._counts[prefix]
        if prefix:
            self._names[made_up] = f"{prefix}{made_up[len(prefix)]}{number:04}"
        elif "-" in made_up:
            # Still a valid UUID, for code that parses it.
            self._names[made_up] = f"00000000-0000-4000-8000-{number:012}"
        else:
            self._names[made_up] = f"{number:0{len(made_up)}}"


def _is_digits(made_up: str) -> bool:
    return re.fullmatch(rf"{_UUID}|{_HEX}", made_up) is not None


def _compared(span: Json) -> Iterator[str]:
    """Yield the texts of a call that a replay compares or gives back."""
    yield from (attribute(span, key) for key in _COMPARED)
    yield (exchanges := attribute(span, EXCHANGES))
    by = attribute(span, sc.EMITTER)
    if exchanges or by == "toolkit":
        yield attribute(span, sc.SEED_LLM_PROMPT)
    if by == "toolkit":
        yield attribute(span, sc.SEED_LLM_RESPONSE)


def _made_up(span: Json) -> Iterator[str]:
    """Yield what is an id by its place, or, outside of those texts, by its form."""
    for pair in span["attributes"]:
        key, text = pair["key"], str(pair["value"].get("stringValue", ""))
        if key in _OF_IDS:
            yield from _WHOLE.findall(text) if _WHOLE.fullmatch(text) else ()
        if key in (_RESULT, ERROR):
            yield from _OF_OBJECT.findall(text)
        elif key not in _COMPARED and key != EXCHANGES:
            yield from _A_UUID.findall(text)
    yield from _A_UUID.findall(str(span["events"]))
