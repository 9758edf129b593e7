"""Which spans describe a call that another span of their trace already stands for.

A framework over a provider's SDK that is recorded too, or a tool call that client and server both tell of, make nested
spans of one call. All of them are kept; one counts, and the others say which: they are *folded into* it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec import Struct

_FOLDABLE = frozenset(("llm", "tool", "agent"))
_BETWEEN = frozenset(("rpc", "other"))
"""Kinds that may stand between two spans of one call; anything else begins another one."""
_CONCERNED = _FOLDABLE | _BETWEEN
"""Kinds that a family has to know of; a parent of any other kind is as good as none."""
_MOST_HOPS = 16
_SEPARATORS = frozenset("_-./:")


class Node(Struct, frozen=True, gc=False):
    """What has to be known of a span."""

    span_id: str
    parent_id: str | None
    kind: str
    label: str | None
    """The tool or agent that is called."""
    has_tokens: bool


@dataclass(slots=True)
class Family:
    """The spans of one trace that may describe the same call."""

    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    calls: dict[str, Node] = field(default_factory=dict[str, Node])
    """Those that can be folded."""
    awaited: set[str] = field(default_factory=set[str])
    """Parents that have not arrived, of spans that can be folded or stand between them."""
    folded: dict[str, str] = field(default_factory=dict[str, str])
    """Spans that are folded, with the one that counts."""

    def add(self, node: Node) -> bool:
        """Take in a span, new or changed, and tell whether that can fold or unfold any."""
        span_id, parent_id = node.span_id, node.parent_id
        if node.kind not in _CONCERNED:
            self.calls.pop(span_id, None)
            return self.nodes.pop(span_id, None) is not None
        self.nodes[span_id] = node
        if parent_id is not None and parent_id not in self.nodes:
            self.awaited.add(parent_id)
        if node.kind in _FOLDABLE:
            self.calls[span_id] = node
            self.awaited.discard(span_id)
            return True
        changed = self.calls.pop(span_id, None) is not None
        arrived = span_id in self.awaited
        self.awaited.discard(span_id)
        return changed or arrived

    def refold(self) -> dict[str, str | None]:
        """Decide again, and return the spans of which something else is true now."""
        folded = dict(decide(self.nodes, self.calls.values()))
        changed: dict[str, str | None] = {span: into for span, into in folded.items() if self.folded.get(span) != into}
        changed |= {span: None for span in self.folded if span not in folded}
        self.folded = folded
        return changed


def decide(nodes: Mapping[str, Node], calls: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """Yield each span that does not count, with the one that does.

    Of nested tool or agent calls the outermost counts. Of nested model calls the outermost that knows its tokens does;
    where none does, the outermost. A span above those that count is folded into the first of them.
    """
    counted: dict[str, str] = {}
    above: dict[str, str] = {}
    silent: list[tuple[str, str]] = []
    for call in calls:
        line = [call] if _is_outermost(nodes, call) else _line(nodes, call)
        if call.kind != "llm":
            if len(line) > 1:
                yield call.span_id, line[-1].span_id
            continue
        carrier = next((each for each in reversed(line) if each.has_tokens), None)
        if carrier is None:
            silent.append((call.span_id, line[-1].span_id))
        elif carrier is call:
            for each in line[1:]:
                above.setdefault(each.span_id, call.span_id)
        else:
            counted[call.span_id] = carrier.span_id
    yield from counted.items()
    for span_id, outermost in silent:
        into = above.get(span_id) or above.get(outermost) or outermost
        if into != span_id:
            yield span_id, into


def _is_outermost(nodes: Mapping[str, Node], call: Node) -> bool:
    """Tell whether a call certainly has none around it that it could be one with, as nearly all have not."""
    parent = nodes.get(call.parent_id or "")
    return parent is None or (parent.kind != call.kind and parent.kind not in _BETWEEN)


def _line(nodes: Mapping[str, Node], call: Node) -> list[Node]:
    """Return a call and the spans around it that describe the same one, outwards."""
    line = [call]
    seen = {call.span_id}
    here = call
    for _ in range(_MOST_HOPS):
        parent = nodes.get(here.parent_id or "")
        if parent is None:
            break
        if parent.span_id in seen:
            # Parents in a circle: each would be folded into another, and none would count.
            return [call]
        seen.add(parent.span_id)
        if parent.kind == call.kind and _same(parent, call):
            line.append(parent)
        elif parent.kind not in _BETWEEN:
            break
        here = parent
    return line


def _same(outer: Node, inner: Node) -> bool:
    if inner.kind == "llm":
        return True
    if not outer.label or not inner.label:
        return False
    # A framework may put the server's name before the tool's: `clock__shout` is the server's `shout`.
    longer, shorter = sorted((outer.label, inner.label), key=len, reverse=True)
    if longer == shorter:
        return True
    return inner.kind == "tool" and longer.endswith(shorter) and longer[-len(shorter) - 1] in _SEPARATORS
