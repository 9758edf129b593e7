"""Finds duplicates: spans of several recorders for the same call.

If a framework and the provider's SDK below it are both recorded, or the client and the server of a tool call, one call
has nested spans. All of them are kept; one counts, and the others are *folded into* it. The rule is in `same_call`. The
outcome depends only on the spans, not on the order or the batches in which they arrive.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from inspector.store.values.answers import Answers
from inspector.store.values.identity import BETWEEN_KINDS, CALL_KINDS, SENDING_KINDS
from inspector.store.values.rows import Row
from inspector.store.values.same_call import (
    Node,
    Nodes,
    PossibleDuplicate,
    Region,
    attempt_of,
    decided,
    is_of_one_recorder,
    is_server,
    link_beside,
    link_of,
    sender_of,
)

_CONCERNED: Final = CALL_KINDS | BETWEEN_KINDS | SENDING_KINDS
"""Kinds that matter to a family; a parent of any other kind counts as no parent."""
MOST_SPANS: Final = 20_000
"""In a trace with more spans, later ones are not checked for duplicates."""
_REQUEST_KINDS: Final = SENDING_KINDS | {"rpc"}
"""Kinds of spans that may record a JSON-RPC request."""


@dataclass(slots=True)
class Family:
    """The spans of one trace that may record the same call."""

    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    children: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """By parent, including parents that have not arrived."""
    folded: dict[str, str] = field(default_factory=dict[str, str])
    """The duplicates, each with the span that counts; only `fold` changes it."""
    members: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The duplicates of each span that counts."""
    answers: Answers = field(default_factory=Answers)
    """The model calls by their answers."""
    changed: set[str] = field(default_factory=set[str])
    """Spans that arrived or changed since the last `refold`."""
    unsettled: set[str] = field(default_factory=set[str])
    """The changed spans that may have been one call with another span before they changed."""

    @classmethod
    def of_stored(cls, spans: Iterable[tuple[Node, str | None]]) -> Self:
        """Return the family of stored spans, each with the span that counts for it, if that is another one."""
        family = cls()
        for node, into in spans:
            family.add(node)
            if into:
                family.fold(node.span_id, into)
        family.changed.clear()
        family.unsettled.clear()
        return family

    def add(self, node: Node) -> bool:
        """Add a new or changed span, and tell whether that may change which spans are duplicates."""
        span_id = node.span_id
        known = self.nodes.get(span_id)
        if known == node:
            return False
        if known is not None and (known.kind, known.parent_id) != (node.kind, node.parent_id):
            # Decisions that depended on it can be anywhere in the trace.
            self._remove(known)
            self._unsettle(self.nodes)
        elif known is not None and known.kind in CALL_KINDS and self._may_be_another(known):
            self.unsettled.add(span_id)
        if node.kind == "llm" or (known is not None and known.kind == "llm"):
            self._unsettle(self.answers.exchange(known, node))
        if node.kind not in _CONCERNED:
            return bool(self.changed)
        self.nodes[span_id] = node
        if node.parent_id is not None:
            self.children.setdefault(node.parent_id, set()).add(span_id)
        self.changed.add(span_id)
        return True

    def _unsettle(self, span_ids: Collection[str]) -> None:
        self.changed.update(span_ids)
        self.unsettled.update(span_ids)

    def _remove(self, node: Node) -> None:
        del self.nodes[node.span_id]
        if node.parent_id is not None:
            self.children[node.parent_id].discard(node.span_id)

    def refold(self) -> dict[str, str | None]:
        """Decide again around the changed spans.

        Returns:
            The spans whose decision changed, each with the span that counts for it, or None if it now counts itself.
        """
        changes: dict[str, str | None] = {}
        for span_id in self.folded.keys() - self.nodes.keys():
            self.fold(span_id, None)
            changes[span_id] = None
        stirring = [span_id for span_id in self.changed if self._may_affect_others(span_id)]
        for region, beside in self._regions(stirring):
            folded = dict(decided(self.nodes, region, beside))
            for span_id in region:
                into = folded.get(span_id)
                if self.folded.get(span_id) != into and self.nodes[span_id].identity is not None:
                    changes[span_id] = into
        self._take(changes)
        requests = dict(self._requests(self.changed | changes.keys()))
        self._take(requests)
        self.changed, self.unsettled = set(), set()
        return changes | requests

    def _regions(self, changed: Iterable[str]) -> Iterator[tuple[Region, Collection[PossibleDuplicate]]]:
        """Yield the spans that may be one call with a changed span, and those pairs of them that have one answer."""
        roots: dict[str, str | None] = {}
        done: set[str] = set()
        for first in {_root(self.nodes, span_id, roots) for span_id in changed if span_id in self.nodes}:
            waiting = [] if first is None else [first]
            region: dict[str, int] = {}
            beside: set[PossibleDuplicate] = set()
            while waiting:
                root = waiting.pop()
                if root in done:
                    continue
                done.add(root)
                nested = _region(self.nodes, self.children, root)
                region.update(nested)
                for span_id in nested if self.nodes[root].kind == "llm" else ():
                    for link in self._beside(self.nodes[span_id]):
                        beside.add(link)
                        both = (_root(self.nodes, each, roots) for each in (link.outer, link.inner))
                        waiting += filter(None, both)
            if region:
                yield region, beside

    def _beside(self, node: Node) -> Iterator[PossibleDuplicate]:
        """Yield how a span is perhaps one call with model calls that are not right above or below it."""
        for span_id in self.answers.alike(node):
            other = self.nodes[span_id]
            if node.span_id != other.parent_id and node.parent_id != span_id:
                link = link_beside(node, other)
                if link is not None:
                    yield link

    def _may_affect_others(self, span_id: str) -> bool:
        """Tell whether a changed span may change the decisions about calls above and below it.

        Most cannot, since they share a call with no other span. Deciding again for each of them would take time
        proportional to its siblings.
        """
        if span_id in self.unsettled or span_id in self.folded:
            return True
        node = self.nodes.get(span_id)
        if node is None:
            return False
        has_children = bool(self.children.get(span_id))
        if node.kind not in CALL_KINDS:
            return has_children
        is_nested = (has_children and self._has_below(node)) or self._may_be_another(node)
        return is_nested or any(self._beside(node))

    def _may_be_another(self, node: Node) -> bool:
        """Tell whether a span may be one call with a span above it, given the decisions so far.

        It cannot if a sibling of the same recorder, with a better reason or an earlier start, was matched with that
        call. Without this check, each call of a loop below a model call would cause all others to be decided again.
        """
        link = link_of(self.nodes, node)
        if link is None:
            return False
        counting = self.folded.get(link.outer, link.outer)
        return not any(
            self._has_priority(span_id, node, link) for span_id in (counting, *self.members.get(counting, ()))
        )

    def _has_priority(self, span_id: str, node: Node, link: PossibleDuplicate) -> bool:
        other = self.nodes.get(span_id)
        if other is None or other is node or (other.kind, other.parent_id) != (node.kind, node.parent_id):
            return False
        if span_id == node.span_id or not is_of_one_recorder(other, node):
            return False
        if attempt_of(self.nodes, other) != attempt_of(self.nodes, node):
            return False
        earlier = link_of(self.nodes, other)
        return earlier is not None and earlier.outer == link.outer and earlier < link

    def fold(self, span_id: str, into: str | None) -> None:
        """Note the span that counts for a span; None if it counts itself."""
        before = self.folded.pop(span_id, None)
        if before is not None:
            self.members[before].discard(span_id)
        if into is not None:
            self.folded[span_id] = into
            self.members.setdefault(into, set()).add(span_id)

    def _has_below(self, node: Node) -> bool:
        """Tell whether a span of the same kind, possibly the same call, is below a span."""
        waiting, seen = [node.span_id], {node.span_id}
        while waiting:
            for child_id in self.children.get(waiting.pop(), ()):
                kind = self.nodes[child_id].kind
                if kind == node.kind:
                    return True
                if kind in BETWEEN_KINDS and child_id not in seen:
                    seen.add(child_id)
                    waiting.append(child_id)
        return False

    def _take(self, changes: Mapping[str, str | None]) -> None:
        for span_id, into in changes.items():
            self.fold(span_id, into)

    def _requests(self, changed: Collection[str]) -> Iterator[tuple[str, str | None]]:
        """Yield the JSON-RPC requests, at changed spans or below, whose decision changed."""
        waiting = [*changed]
        seen: set[str] = set()
        while waiting:
            span_id = waiting.pop()
            if span_id in seen:
                continue
            seen.add(span_id)
            node = self.nodes.get(span_id)
            if node is not None and node.kind in _REQUEST_KINDS and node.identity is not None:
                sender = sender_of(self.nodes, node)
                into = None if sender is None else self.folded.get(sender, sender)
                if self.folded.get(span_id) != into:
                    yield span_id, into
            if children := self.children.get(span_id):
                waiting += [child for child in children if self.nodes[child].kind in _REQUEST_KINDS]


