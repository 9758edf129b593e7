"""Which spans are duplicates: another recorder's record of a call that a span of their trace already stands for.

A framework over a provider's SDK that is recorded too, or a tool call that client and server both record, make nested
spans of one call. All of them are kept; one counts, and the others name it: they are *folded into* it. The rule is in
docs/decisions/two-recorders-one-call.md. Everything here is decided by what is known of the spans, and by nothing of
how they came: in any order, in any batches, the outcome is the same.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Final, TypeAlias

from msgspec import Struct

from inspector.store.identity import BETWEEN_KINDS, CALL_KINDS, SENDING_KINDS, Identity, read_identity
from inspector.toolnames import is_same_tool

_CONCERNED: Final = CALL_KINDS | BETWEEN_KINDS | SENDING_KINDS
"""Kinds that a family has to know of; a parent of any other kind is as good as none."""
_REQUEST_KINDS: Final = SENDING_KINDS | {"rpc"}
"""Kinds that one JSON-RPC request may be recorded as."""
_MOST_HOPS: Final = 16
_COMMON_ID, _SAME_USAGE, _SAME_INPUT, _NOTHING_DIFFERS = range(4)
"""Why two spans are taken for one call, the surest first."""

Nodes: TypeAlias = Mapping[str, "Node"]


class Node(Struct, frozen=True, gc=False):
    """What has to be known of a span."""

    span_id: str
    parent_id: str | None
    kind: str
    status: str = "ok"
    label: str | None = None
    """The tool or agent that is called."""
    start_ns: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    has_cost: bool = False
    identity: str | None = None
    """As it is stored; None where it is not known, as of rows of earlier versions, and of most that are no calls."""

    @property
    def has_usage(self) -> bool:
        """Whether tokens are known; recorders write 0 for both where they do not know them."""
        return bool(self.input_tokens or self.output_tokens)


@dataclass(slots=True)
class Family:
    """The spans of one trace that may record the same call."""

    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    children: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """By parent, also by those that have not arrived."""
    folded: dict[str, str] = field(default_factory=dict[str, str])
    """Spans that are folded, with the one that counts."""
    changed: set[str] = field(default_factory=set[str])
    """Spans that came or changed since the last decision."""
    unsettled: set[str] = field(default_factory=set[str])
    """Those of them that may have been one call with another as they were before."""

    def add(self, node: Node) -> bool:
        """Take in a span, new or changed, and tell whether that can fold or unfold any."""
        span_id = node.span_id
        known = self.nodes.get(span_id)
        if known == node:
            return False
        if known is not None and (known.kind, known.parent_id) != (node.kind, node.parent_id):
            # What was decided through it may be anywhere.
            self._remove(known)
            self.changed.update(self.nodes)
            self.unsettled.update(self.nodes)
        elif known is not None and known.kind in CALL_KINDS and _link(self.nodes, known):
            self.unsettled.add(span_id)
        if node.kind not in _CONCERNED:
            return bool(self.changed)
        self.nodes[span_id] = node
        if node.parent_id is not None:
            self.children.setdefault(node.parent_id, set()).add(span_id)
        self.changed.add(span_id)
        return True

    def _remove(self, node: Node) -> None:
        del self.nodes[node.span_id]
        if node.parent_id is not None:
            self.children[node.parent_id].discard(node.span_id)

    def refold(self) -> dict[str, str | None]:
        """Decide again where something changed, and return the spans of which something else is true now."""
        changes: dict[str, str | None] = {}
        for span_id in self.folded.keys() - self.nodes.keys():
            del self.folded[span_id]
            changes[span_id] = None
        stirring = [span_id for span_id in self.changed if self._stirs(span_id)]
        for region in _regions(self.nodes, self.children, stirring):
            folded = dict(_decide(self.nodes, region))
            for span_id in region:
                into = folded.get(span_id)
                if self.folded.get(span_id) != into and self.nodes[span_id].identity is not None:
                    changes[span_id] = into
        self._take(changes)
        requests = dict(self._requests(self.changed | changes.keys()))
        self._take(requests)
        self.changed, self.unsettled = set(), set()
        return changes | requests

    def _stirs(self, span_id: str) -> bool:
        """Tell whether a span that changed can change what is decided of the calls around and below it.

        Most cannot, being no part of any call but their own; deciding anew for them would cost as much as they have
        siblings.
        """
        if span_id in self.unsettled or span_id in self.folded:
            return True
        node = self.nodes.get(span_id)
        if node is None:
            return False
        if node.kind not in CALL_KINDS:
            return bool(self.children.get(span_id))
        return self._has_below(node) or _link(self.nodes, node) is not None

    def _has_below(self, node: Node) -> bool:
        """Tell whether a call of its kind, which may be the same one, is below a span."""
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
            if into is not None:
                self.folded[span_id] = into
            else:
                self.folded.pop(span_id, None)

    def _requests(self, changed: Collection[str]) -> Iterator[tuple[str, str | None]]:
        """Yield the JSON-RPC requests, at changed spans or below, of which something else is true now."""
        waiting = [*changed]
        seen: set[str] = set()
        while waiting:
            span_id = waiting.pop()
            if span_id in seen:
                continue
            seen.add(span_id)
            node = self.nodes.get(span_id)
            if node is not None and node.kind in _REQUEST_KINDS and node.identity is not None:
                sender = _sender(self.nodes, node)
                into = None if sender is None else self.folded.get(sender, sender)
                if self.folded.get(span_id) != into:
                    yield span_id, into
            if children := self.children.get(span_id):
                waiting += [child for child in children if self.nodes[child].kind in _REQUEST_KINDS]


def decide(nodes: Iterable[Node]) -> dict[str, str]:
    """Return each span that does not count, with the one that does, of spans of one trace."""
    family = Family()
    for node in nodes:
        family.add(node)
    family.refold()
    return family.folded


def _sender(nodes: Nodes, request: Node) -> str | None:
    """Return the outermost span around a JSON-RPC request that records the same one, on either side."""
    found = None
    here = request
    for _ in range(_MOST_HOPS):
        outer = nodes.get(here.parent_id or "")
        if outer is None or not _is_same_request(outer, here):
            break
        found, here = outer.span_id, outer
    return found


def _is_same_request(outer: Node, inner: Node) -> bool:
    if outer.identity is None or inner.identity is None or _hides_failure(outer, inner):
        return False
    one, other = read_identity(outer.identity), read_identity(inner.identity)
    if outer.kind == inner.kind and inner.kind in SENDING_KINDS and one.is_server == other.is_server:
        # Who tells of a resource or a prompt by a hook may not know the request's id.
        has_other_id = one.message and other.message and one.message != other.message
        return one.recorder != other.recorder and not has_other_id and not _inputs_differ(one, other)
    if one.message is None or one.message != other.message:
        return False
    if one.is_server == other.is_server:
        return one.recorder != other.recorder
    # What came in is the request that was sent; one that is sent on is another, whatever its id.
    return other.is_server


_Region: TypeAlias = Mapping[str, int]
"""Calls of one kind that lie below each other, each with the number of processes between it and the outermost."""


def _regions(nodes: Nodes, children: Mapping[str, Collection[str]], changed: Iterable[str]) -> Iterator[_Region]:
    """Yield everything that may be one call with a span that changed."""
    roots: dict[str, str | None] = {}
    for root in {_root(nodes, span_id, roots) for span_id in changed if span_id in nodes}:
        if root is not None:
            yield _region(nodes, children, root) if root in children else {root: 0}


def _root(nodes: Nodes, span_id: str, roots: dict[str, str | None]) -> str | None:
    """Return the outermost call that what is below a span may be part of; None where there is none around it.

    Args:
        nodes: The spans.
        span_id: The span, which may be such a call itself.
        roots: What is known already; what is found is added.
    """
    path: dict[str, Node] = {}
    here = nodes.get(span_id)
    while here is not None and here.span_id not in roots and here.span_id not in path:
        path[here.span_id] = here
        here = nodes.get(here.parent_id or "")
    root = None if here is None else roots.get(here.span_id)
    for node in reversed(path.values()):
        if node.kind in CALL_KINDS and (root is None or nodes[root].kind != node.kind):
            root = node.span_id
        elif node.kind in SENDING_KINDS:
            root = None
        roots[node.span_id] = root
    return root


def _region(nodes: Nodes, children: Mapping[str, Collection[str]], root: str) -> _Region:
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
            inside = crossings + _is_server(child)
            if child.kind == kind:
                region[child_id] = inside
            waiting.append((child_id, inside))
    return region


@dataclass(frozen=True, slots=True)
class _Link:
    """Two spans that may be one call, seen by themselves."""

    reason: int
    start_ns: int
    inner: str
    outer: str

    def __lt__(self, other: "_Link") -> bool:
        return (self.reason, self.start_ns, self.inner) < (other.reason, other.start_ns, other.inner)


def _decide(nodes: Nodes, region: _Region) -> Iterator[tuple[str, str]]:
    """Yield each span of a region that does not count, with the one that does."""
    if len(region) == 1:
        return
    links = filter(None, (_link(nodes, nodes[span_id]) for span_id in region))
    calls: dict[str, tuple[str, ...]] = {}
    for link in sorted(links):
        outer, inner = calls.get(link.outer, (link.outer,)), calls.get(link.inner, (link.inner,))
        if _may_join(nodes, region, outer, inner):
            joined = (*outer, *inner)
            calls.update(dict.fromkeys(joined, joined))
    for members in set(calls.values()):
        counting = _counting(_outermost_first(nodes, members))
        for span_id in members:
            if span_id != counting.span_id:
                yield span_id, counting.span_id


def _link(nodes: Nodes, inner: Node) -> _Link | None:
    """Return the call around a span that it may be one with: the nearest; another one, where an id is common."""
    nearest = True
    for outer, crossed in _around(nodes, inner):
        reason = _reason(outer, inner, crossed=crossed)
        if reason is not None and (nearest or reason == _COMMON_ID):
            return _Link(reason, inner.start_ns, inner.span_id, outer.span_id)
        nearest = False
    return None


def _around(nodes: Nodes, node: Node) -> Iterator[tuple[Node, bool]]:
    """Yield the calls of its kind around a span, outwards, up to one of another kind; none of a circle.

    With each comes whether the span is of another process than that call, behind a request that was propagated.
    """
    found: list[tuple[Node, bool]] = []
    seen = {node.span_id}
    here, crossed = node, False
    for _ in range(_MOST_HOPS):
        parent = nodes.get(here.parent_id or "")
        if parent is None:
            break
        if parent.span_id in seen:
            return
        seen.add(parent.span_id)
        crossed = crossed or _is_server(here)
        if parent.kind == node.kind:
            found.append((parent, crossed))
        elif parent.kind not in BETWEEN_KINDS:
            break
        here = parent
    yield from found


def _is_server(node: Node) -> bool:
    return node.identity is not None and read_identity(node.identity).is_server


def _may_join(nodes: Nodes, region: _Region, outer: Collection[str], inner: Collection[str]) -> bool:
    """Tell whether all of some spans may be one call: no two of one recorder, and none that tells otherwise."""
    recorders = [_recorder(nodes[span_id], region[span_id]) for span_id in (*outer, *inner)]
    if len(set(recorders)) < len(recorders):
        return False
    for one, other in product(map(nodes.__getitem__, outer), map(nodes.__getitem__, inner)):
        reason = _reason(one, other, crossed=region[one.span_id] != region[other.span_id])
        # Side by side they are as likely two attempts of the call around them.
        if reason is None or (reason > _SAME_USAGE and not _is_around(nodes, one, other)):
            return False
    return True


def _is_around(nodes: Nodes, outer: Node, inner: Node) -> bool:
    return any(each is outer for each, _ in _around(nodes, inner))


def _recorder(node: Node, crossings: int) -> tuple[str, int] | str:
    """Name the recorder: behind a request that was propagated it is another one, even in the same process."""
    return node.span_id if node.identity is None else (read_identity(node.identity).recorder, crossings)


def _reason(outer: Node, inner: Node, *, crossed: bool) -> int | None:
    """Return why two spans are taken for one call, as far as these two tell; None where they are two."""
    if outer.identity is None or inner.identity is None:
        return None
    one, other = read_identity(outer.identity), read_identity(inner.identity)
    if (one.recorder == other.recorder and not crossed) or _hides_failure(outer, inner):
        return None
    if _has_common_id(one, other):
        return _COMMON_ID
    if not _is_same_subject(outer, inner) or _usage_differs(outer, inner):
        return None
    # The trace context that was propagated: what the server was asked is what the client asked.
    return _COMMON_ID if crossed else _resemblance(one, other, has_usage=outer.has_usage and inner.has_usage)


def _resemblance(one: Identity, other: Identity, *, has_usage: bool) -> int | None:
    """Return why two spans are taken for one call that have no id in common; None where something differs."""
    if _have_other_ids(one, other) or _inputs_differ(one, other):
        return None
    if has_usage:
        return _SAME_USAGE
    return _SAME_INPUT if one.input and other.input else _NOTHING_DIFFERS


def _hides_failure(outer: Node, inner: Node) -> bool:
    """Tell whether one failed and the other, which would count, did not: the failure would be counted nowhere."""
    if inner.status == "error":
        return outer.status == "ok"
    return outer.status == "error" and inner.status == "ok" and inner.has_usage and not outer.has_usage


def _has_common_id(one: Identity, other: Identity) -> bool:
    return (
        (one.response_id is not None and one.response_id == other.response_id)
        or (one.tool_call_id is not None and one.tool_call_id == other.tool_call_id)
        or (one.call_id is not None and one.call_id == other.call_id)
        or (one.request_id is not None and one.request_id == other.request_id)
    )


def _have_other_ids(one: Identity, other: Identity) -> bool:
    """Tell whether both know an id that is the provider's or the model's to give, and these differ.

    A response's id may also be one that a framework made up, which looks otherwise.
    """
    if one.tool_call_id is not None and other.tool_call_id is not None:
        return True
    if one.response_id is None or other.response_id is None:
        return False
    return _form(one.response_id) == _form(other.response_id)


def _form(response_id: str) -> str:
    return response_id.replace("_", "-").partition("-")[0]


def _is_same_subject(outer: Node, inner: Node) -> bool:
    if inner.kind == "llm":
        return True
    if not outer.label or not inner.label:
        return False
    return outer.label == inner.label or (inner.kind == "tool" and is_same_tool(outer.label, inner.label))


def _usage_differs(outer: Node, inner: Node) -> bool:
    """Tell whether two spans know other tokens; recorders write 0 where they do not know them."""
    pairs = (outer.input_tokens, inner.input_tokens), (outer.output_tokens, inner.output_tokens)
    return any(one and other and one != other for one, other in pairs)


def _inputs_differ(one: Identity, other: Identity) -> bool:
    if not one.input or not other.input:
        return False
    return any(other.input[name] != value for name, value in one.input.items() if name in other.input)


def _counting(members: list[Node]) -> Node:
    """Return the one of several spans of a call that counts.

    Of a tool or agent call it is the outermost. Of a model call it is the outermost that knows its tokens, and one
    that knows its cost before others; where none does, the outermost.
    """
    known = [each for each in members if each.has_usage]
    return next((each for each in known if each.has_cost), known[0] if known else members[0])


def _outermost_first(nodes: Nodes, members: Collection[str]) -> list[Node]:
    depths = [
        (sum(each.span_id in members for each, _ in _around(nodes, node)), node)
        for node in map(nodes.__getitem__, members)
    ]
    return [node for _, node in sorted(depths, key=lambda pair: (pair[0], pair[1].start_ns, pair[1].span_id))]
