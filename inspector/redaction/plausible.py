"""Values that are not secrets despite the name before them, as in prose, code and templates."""

import re
from typing import Final

from inspector.redaction.names import Label

_LONGEST_KEPT: Final = 128
_WORD_VALUES: Final = frozenset(
    {
        "[]",
        "{}",
        "()",
        "$",  # of $(cat pw), as far as a blank
        "any",
        "bool",
        "boolean",
        "bytes",
        "char",
        "cls",
        "false",
        "float",
        "hidden",
        "int",
        "integer",
        "masked",
        "nil",
    }
    | {"none", "null", "number", "object", "optional", "password", "redacted", "required", "secret", "secretstr"}
    | {"self", "str", "string", "text", "token", "true", "undefined", "varchar"}
)
# Variables, templates, placeholders, and attributes of settings objects.
_REFERENCE = re.compile(
    r"(?:\$[A-Z_][A-Z0-9_]*\Z|\$[a-z_]+\Z|\{[A-Za-z_.]+(?:\(\))?\}\Z|\$\{|\$\(|\{\{|<[^<>]*>\Z|%(?:\(\w+\))?s\Z|\[redacted:[^\[\]]*\]\Z|%\w+%\Z"
    r"|(?:os|self|cls|settings|config|env|process|args|request|secrets|st|kwargs|options|ctx|event|data)[.\[]\w*[A-Za-z_.]*"
    r"(?:[\[(\\].*)?\Z)",
    re.DOTALL,
)
_PLACEHOLDER = re.compile(r"(?:your|my)[-_ ][a-z_ -]+\Z|[a-z_-]*[-_]here\Z|.{0,12}(?:\.\.\.|…).{0,8}\Z", re.IGNORECASE)
_MASK = re.compile(r"([*•x.…#-])\1{2,}\Z", re.IGNORECASE)
# PAT can mean pattern too; a token has digits and no other signs.
_PERSONAL = re.compile(r"(?=[^0-9]{0,80}[0-9])[\w.-]{20,}\Z")
_SCHEME = re.compile(r"(?:bearer|basic|digest|token|apikey|negotiate|aws4-hmac-sha256|bot)(?:\s+|%20)", re.IGNORECASE)

_CALL = re.compile(r"(?:await\s+|new\s+)?[A-Za-z_][\w.]{2,}(?:[(\[].*)?\Z", re.DOTALL)
_EXPRESSION = re.compile(r"(?:[a-z_][a-z_]*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Z][A-Z_]+)\Z")
_WORD = re.compile(r"[A-Za-z]?[a-z]*(?:['-][a-z]+)*[.,;:!?)\]*_]*\Z")
_BEGINS_LINE = re.compile(r"(?:\A|\n|\\n|[;{(&\"'`])[ \t]*(?:[-*#>][ \t]+)?(?:export |set |ENV |env |SET )?[\"'`]?\Z")


def scheme_end(value: str) -> int:
    """Find the start of the credentials in an ``Authorization`` value: its scheme stays readable."""
    match = _SCHEME.match(value)
    return match.end() if match else 0


def keeps(label: Label, value: str) -> bool:
    """Whether a value is never a secret: empty, masked, the name of a type or of a variable."""
    if len(value) > _LONGEST_KEPT:
        return False
    text = value[scheme_end(value) if label == "authorization" else 0 :].strip()
    if not text or text.lower() in _WORD_VALUES or _REFERENCE.match(text) or _MASK.match(text):
        return True
    if _PLACEHOLDER.match(text):
        return True
    if label == "token":
        return text.isdecimal() and len(text) < 8
    if label == "personal_token":
        return not _PERSONAL.match(text)
    return label == "password" and text[0] in "/~" and "/" in text[1:]


def keeps_bare(text: str, name: tuple[int, int], value: tuple[int, int], label: Label) -> bool:
    """Whether an unquoted value after a name is code, or the rest of a sentence."""
    shown = text[slice(*value)]
    if len(shown) > _LONGEST_KEPT:
        return False
    if label == "cookie":
        return "=" not in shown
    if label == "authorization":
        return " " in shown and not scheme_end(shown) and all(map(_WORD.match, shown.split()))
    separator = text[name[1] : value[0]]
    following = text[value[1] : value[1] + 1]
    if (following and following in "([") or shown.endswith((")", "]")):
        return _CALL.match(shown) is not None
    if text.startswith("--", name[0]):
        return False
    return _is_code(text, name, separator, shown, following) or (
        "=" not in separator and _is_sentence(text, name, value)
    )


def _is_code(text: str, name: tuple[int, int], separator: str, shown: str, following: str) -> bool:
    """Whether a value is an identifier in code: ``token = lexer.next``, ``connect(password=secret)``."""
    if not _EXPRESSION.match(shown):
        return False
    if " = " in separator or separator.strip() == "==":
        return not text[slice(*name)].isupper()
    if ":" in separator:
        return following in (",", "}") and "_" in shown and shown.islower()
    return following in (",", ")") and shown.lower() in text[slice(*name)].lower()


def _is_sentence(text: str, name: tuple[int, int], value: tuple[int, int]) -> bool:
    """Whether a word after a name and a colon belongs to a sentence."""
    start, end = value
    if not _WORD.fullmatch(text[start:end]):
        return False
    rest = text[end : end + 40].partition("\n")[0].partition("\\n")[0].strip(" \t\r\"'`")
    if rest:
        return True
    return not _BEGINS_LINE.search(text[max(0, name[0] - 24) : name[0]])
