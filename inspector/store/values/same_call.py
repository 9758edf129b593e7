"""Decides which spans are one call, and which of them counts: docs/decisions/two-recorders-one-call.md."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, product
from typing import Final, TypeAlias

from msgspec import Struct

from inspector.store.values.identity import BETWEEN_KINDS, SENDING_KINDS, Identity, read_identity
from inspector.toolnames import is_same_tool

_MOST_HOPS: Final = 16
_MOST_RECORDERS: Final = 16
"""Maximum number of spans of one call, since each is compared with each; nobody has more recorders."""
_COMMON_ID, _SAME_ANSWER, _SAME_USAGE, _SAME_INPUT, _NOTHING_DIFFERS, _SAME_QUESTION = range(6)
"""Reasons why two spans are one call, the most certain first."""

Nodes: TypeAlias = Mapping[str, "Node"]
_Call: TypeAlias = tuple[str, ...]
"""Spans that are one call."""


class Node(Struct, frozen=True, gc=False):
    """What the rule needs of a span."""

    span_id: str
    parent_id: str | None
    kind: str
    status: str = "ok"
    label: str | None = None
    """The called tool or agent."""
    start_ns: int = 0
    end_ns: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    has_cost: bool = False
    identity: str | bytes | None = None
    """As it is stored; None in rows of earlier versions, and in most spans that are not calls."""

    @property
    def has_usage(self) -> bool:
        """Whether its tokens are known; some recorders write 0 for both if they are not."""
        return bool(self.input_tokens or self.output_tokens)


Region: TypeAlias = Mapping[str, int]
"""Nested calls of one kind, each with the number of process boundaries between it and the outermost one."""


@dataclass(frozen=True, slots=True)
class PossibleDuplicate:
    """Two spans that may be one call, regardless of other spans."""

    reason: int
    start_ns: int
    """When the inner one started; if it is not below the outer one, the time between their starts."""
    inner: str
    outer: str
    is_attempt: bool = False
    """Whether the inner one is one of several attempts, according to the outer one or a call between them."""

    def __lt__(self, other: "PossibleDuplicate") -> bool:
        return self._order < other._order

    @property
    def _order(self) -> tuple[int, int, str, str]:
        return self.reason, self.start_ns, self.inner, self.outer


def decided(nodes: Nodes, region: Region, beside: Iterable[PossibleDuplicate]) -> Iterator[tuple[str, str]]:
    """Yield the duplicates in a region, each with the span that counts."""
    if len(region) == 1:
        return
    nested = (link_of(nodes, nodes[span_id]) for span_id in region)
    links = sorted(filter(None, chain(nested, beside)))
    calls: dict[str, _Call] = {}
    for link in links:
        outer, inner = calls.get(link.outer, (link.outer,)), calls.get(link.inner, (link.inner,))
        if not link.is_attempt and _may_join(nodes, region, outer, inner):
            joined = (*outer, *inner)
            calls.update(dict.fromkeys(joined, joined))
    attempted = _attempted(nodes, region, [link for link in links if link.is_attempt], calls)
    for members in {*calls.values(), *attempted}:
        call = members
        while call in attempted:
            call = attempted[call]
        counting = _counting(_outermost_first(nodes, call))
        for span_id in members:
            if span_id != counting.span_id:
                yield span_id, counting.span_id


def _attempted(
    nodes: Nodes, region: Region, links: Iterable[PossibleDuplicate], calls: Mapping[str, _Call]
) -> Mapping[_Call, _Call]:
    """Return the calls that were attempts of another one, each with that one.

    Each attempt has at most one span of each recorder.
    """
    attempted: dict[_Call, _Call] = {}
    recorders: dict[_Call, set[object]] = {}
    for link in links:
        outer, inner = calls.get(link.outer, (link.outer,)), calls.get(link.inner, (link.inner,))
        attempt = attempt_of(nodes, nodes[link.inner])
        made_by = {(attempt, _recorder(nodes[span_id], region[span_id])) for span_id in inner}
        known = recorders.setdefault(outer, set())
        if known.isdisjoint(made_by):
            known |= made_by
            attempted[inner] = outer
    return attempted


def link_of(nodes: Nodes, inner: Node) -> PossibleDuplicate | None:
    """Return the span above that may be the same call: the nearest one of its kind, or any that shares an id."""
    nearest, is_attempt = True, False
    for outer, crossed in _around(nodes, inner):
        is_attempt = is_attempt or _is_repeated(outer)
        reason = _reason(outer, inner, crossed=crossed, is_attempt=is_attempt)
        if reason is not None and (nearest or reason == _COMMON_ID):
            return PossibleDuplicate(reason, inner.start_ns, inner.span_id, outer.span_id, is_attempt)
        nearest = False
    return None


def link_beside(one: Node, other: Node) -> PossibleDuplicate | None:
    """Return why two model calls with one answer, or one question and usage, are one call, wherever they are.

    They are if two recorders saw them at the same time; one after the other, they are a question that was asked again.
    """
    if one.identity is None or other.identity is None or one.status != other.status:
        return None
    by, by_other = read_identity(one.identity), read_identity(other.identity)
    if by.recorder == by_other.recorder or _operations_differ(by, by_other):
        return None
    if max(one.start_ns, other.start_ns) > min(one.end_ns or one.start_ns, other.end_ns or other.start_ns):
        return None
    if by.response_id is not None and by.response_id == by_other.response_id:
        reason = _SAME_ANSWER
    elif (question := question_of(one)) is None or question != question_of(other) or _have_other_ids(by, by_other):
        return None
    else:
        reason = _SAME_QUESTION
    # The same link, whichever is given first.
    inner, outer = sorted((one.span_id, other.span_id))
    return PossibleDuplicate(reason, abs(one.start_ns - other.start_ns), inner, outer)


def question_of(node: Node) -> tuple[int, int, int] | None:
    """Return the checksum of the user's last text, and the tokens read and written; None if one is unknown."""
    if node.identity is None or not node.input_tokens or not node.output_tokens:
        return None
    words = (read_identity(node.identity).input or {}).get("")
    return None if words is None else (words, node.input_tokens, node.output_tokens)


