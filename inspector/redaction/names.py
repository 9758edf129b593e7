"""The names that announce a secret: of fields, headers, settings, environment variables and query parameters."""

import re
from functools import lru_cache
from typing import Final, Literal

Label = Literal["password", "secret", "api_key", "token", "personal_token", "authorization", "cookie"]
"""The kind of secret that a name announces; it appears in the placeholder."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINTS = re.compile(r"[^a-z0-9]+")
_TAIL = 64
"""The maximum length that is examined; a name is judged by its end."""

_NAMES: Final[tuple[tuple[Label, re.Pattern[str]], ...]] = (
    ("password", re.compile(r"(?:pass(?:word|wd|phrase|code)s?|(?:^|_)(?:pwd|pass|sshpass)|rediscli_auth)$")),
    ("secret", re.compile(r"(?:secrets?|secret_(?:str|string|bytes|binary)|(?:^|_)secret_key_base)$")),
    (
        "api_key",
        re.compile(
            r"(?:api|access|secret|private|account|subscription|signing|encryption|master|storage|service|auth|function"
            r"|deploy|vault|ssh|functions|app|client|server|shared|consumer|license|webhook|jwt|hmac|openai|anthropic"
            r"|azure|gemini|mistral|cohere|groq|deepseek|openrouter|tavily|serper|exa|pinecone|weaviate|qdrant|supabase"
            r"|datadog|stripe|twilio|sendgrid)_?keys?$"
        ),
    ),
    (
        "token",
        re.compile(
            r"(?:^|_)(?:access|auth|refresh|id|bearer|session|api|bot|oauth|security|csrf|xsrf|private|user)?token$"
        ),
    ),
    ("authorization", re.compile(r"(?:^|_)authorization$")),
    ("cookie", re.compile(r"(?:^|_)cookies?$")),
)

_INNOCENT_TOKEN = re.compile(
    r"(?:^|_)(?:page|next|previous|prev|cursor|continuation|continue|resume|sync|delta|progress|idempotency|eos|bos|pad|unk|sep"
    r"|cls|mask|stop|start|end|special|max|min|num|n|per|first|last|total|input|output|prompt|completion|cached|new|count"
    r")_token$"
)
"""Cursors, vocabulary entries and counts: harmless names that end like a secret's."""


PERSONAL: Final = "_PAT"
REDIS: Final = "REDISCLI_AUTH"
"""The variable from which ``redis-cli`` takes its password."""
"""The ending of names of personal access tokens, in capitals; in lower case it usually means pattern."""


@lru_cache(maxsize=4096)
def _label(name: str) -> Label | None:
    if name.endswith(PERSONAL):
        return "personal_token"
    plain = _JOINTS.sub("_", _CAMEL.sub("_", name).lower()).strip("_").removesuffix("_json")
    plain = plain.rstrip("0123456789_")
    for label, pattern in _NAMES:
        if pattern.search(plain):
            return None if label == "token" and _INNOCENT_TOKEN.search(plain) else label
    return None


def label_of(name: str) -> Label | None:
    """Return the kind of secret in a field of this name, or None; in snake, kebab or camel case."""
    return _label(name[-_TAIL:])
