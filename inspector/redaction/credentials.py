"""A user and a password under the name ``auth``: as a pair, or in base64 as Docker and npm store them."""

from collections.abc import Iterator
from typing import Final

from inspector.redaction.plausible import keeps
from inspector.redaction.quoting import COLON, NEXT_ITEM, OPENING, QUOTE, SPACE, closing, compiled
from inspector.redaction.tokens import Found, decoded_text

NAMES: Final = ("auth", "_auth", "basic_auth", "http_auth", "proxy_auth")
"""Fields whose value is a pair of a user and a password, or the base64 of both."""
LONGEST_USER: Final = 128
LONGEST_SECRET: Final = 512

_WINDOW: Final = 4096
_IS: Final = rf"(?:{QUOTE})?\]?{SPACE}(?:=|{COLON}){SPACE}"
# In a call, the name is that of a credentials class, or of a method that takes credentials.
_CALLS: Final = ("basicauth", "digestauth", "proxyauth", ".auth")
_OPENS: Final = ("%22", "%27", "%2522", "%2527", "%252522", "%252527", "u0022", "u0027")
"""A quotation mark before the name, if it ends in a digit."""
_INTO: Final = rf"(?:{_IS}(?:[A-Za-z_.]{{1,40}}(?=\())?)(?=[\[(]|%(?:25){{0,3}}5[Bb])"
_ENCODED: Final = rf"{_IS}(?:{QUOTE})?(?P<secret>[A-Za-z0-9+/]{{6,{LONGEST_SECRET}}}={{0,2}})(?![A-Za-z0-9+/=])"
_END: Final = rf"{SPACE}(?:[\])]|%(?:25){{0,3}}5[Dd])"


def credentials(text: str, lowered: str) -> Iterator[Found]:
    """Every such password in a text; ``lowered`` is the text in lower case, of the same length."""
    position = lowered.find("auth")
    while position >= 0:
        end = position + len("auth")
        span = _password(text, lowered, position, end)
        if span:
            yield Found(*span, "password")
        position = lowered.find("auth", span[1] if span else end)


def is_pair(user: str, secret: str) -> bool:
    """Whether two texts under such a name can be a user and a password."""
    return len(user) <= LONGEST_USER and len(secret) <= LONGEST_SECRET and not keeps("password", secret)


def is_encoded(text: str) -> bool:
    """Whether a text is the base64 of a user and a password."""
    plain = decoded_text(text.rstrip("=")) if len(text) <= LONGEST_SECRET else ""
    user, colon, secret = plain.partition(":")
    return bool(user and colon and secret) and plain.isprintable()


def _password(text: str, lowered: str, position: int, end: int) -> tuple[int, int] | None:
    near = text[end : end + _WINDOW]
    if lowered.endswith(_CALLS, 0, end) and near.startswith("("):
        span = _of_pair(near, 0)
    elif position and text[position - 1].isalnum() and text[position] != "A" and not text.endswith(_OPENS, 0, position):
        return None
    elif match := compiled(_INTO).match(near):
        span = _of_pair(near, match.end())
    else:
        match = compiled(_ENCODED).match(near)
        span = match.span("secret") if match and is_encoded(match["secret"]) else None
    return (span[0] + end, span[1] + end) if span else None


def _of_pair(near: str, at: int) -> tuple[int, int] | None:
    first = OPENING.match(near, at)
    if not first:
        return None
    user_end = closing(near, first.end(), first[2], len(first[1]))
    second = NEXT_ITEM.match(near, user_end + len(first[1]) + len(first[2]))
    if not second:
        return None
    end = closing(near, second.end(), second[2], len(second[1]))
    ended = compiled(_END).match(near, end + len(second[1]) + len(second[2]))
    if not ended or not is_pair(near[first.end() : user_end], near[second.end() : end]):
        return None
    return second.end(), end