def attempt_of(nodes: Nodes, node: Node) -> str | None:
    """Return the attempt that a tool call belongs to, if a call above it was made several times.

    The attempt is identified by the span right below that call. None if there is no such call.
    """
    here = node
    for _ in range(_MOST_HOPS if node.kind == "tool" else 0):
        around = nodes.get(here.parent_id or "")
        if around is None or (around.kind != "tool" and around.kind not in BETWEEN_KINDS):
            return None
        if _is_repeated(around):
            return here.span_id
        here = around
    return None


def _is_repeated(node: Node) -> bool:
    return node.identity is not None and read_identity(node.identity).is_repeated is True


def _around(nodes: Nodes, node: Node) -> Iterator[tuple[Node, bool]]:
    """Yield the calls of its kind above a span, innermost first, up to one of another kind.

    With each comes whether a request to another process lies between that call and the span.
    """
    seen = {node.span_id}
    here, crossed = node, False
    for _ in range(_MOST_HOPS):
        parent = nodes.get(here.parent_id or "")
        if parent is None or parent.span_id in seen:
            return
        if parent.kind != node.kind and parent.kind not in BETWEEN_KINDS:
            return
        seen.add(parent.span_id)
        crossed = crossed or is_server(here)
        if parent.kind == node.kind:
            yield parent, crossed
        here = parent


def is_server(node: Node) -> bool:
    """Tell whether a span is the receiving side of a request, so that the spans above it are of another process."""
    return node.identity is not None and read_identity(node.identity).is_server


def _may_join(nodes: Nodes, region: Region, outer: _Call, inner: _Call) -> bool:
    """Tell whether all of these spans may be one call: no two have one recorder, and no two differ."""
    if len(outer) + len(inner) > _MOST_RECORDERS:
        return False
    members = [nodes[span_id] for span_id in (*outer, *inner)]
    recorders = [_recorder(node, region[node.span_id]) for node in members]
    if len(set(recorders)) < len(recorders):
        return False
    for one, other in product(map(nodes.__getitem__, outer), map(nodes.__getitem__, inner)):
        reason = _reason(one, other, crossed=region[one.span_id] != region[other.span_id])
        if reason is None:
            return False
        # Siblings may just as well be two attempts of the call above them, if their answers do not tell.
        if reason > _SAME_USAGE and not _is_around(nodes, one, other) and not _has_answer_of(members, one, other):
            return False
    return True


def _has_answer_of(members: Iterable[Node], *nodes: Node) -> bool:
    """Tell whether one of these spans has the answer of another one of its call."""
    return any(link_beside(node, member) is not None for node, member in product(nodes, members))


def _is_around(nodes: Nodes, outer: Node, inner: Node) -> bool:
    return any(each is outer for each, _ in _around(nodes, inner))


def is_of_one_recorder(one: Node, other: Node) -> bool:
    """Tell whether two siblings have one recorder, and so are two calls."""
    if one.identity is None or other.identity is None:
        return False
    by, by_other = read_identity(one.identity), read_identity(other.identity)
    return (by.recorder, by.is_server) == (by_other.recorder, by_other.is_server)


def _recorder(node: Node, crossings: int) -> tuple[str | int, int] | str:
    """Name the recorder; behind a request it counts as another one, even in the same process."""
    return node.span_id if node.identity is None else (read_identity(node.identity).recorder, crossings)


