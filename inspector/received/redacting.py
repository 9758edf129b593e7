"""Removes secrets from what other programs send, before any of it reaches a file.

What our own recorder sends was redacted in its process. Its resource names the recorder and its version. If that is the
version installed here, the rules are the same, and it is not searched again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec import MsgspecError, Raw, json
from msgspec.structs import replace

from inspector import semconv as sc
from inspector.model import AttributeValue
from inspector.otlp import Decoded, DecodedSpan, Reported, Scope
from inspector.plain import Plain
from inspector.prompts import Prompts
from inspector.salt import salt_of

if TYPE_CHECKING:
    from inspector.redaction import Redactor

_TOGETHER = 64
"""Spans to search together: nearly all are clean, and each search has a fixed cost."""
_MOST_KNOWN = 65_536
_CONTAINERS = (list, dict)
_LONG_PROMPT = 4_096
"""Characters from which on the messages of a prompt are searched one by one, since the next prompt repeats them."""
_MOST_REDACTED = 1_024
_messages = json.Decoder(list[Raw]).decode


def unredacted(decoded: Decoded) -> Decoded:
    """Return a request unchanged; replaces ``Redacting`` if redaction is off."""
    return decoded


def redacting(home: Path, *, on: bool) -> Callable[[Decoded], Decoded]:
    """Return a function that redacts requests, with a redactor of its own."""
    return Redacting(partial(_redactor, home)) if on else unredacted


def _redactor(home: Path) -> "Redactor":
    # Imported here: its rules take a seventh of the start of a command, and most commands have nothing to search.
    from inspector.redaction import Redactor

    return Redactor(salt=partial(salt_of, home))


class Redacting:
    """Removes the secrets from requests; not thread-safe.

    Args:
        redactor: Returns the redactor, once there is something to search.
    """

    def __init__(self, redactor: "Callable[[], Redactor]") -> None:
        self._make = redactor
        # Hashes of texts that were clean: tools, prompts, names and models repeat in every call. Hashes are keyed for
        # this process, and cost a tenth of a search. There are few names of attributes.
        self._clean: set[int] = set()
        self._clean_keys: set[str] = set()
        self._redacted: dict[int, str] = {}
        """Messages without their secrets, by the hashes of those that looked as if they had some."""
        self._prompts = Prompts[str | None]()
        """The messages of the latest prompts without their secrets; None if there were none."""

    @cached_property
    def _redactor(self) -> "Redactor":
        return self._make()

    def __call__(self, decoded: Decoded) -> Decoded:
        """Return a request without secrets in its names, texts, attributes, events, links, resources and scopes."""
        if decoded.malformed is not None or not (decoded.spans or decoded.losses):
            return decoded
        shared = _Shared(self)
        losses = [Reported(shared.resource(each.resource), each.counts, each.until_ns) for each in decoded.losses]
        return replace(decoded, spans=self._spans(decoded.spans, shared), losses=losses)

    def _spans(self, spans: Sequence[DecodedSpan], shared: "_Shared") -> list[DecodedSpan]:
        out: list[DecodedSpan] = []
        waiting = iter(spans)
        while part := [self._with_searched_prompt(span) for span in islice(waiting, _TOGETHER)]:
            clean = self._are_clean([span for span in part if not is_redacted(span.resource)])
            out += [span if is_redacted(span.resource) else self._span(span, shared, clean=clean) for span in part]
        return out

    def _span(self, span: DecodedSpan, shared: "_Shared", *, clean: bool) -> DecodedSpan:
        resource, scope = shared.resource(span.resource), shared.scope(span.scope)
        if resource is not span.resource or scope is not span.scope:
            span = replace(span, resource=resource, scope=scope)
        if clean or self._are_clean((span,)):
            return span
        return replace(
            span,
            name=self.text("name", span.name),
            status_message=self.text("status", span.status_message) if span.status_message else span.status_message,
            attributes=self.attributes(span.attributes),
            events=self._each(span.events),
            links=self._each(span.links),
        )

    def _with_searched_prompt(self, span: DecodedSpan) -> DecodedSpan:
        """Remove the secrets from a long prompt, message by message: a conversation repeats each in every later one."""
        prompt = span.attributes.get(sc.INPUT_MESSAGES)
        if not isinstance(prompt, str) or len(prompt) < _LONG_PROMPT or is_redacted(span.resource):
            return span
        if hash(prompt) in self._clean:
            return span
        before, rest = self._prompts.before(prompt) or (None, prompt)
        try:
            sent = [bytes(message).decode() for message in _messages(rest)]
            if not all(message.startswith("{") for message in sent):
                # A text may be a secret because of the one before it.
                return span
            messages = list(map(self._searched, sent))
        except (MsgspecError, TypeError, ValueError, RecursionError):
            return span
        if before is None and messages == sent:
            self._prompts.keep(prompt, None)
            self._know((prompt,))
            return span
        before = prompt[1 : len(prompt) - len(rest)] if before is None else before
        clean = ",".join(filter(None, (before, *messages)))
        self._prompts.keep(prompt, clean)
        self._know((f"[{clean}]",))
        return replace(span, attributes={**span.attributes, sc.INPUT_MESSAGES: f"[{clean}]"})

    def _searched(self, message: str) -> str:
        """Return a message, as JSON, without its secrets."""
        known = hash(message)
        if known in self._clean:
            return message
        if known not in self._redacted:
            if self._redactor.clean(message):
                self._know((message,))
                return message
            if len(self._redacted) >= _MOST_REDACTED:
                self._redacted.clear()
            redacted, count = self._redactor.redact_value(sc.INPUT_MESSAGES, json.decode(message))
            self._redacted[known] = json.encode(redacted).decode() if count else message
        return self._redacted[known]

    def text(self, key: str, text: str) -> str:
        """Return a text without its secrets."""
        return self._redactor.redact_text(key, text)

    def attributes(self, attributes: Mapping[str, AttributeValue]) -> dict[str, AttributeValue]:
        """Return attributes without their secrets; if there are none, the same object."""
        prompt = attributes.get(sc.INPUT_MESSAGES)
        is_known = isinstance(prompt, str) and hash(prompt) in self._clean
        searched = {**attributes, sc.INPUT_MESSAGES: ""} if is_known else attributes
        plain, count = self._redactor.redact_value("attributes", cast("Plain", searched))
        if not count:
            return cast("dict[str, AttributeValue]", attributes)
        redacted = cast("dict[str, AttributeValue]", plain) if isinstance(plain, dict) else {}
        return {**redacted, sc.INPUT_MESSAGES: prompt} if is_known and sc.INPUT_MESSAGES in redacted else redacted

    def _each(self, several: Sequence[Mapping[str, AttributeValue]]) -> Sequence[Mapping[str, AttributeValue]]:
        """Return events or links without their secrets; if there are none, the same object.

        A list instead of an empty tuple would count as a span that had secrets.
        """
        clean = [self.attributes(each) for each in several]
        return several if all(map(is_, clean, several)) else clean

    def _are_clean(self, spans: Iterable[DecodedSpan]) -> bool:
        try:
            texts = self._unknown(spans)
        except (MsgspecError, TypeError, ValueError, RecursionError):
            return False
        if texts is None or (texts and not self._redactor.clean("\n".join(texts))):
            return False
        self._know(texts)
        return True

    def _know(self, clean: Iterable[str]) -> None:
        if len(self._clean) > _MOST_KNOWN:
            self._clean.clear()
        self._clean.update(map(hash, clean))

    def _unknown(self, spans: Iterable[DecodedSpan]) -> dict[str, None] | None:
        """Return the texts that are not known to be clean; None if the name of an attribute announces a secret."""
        # Each text once: a result is sent with its call and again in the next prompt.
        texts: dict[str, None] = {}
        known, keys = self._clean, self._clean_keys
        for span in spans:
            attributes = span.attributes
            if not keys.issuperset(attributes) and not self._learn_keys(attributes):
                return None
            for value in attributes.values():
                if isinstance(value, str):
                    if hash(value) not in known:
                        texts[value] = None
                elif isinstance(value, _CONTAINERS):
                    texts[json.encode(value).decode()] = None
            if hash(span.name) not in known:
                texts[span.name] = None
            if span.status_message or span.events or span.links:
                texts[json.encode((span.status_message, span.events, span.links)).decode()] = None
        return texts

    def _learn_keys(self, attributes: Iterable[str]) -> bool:
        """Cache names of attributes that neither are nor announce a secret; returns whether all are such names."""
        if len(self._clean_keys) > _MOST_KNOWN:
            self._clean_keys.clear()
        for key in attributes:
            # As a key with a value, since some names are rules only together with one.
            if key in _IN_PAIRS or not self._redactor.clean(json.encode({key: "x"}).decode()):
                return False
            self._clean_keys.add(key)
        return True


_IN_PAIRS = frozenset(("value", "val", "default", "content", "data", "v"))
"""Names of attributes whose value may be a secret because of another attribute."""


class _Shared:
    """The resources and scopes of one request, which many spans share: each is redacted once."""

    def __init__(self, redacting: Redacting) -> None:
        self._redacting = redacting
        self._made: dict[int, tuple[object, Any]] = {}

    def resource(self, attributes: Mapping[str, AttributeValue]) -> Mapping[str, AttributeValue]:
        if (known := self._made.get(id(attributes))) is not None:
            return known[1]
        redacted = attributes if is_redacted(attributes) else self._redacting.attributes(attributes)
        return self._keep(attributes, redacted)

    def scope(self, scope: Scope) -> Scope:
        if (known := self._made.get(id(scope))) is not None:
            return known[1]
        name, version = (self._redacting.text("name", text) for text in (scope.name, scope.version))
        attributes = self._redacting.attributes(scope.attributes) if scope.attributes else scope.attributes
        same = (name, version) == (scope.name, scope.version) and attributes is scope.attributes
        redacted = scope if same else replace(scope, name=name, version=version, attributes=attributes)
        return self._keep(scope, redacted)

    def _keep(self, source: object, redacted: Any) -> Any:
        # The source is kept too, because its id may be reused once it is gone.
        self._made[id(source)] = (source, redacted)
        return redacted


def is_redacted(resource: Mapping[str, AttributeValue]) -> bool:
    """Tell whether spans of a resource were redacted at the source, with the rules that are installed here."""
    return resource.get(sc.SDK_NAME) == sc.SCOPE_NAME and resource.get(sc.SDK_VERSION) == _version()


@cache
def _version() -> str:
    try:
        return version("mcp-agent-inspector")
    except PackageNotFoundError:
        return ""
