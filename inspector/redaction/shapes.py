"""Secrets recognized by the text around them, one line per rule.

A rule runs where one of its anchors is found, never over the whole text, so a text without anchors costs a few
substring searches. A hostile text stays linear: every pattern either consumes what it read or stops within its bounds.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from inspector.redaction.quoting import anchored
from inspector.redaction.tokens import Found


class Rule(NamedTuple):
    """One kind of secret."""

    name: str
    anchors: tuple[str, ...]
    """Literal text that every match begins with; in lower case when ``fold`` is set."""
    pattern: re.Pattern[str]
    """Matched at an anchor; the group ``secret``, if there is one, is removed."""
    fold: bool = False
    """Whether anchors are searched in the lower-cased text."""


def _rule(name: str, anchors: str, pattern: str) -> Rule:
    return Rule(name, tuple(anchors.split()), re.compile(pattern))


RULES: Final[tuple[Rule, ...]] = (
    _rule("google_oauth", "1//0", r"1//0[\w-]{24,}"),
    # https://learn.microsoft.com/entra/identity-platform: three letters, a digit, "Q~"
    _rule("azure", "Q~", r"(?<=[\w.~-]{3}[0-9])Q~[\w.~-]{31,34}(?![\w~-])"),
    _rule(
        "slack_webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/]{16,})"
    ),
    _rule("discord_webhook", "/api/webhooks/", r"/api/webhooks/[0-9]{10,25}/(?P<secret>[\w-]{30,})"),
    _rule("zapier_webhook", "hooks.zapier.com/", r"hooks\.zapier\.com/hooks/catch/(?P<secret>[\w/]{10,})"),
    _rule("zapier_mcp", "mcp.zapier.com/", r"mcp\.zapier\.com/api/(?:v1/)?mcp/\w{1,8}/(?P<secret>[\w=%-]{20,})"),
    _rule("teams_webhook", "webhook.office.com/", r"webhook\.office\.com/webhookb2/(?P<secret>[\w@/-]{40,})"),
    _rule("telegram", ":AA", r"(?<=[0-9]{8}):(?P<secret>AA[\w-]{30,})"),
    # trufflehog, ``salesforce``: the id of an organization, and what may be used of it
    _rule("salesforce", "!AQ !AR", r"(?<=00D[A-Za-z0-9]{12})!(?P<secret>A[\w.]{60,})"),
    _rule(
        "private_key",
        "-----BEGIN",
        # The body is matched as far as it goes: a key that was cut before its END line must not survive.
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!----))*+"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    Rule(
        "bearer",
        ("bearer",),
        re.compile(r"(?i:bearer)(?:\s|%20|\+){1,4}(?P<secret>(?=[\w.~+/-]{0,80}[0-9]|[\w.~+/-]{20})[\w.~+/-]{8,}=*)"),
        fold=True,
    ),
    Rule(
        "basic", ("basic",), re.compile(r"(?i:basic)(?:\s|%20|\+){1,4}(?P<secret>[A-Za-z0-9+/_-]{6,}={0,2})"), fold=True
    ),
)

# User:password@host of any scheme. The second form takes an unescaped "/" or "@" as part of the password.
_URL_PASSWORD = re.compile(r"://[^\s/?#\"'<>\\:@]{0,256}:(?P<secret>[^\s/?#\"'<>\\]{1,256})@")
_URL_LOOSE = re.compile(
    r"://[^\s/?#\"'<>\\:@]{0,256}:(?![0-9]{1,5}/)(?P<secret>[^\s\"'<>\\]{1,256}?)@(?=[\w.-]+(?:[:/?#\s]|\Z))"
)
_URL_TOKEN = re.compile(r"://(?P<secret>(?=[A-Za-z_-]{0,80}[0-9])[\w-]{16,256})@")

# Names that are secrets only in a query.
QUERY_ANCHORS: Final = ("sig=", "signature=", "key=", "auth=", "code=")
_SECRET_PARAMETER = re.compile(rf".[\w-]{{0,40}}?(?:{'|'.join(QUERY_ANCHORS)})")
_QUERY = re.compile(r"[\w.-]+=(?P<secret>[^&\s\"'#<>\\;]{16,})")


def shaped(text: str, lowered: str) -> Iterator[Found]:
    """Find every secret of a known shape; ``lowered`` is the text in lower case, of the same length."""
    for rule in RULES:
        for anchor in rule.anchors:
            for match in anchored(text, lowered if rule.fold else text, anchor, rule.pattern):
                if rule.name != "basic" or _is_basic(match["secret"]):
                    yield Found(*match.span("secret" if rule.pattern.groupindex else 0), rule.name)


def _is_basic(text: str) -> bool:
    """Whether it decodes to credentials: ``Basic research`` has the same shape."""
    padded = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return b":" in base64.b64decode(padded + "=" * (-len(padded) % 4))
    except (binascii.Error, ValueError):
        return False


def in_urls(text: str, lowered: str) -> Iterator[Found]:
    """Find passwords before the host of a URL, and signatures and keys in its query."""
    for match in anchored(text, text, "://", _URL_PASSWORD, _URL_LOOSE, _URL_TOKEN):
        yield Found(*match.span("secret"), "url")
    for anchor in QUERY_ANCHORS:
        for match in anchored(text, lowered, anchor, _QUERY):
            if _in_query(text, match.start()):
                yield Found(*match.span("secret"), "url")


def has_secret_parameter(lowered: str) -> bool:
    """Whether a query in a lower-cased text has a parameter whose name is secret there."""
    for sign in "?&;":
        position = lowered.find(sign)
        while position >= 0:
            if _SECRET_PARAMETER.match(lowered, position):
                return True
            position = lowered.find(sign, position + 1)
    return False


def _in_query(text: str, position: int) -> bool:
    """Whether a parameter's name around ``position`` begins a query or follows another parameter."""
    start = position
    while start > max(0, position - 32) and (text[start - 1].isalnum() or text[start - 1] in "-_"):
        start -= 1
    return start > 0 and text[start - 1] in "?&;"