def _reason(outer: Node, inner: Node, *, crossed: bool, is_attempt: bool = False) -> int | None:
    """Return why two spans are one call, judging by these two alone; None if they are not."""
    if outer.identity is None or inner.identity is None:
        return None
    one, other = read_identity(outer.identity), read_identity(inner.identity)
    if one.recorder == other.recorder and not crossed:
        return None
    # A call that lists its attempts shows their failures itself.
    if not is_attempt and _hides_failure(outer, inner):
        return None
    if _has_common_id(one, other):
        return _COMMON_ID
    if not _is_same_subject(outer, inner) or _operations_differ(one, other) or _usage_differs(outer, inner):
        return None
    # The propagated trace context proves that the server's request is the client's.
    return _COMMON_ID if crossed else _resemblance(one, other, has_usage=outer.has_usage and inner.has_usage)


def _resemblance(one: Identity, other: Identity, *, has_usage: bool) -> int | None:
    """Return why two spans without a common id are one call; None if something differs."""
    if _have_other_ids(one, other) or _inputs_differ(one, other):
        return None
    if has_usage:
        return _SAME_USAGE
    return _SAME_INPUT if one.input and other.input else _NOTHING_DIFFERS


def _hides_failure(outer: Node, inner: Node) -> bool:
    """Tell whether one failed and the one that would count did not, so that the failure would not be counted."""
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
    """Tell whether both have an id from the provider or the model, and these differ.

    A response id of another form was made up by a framework, and proves nothing.
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


def _operations_differ(one: Identity, other: Identity) -> bool:
    return one.embeds is not None and other.embeds is not None and one.embeds != other.embeds


def _usage_differs(outer: Node, inner: Node) -> bool:
    """Tell whether the tokens of two spans differ; recorders write 0 if they do not know them."""
    pairs = (outer.input_tokens, inner.input_tokens), (outer.output_tokens, inner.output_tokens)
    return any(one and other and one != other for one, other in pairs)


def _inputs_differ(one: Identity, other: Identity) -> bool:
    if not one.input or not other.input:
        return False
    return any(other.input[name] != value for name, value in one.input.items() if name in other.input)


def _counting(members: list[Node]) -> Node:
    """Return which of the spans of a call counts, given the outermost first.

    For a tool or agent call, that is the outermost. For a model call, it is the outermost with tokens and a cost that
    its provider named, or else with tokens and a cost, or else with tokens, or else the outermost.
    """
    with_usage = [each for each in members if each.has_usage]
    with_cost = [each for each in with_usage if each.has_cost]
    charged = (each for each in with_cost if _is_charged(each))
    return next(chain(charged, with_cost, with_usage, members))


def _is_charged(node: Node) -> bool:
    return node.identity is not None and read_identity(node.identity).is_charged is True


def _outermost_first(nodes: Nodes, members: Collection[str]) -> list[Node]:
    depths = [
        (sum(each.span_id in members for each, _ in _around(nodes, node)), node)
        for node in map(nodes.__getitem__, members)
    ]
    return [node for _, node in sorted(depths, key=lambda pair: (pair[0], pair[1].start_ns, pair[1].span_id))]


def _is_same_request(outer: Node, inner: Node) -> bool:
    if outer.identity is None or inner.identity is None:
        return False
    one, other = read_identity(outer.identity), read_identity(inner.identity)
    if one.is_repeated and other.is_server:
        # The call stands for the requests of all its attempts, and has the id of only one.
        return one.message is not None and _method(one) == _method(other)
    if _hides_failure(outer, inner):
        return False
    if outer.kind == inner.kind and inner.kind in SENDING_KINDS and one.is_server == other.is_server:
        # A hook for a resource or a prompt may not have the request's id.
        has_other_id = one.message and other.message and one.message != other.message
        return one.recorder != other.recorder and not has_other_id and not _inputs_differ(one, other)
    return one.message is not None and one.message == other.message and _is_of_another(one, other)


def _is_of_another(one: Identity, other: Identity) -> bool:
    if one.is_server == other.is_server:
        return one.recorder != other.recorder
    # A received request is the one that was sent. A forwarded one is another request, even with the same id.
    return other.is_server


def _method(identity: Identity) -> str | None:
    return None if identity.message is None else identity.message.partition(" ")[0]


def sender_of(nodes: Nodes, request: Node) -> str | None:
    """Return the outermost span above a JSON-RPC request that records the same request, on either side.

    None as well if that span is below the request, since parents can be a cycle.
    """
    names: list[str] = []
    here = request
    for _ in range(_MOST_HOPS):
        outer = nodes.get(here.parent_id or "")
        if outer is None or not _is_same_request(outer, here):
            break
        if outer is request or outer.span_id in names:
            return None
        names.append(outer.span_id)
        here = outer
    return names[-1] if names else None
