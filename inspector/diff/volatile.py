"""What differs from run to run without meaning anything: ids and times inside of texts."""

import re
from collections import Counter

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_PREFIXED = r"(?:call|toolu|chatcmpl|resp|msg|run|req|thread|fc|rs)[_-][0-9A-Za-z]{8,64}"
_HEX = r"[0-9a-f]{16}(?:[0-9a-f]{16})?"
_IDS = re.compile(rf"(?<![0-9A-Za-z_-])(?:{_UUID}|{_PREFIXED}|{_HEX})(?![0-9A-Za-z_-])")
_CLOCK = r"[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
_TIMES = re.compile(rf"(?<!\d)\d{{4}}-\d{{2}}-\d{{2}}{_CLOCK}(?!\d)")
_MARKS = ((_IDS, "id"), (_TIMES, "time"))


class Volatile:
    """Takes ids and times out of the texts of a run, and counts them.

    An id is a UUID, 16 or 32 hexadecimal digits, or what providers begin with ``call_``, ``toolu_`` and the like. A
    time has a date and a clock: a date alone is what many questions are about.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """How many of each were taken out: ``id``, ``time``."""

    def without(self, text: str) -> str:
        """Returns the text with a name in the place of each."""
        for pattern, name in _MARKS:
            text, count = pattern.subn(f"<{name}>", text)
            if count:
                self.counts[name] += count
        return text
