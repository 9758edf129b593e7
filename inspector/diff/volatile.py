"""What is not compared: ids and times inside texts, which differ in every run, and what recording left out of them."""

import re
from collections import Counter

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_PREFIXED = r"(?:call|toolu|chatcmpl|resp|msg|run|req|thread|fc|rs)[_-](?:[0-9A-Za-z]{8,64}|\d{4})"
"""Four digits are what a cassette has in place of the rest."""
_HEX = r"(?=[0-9]{0,31}[a-f])[0-9a-f]{16}(?:[0-9a-f]{16})?"
"""With a letter: sixteen decimal digits are a number, such as those of a score behind its point."""
_IN_WORDS = "[0-9A-Za-z_-]"
# An id is a whole word, and as long as the shortest one: most places are left after one look ahead. A UUID may have
# words around it, as in `lc_run--UUID-0`.
_ID = re.compile(
    rf"(?<![0-9A-Za-z])(?={_IN_WORDS}{{7}})"
    rf"(?:{_UUID}(?![0-9A-Za-z])|(?<!{_IN_WORDS})(?:{_PREFIXED}|{_HEX})(?!{_IN_WORDS}))"
)
_CLOCK = r"[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
_OMISSION = re.compile(r"… \[[\d,]{1,20} more (?:character|item)s?\]|\"\$size\":\d")
"""What `inspector.plain` writes in place of what it leaves out, and the recorder of what is nested too deep."""
_TIME = re.compile(rf"\d{{4}}(?<!\d{{5}})-\d{{2}}-\d{{2}}{_CLOCK}(?!\d)")
_NOTHING: Counter[str] = Counter()


class Volatile:
    """Removes ids and times from the texts of two runs, and counts them.

    An id is a UUID, 16 or 32 hexadecimal digits with a letter among them, or what providers begin with ``call_``,
    ``toolu_`` and the like. A time has a date and a clock; a date alone is kept: many questions are about dates.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """How many of each were removed: ``id``, ``time``; and how many places of texts were not recorded:
        ``omission``."""
        self._known: dict[str, tuple[str, Counter[str]]] = {}

    def without(self, text: str) -> str:
        """Return the text with a placeholder for each."""
        cached = self._known.get(text)
        if cached is None:
            # Most texts of two runs are equal, and a conversation sends its history again with each call.
            cached = self._known[text] = _replaced(text)
        stripped, counts = cached
        if counts:
            self.counts.update(counts)
        return stripped


def is_volatile(then: str | None, now: str | None) -> bool:
    """Tell whether two texts differ only in ids and times."""
    return then is not None and now is not None and then != now and _replaced(then)[0] == _replaced(now)[0]


def _replaced(text: str) -> tuple[str, Counter[str]]:
    counts: Counter[str] = Counter()
    stripped, counts["id"] = _ID.subn("<id>", text)
    if ":" in stripped and "-" in stripped:
        stripped, counts["time"] = _TIME.subn("<time>", stripped)
    if "… [" in text or '"$size"' in text:
        counts["omission"] = len(_OMISSION.findall(text))
    counts = +counts
    return (stripped, counts) if counts else (text, _NOTHING)