def node_of(row: Row) -> Node:
    """Return what the rule needs of a stored row."""
    return Node(
        row.span_id,
        row.parent_id,
        row.kind,
        row.status,
        row.tool if row.kind == "tool" else row.agent if row.kind == "agent" else None,
        row.start_ns,
        row.end_ns,
        row.input_tokens,
        row.output_tokens,
        row.cost_usd is not None,
        row.identity,
    )


def decide(nodes: Iterable[Node]) -> dict[str, str]:
    """Return the duplicates among the spans of one trace, each with the span that counts."""
    family = Family()
    for node in nodes:
        family.add(node)
    family.refold()
    return family.folded


def _root(nodes: Nodes, span_id: str, roots: dict[str, str | None]) -> str | None:
    """Return the outermost call that a span, or spans below it, may be part of; None if there is none."""
    path: dict[str, Node] = {}
    here = nodes.get(span_id)
    while here is not None and here.span_id not in roots and here.span_id not in path:
        path[here.span_id] = here
        here = nodes.get(here.parent_id or "")
    if here is not None and here.span_id in path:
        root = _root_in_cycle(nodes, list(path.values())[list(path).index(here.span_id) :])
    else:
        root = None if here is None else roots.get(here.span_id)
    for node in reversed(path.values()):
        root = roots[node.span_id] = _root_below(nodes, root, node)
    return root


