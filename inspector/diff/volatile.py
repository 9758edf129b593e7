"""What differs from run to run without meaning anything: ids and times inside texts."""

import re
from collections import Counter

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_PREFIXED = r"(?:call|toolu|chatcmpl|resp|msg|run|req|thread|fc|rs)[_-](?:[0-9A-Za-z]{8,64}|\d{4})"
"""Four digits are what a cassette has in place of the rest."""
_HEX = r"[0-9a-f]{16}(?:[0-9a-f]{16})?"
_IN_WORDS = "[0-9A-Za-z_-]"
# An id is a whole word, and as long as the shortest one: most places are left after one look ahead. A UUID may have
# words around it, as in `lc_run--UUID-0`.
_ID = re.compile(
    rf"(?<![0-9A-Za-z])(?={_IN_WORDS}{{7}})"
    rf"(?:{_UUID}(?![0-9A-Za-z])|(?<!{_IN_WORDS})(?:{_PREFIXED}|{_HEX})(?!{_IN_WORDS}))"
)
_CLOCK = r"[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
_TIME = re.compile(rf"\d{{4}}(?<!\d{{5}})-\d{{2}}-\d{{2}}{_CLOCK}(?!\d)")


class Volatile:
    """Removes ids and times from the texts of two runs, and counts them.

    An id is a UUID, 16 or 32 hexadecimal digits, or what providers begin with ``call_``, ``toolu_`` and the like. A
    time has a date and a clock; a date alone is kept, because many questions are about dates.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """How many of each were removed: ``id``, ``time``."""
        self._known: dict[str, tuple[str, int, int]] = {}

    def without(self, text: str) -> str:
        """Return the text with a placeholder for each."""
        known = self._known.get(text)
        if known is None:
            # Most texts of two runs are equal, and a conversation sends its history again with each call.
            known = self._known[text] = _replaced(text)
        stripped, ids, times = known
        if ids:
            self.counts["id"] += ids
        if times:
            self.counts["time"] += times
        return stripped


def _replaced(text: str) -> tuple[str, int, int]:
    stripped, ids = _ID.subn("<id>", text)
    times = 0
    if ":" in stripped and "-" in stripped:
        stripped, times = _TIME.subn("<time>", stripped)
    return (stripped if ids or times else text), ids, times
