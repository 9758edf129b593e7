"""Secrets that are known by their shape: one line a rule.

A rule runs where one of its anchors is found, never over the whole text, so a text without anchors costs a few
substring searches and a hostile one stays linear: every pattern either consumes what it looked at or gives up within
its bounds.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Found(NamedTuple):
    """Where in a text a secret is, and which rule says so."""

    start: int
    end: int
    rule: str


class Rule(NamedTuple):
    """One kind of secret."""

    name: str
    anchors: tuple[str, ...]
    """Literal text that every match begins with; in lower case when ``fold`` is set."""
    pattern: re.Pattern[str]
    """Matched at an anchor; the group ``secret``, where there is one, is what goes."""
    fold: bool = False
    """Anchors are looked for in the lower-cased text."""


# A letter before the prefix makes it part of a word ("task-…"), unless it belongs to an escape of JSON or a URL.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"
_LONE = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"
_DIGIT = r"(?=[A-Za-z_-]{0,80}[0-9])"


def _rule(name: str, anchors: str, pattern: str) -> Rule:
    return Rule(name, tuple(anchors.split()), re.compile(pattern))


RULES: Final[tuple[Rule, ...]] = (
    _rule("anthropic", "sk-ant-", r"sk-ant-[\w-]{8,}"),
    _rule("openrouter", "sk-or-", _START + r"sk-or-[\w-]{16,}"),
    _rule("openai", "sk-", _START + r"sk-(?!ant-|or-)" + _DIGIT + r"[\w-]{16,}"),
    _rule("google", "AIza", r"AIza[\w-]{30,}"),
    _rule("google_oauth", "ya29. GOCSPX- 1//0", r"(?:ya29\.[\w.-]{16,}|GOCSPX-[\w-]{16,}|1//0[\w-]{24,})"),
    _rule("aws", "AKIA ASIA ABIA", _START + r"A(?:KI|SI|BI)A[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _rule("github", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"(?:gh[pousr]|github_pat)_\w{16,}"),
    _rule("gitlab", "glpat- glrt- gldt- glptt- glcbt-", r"gl(?:pat|rt|dt|ptt|cbt)-[\w.-]{16,}"),
    _rule(
        "slack",
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-",
        _START + r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w-]{10,}",
    ),
    _rule("slack_webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[\w/]{16,})"),
    _rule("stripe", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", r"(?:[sr]k_(?:live|test)|whsec)_\w{10,}"),
    _rule("hugging_face", "hf_", _START + r"hf_[A-Za-z0-9]{20,}"),
    _rule("groq", "gsk_", _START + r"gsk_[A-Za-z0-9]{20,}"),
    _rule("xai", "xai-", _START + r"xai-[\w-]{20,}"),
    _rule("perplexity", "pplx-", _START + r"pplx-[\w-]{20,}"),
    _rule("replicate", "r8_", _START + r"r8_[A-Za-z0-9]{20,}"),
    _rule("npm", "npm_", _START + r"npm_[A-Za-z0-9]{20,}"),
    _rule("pypi", "pypi-", _START + r"pypi-" + _DIGIT + r"[\w-]{16,}"),
    _rule("sendgrid", "SG.", _START + r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    _rule("twilio", "SK", _START + r"SK[0-9a-f]{32}(?![0-9A-Za-z])"),
    _rule("telegram", ":AA", r"(?<=[0-9]{8}):(?P<secret>AA[\w-]{30,})"),
    _rule("jwt", "eyJ", _LONE + r"eyJ[\w-]{8,}(?:\.[\w-]*){1,4}"),
    _rule(
        "private_key",
        "-----BEGIN",
        # The body is taken as far as it goes: a key that was cut before its END line must not survive.
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

# Names that are secrets in a query and nowhere else.
QUERY_ANCHORS: Final = ("sig=", "signature=", "key=", "auth=", "code=")
_QUERY = re.compile(r"[\w.-]+=(?P<secret>[^&\s\"'#<>\\;]{16,})")


def shaped(text: str, lowered: str) -> Iterator[Found]:
    """Every secret of a known shape; ``lowered`` is the text in lower case, of the same length."""
    for rule in RULES:
        for anchor in rule.anchors:
            yield from _at(rule, anchor, text, lowered if rule.fold else text)


def _at(rule: Rule, anchor: str, text: str, searched: str) -> Iterator[Found]:
    position = searched.find(anchor)
    while position >= 0:
        match = rule.pattern.match(text, position)
        after = position + 1
        if match:
            after = match.end()
            if rule.name != "basic" or _is_basic(match["secret"]):
                start, end = match.span("secret") if rule.pattern.groupindex else match.span()
                yield Found(start, end, rule.name)
        position = searched.find(anchor, after)


def _is_basic(text: str) -> bool:
    """Whether credentials come out: ``Basic research`` has the same shape until it is decoded."""
    padded = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return b":" in base64.b64decode(padded + "=" * (-len(padded) % 4))
    except (binascii.Error, ValueError):
        return False


def in_urls(text: str, lowered: str) -> Iterator[Found]:
    """Passwords before the host of a URL, and signatures and keys in its query."""
    position = text.find("://")
    while position >= 0:
        match = (
            _URL_PASSWORD.match(text, position) or _URL_LOOSE.match(text, position) or _URL_TOKEN.match(text, position)
        )
        if match:
            yield Found(*match.span("secret"), "url")
        position = text.find("://", match.end() if match else position + 3)
    for anchor in QUERY_ANCHORS:
        position = lowered.find(anchor)
        while position >= 0:
            match = _QUERY.match(text, position)
            if match and _in_query(text, position):
                yield Found(*match.span("secret"), "url")
            position = lowered.find(anchor, match.end() if match else position + 1)


def _in_query(text: str, position: int) -> bool:
    """Whether a parameter's name around ``position`` begins a query or follows another parameter."""
    start = position
    while start > max(0, position - 32) and (text[start - 1].isalnum() or text[start - 1] in "-_"):
        start -= 1
    return start > 0 and text[start - 1] in "?&;"