def _root_below(nodes: Nodes, root: str | None, node: Node) -> str | None:
    """Return the root of a span, given that of its parent."""
    if node.kind in CALL_KINDS and (root is None or nodes[root].kind != node.kind):
        return node.span_id
    return None if node.kind in SENDING_KINDS else root


def _root_in_cycle(nodes: Nodes, cycle: Sequence[Node]) -> str | None:
    """Return the root of the last of some spans that are each other's parents; it does not depend on where they begin.

    Each is before its parent in the cycle; the first is the parent of the last.
    """
    calls = [node for node in cycle if node.kind in CALL_KINDS]
    root = min((node.span_id for node in calls), default=None)
    if len({node.kind for node in calls}) > 1 or any(node.kind in SENDING_KINDS for node in cycle):
        # Where one kind follows another, a root is certain, and so are those below it.
        for node in reversed(cycle):
            root = _root_below(nodes, root, node)
    return root


def _region(nodes: Nodes, children: Mapping[str, Collection[str]], root: str) -> Region:
    kind = nodes[root].kind
    region = {root: 0}
    waiting = [(root, 0)]
    seen = {root}
    while waiting:
        span_id, crossings = waiting.pop()
        for child_id in children.get(span_id, ()):
            child = nodes[child_id]
            if child_id in seen or (child.kind != kind and child.kind not in BETWEEN_KINDS):
                continue
            seen.add(child_id)
            inside = crossings + is_server(child)
            if child.kind == kind:
                region[child_id] = inside
            waiting.append((child_id, inside))
    return region
