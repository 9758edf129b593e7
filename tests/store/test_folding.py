from hypothesis import given
from hypothesis import strategies as st

from inspector.store.folding import Family, Node, decide


def folded(*nodes):
    by_id = {node.span_id: node for node in nodes}
    return dict(decide(by_id, [node for node in nodes if node.kind in ("llm", "tool", "agent")]))


def llm(name, parent=None, *, tokens=True):
    return Node(name, parent, "llm", None, tokens)


def tool(name, parent=None, *, label="add"):
    return Node(name, parent, "tool", label, False)


def other(name, parent=None, kind="other"):
    return Node(name, parent, kind, None, False)


def test_a_model_call_below_a_model_call_is_the_same_call():
    assert folded(llm("framework"), llm("sdk", "framework")) == {"sdk": "framework"}


def test_requests_and_unknown_spans_may_stand_between():
    assert folded(llm("framework"), other("http", "framework"), llm("sdk", "http")) == {"sdk": "framework"}


def test_a_tool_or_an_agent_between_makes_it_another_call():
    assert folded(llm("loop"), tool("t", "loop"), llm("inner", "t")) == {}
    assert folded(llm("loop"), other("a", "loop", kind="agent"), llm("inner", "a")) == {}


def test_the_outermost_that_knows_its_tokens_counts():
    assert folded(llm("a", tokens=False), llm("b", "a"), llm("c", "b")) == {"a": "b", "c": "b"}


def test_a_loop_without_tokens_is_folded_into_the_first_of_its_calls_which_all_count():
    assert folded(llm("loop", tokens=False), llm("one", "loop"), llm("two", "loop")) == {"loop": "one"}


def test_where_nobody_knows_tokens_the_outermost_counts():
    assert folded(llm("a", tokens=False), llm("b", "a", tokens=False)) == {"b": "a"}


def test_a_tool_called_over_mcp_is_told_of_by_client_and_server_and_counts_once():
    assert folded(tool("client"), other("rpc", "client", kind="rpc"), tool("server", "rpc")) == {"server": "client"}


def test_the_name_of_a_server_before_the_tools_is_no_matter():
    assert folded(tool("client", label="clock__shout"), tool("server", "client", label="shout")) == {"server": "client"}
    assert folded(tool("client", label="announce"), tool("server", "client", label="nounce")) == {}


def test_a_tool_that_calls_another_one_is_two_calls():
    assert folded(tool("a", label="plan"), tool("b", "a", label="search")) == {}


def test_agents_are_the_same_by_name():
    assert folded(Node("a", None, "agent", "guide", False), Node("b", "a", "agent", "guide", False)) == {"b": "a"}
    assert folded(Node("a", None, "agent", "guide", False), Node("b", "a", "agent", "other", False)) == {}
    assert folded(Node("a", None, "agent", None, False), Node("b", "a", "agent", None, False)) == {}


def test_cycles_and_missing_parents_end_the_search():
    assert folded(llm("a", "b"), llm("b", "a")) == {}
    assert folded(llm("a", "a")) == {}
    assert folded(llm("a", "nowhere")) == {}


nodes = st.lists(
    st.tuples(
        st.sampled_from(["llm", "tool", "agent", "rpc", "other", "workflow"]),
        st.integers(-1, 12),
        st.sampled_from([None, "add", "x_add"]),
        st.booleans(),
    ),
    max_size=12,
).map(
    lambda rows: [
        Node(str(at), str(parent) if 0 <= parent < at else None, kind, label, tokens and kind == "llm")
        for at, (kind, parent, label, tokens) in enumerate(rows)
    ]
)


@given(nodes)
def test_what_is_folded_is_folded_into_something_of_its_kind_that_counts(rows):
    by_id = {node.span_id: node for node in rows}
    result = folded(*rows)
    for span_id, into in result.items():
        assert by_id[span_id].kind == by_id[into].kind
        assert into not in result


@given(nodes)
def test_tokens_of_nested_calls_count_exactly_once(rows):
    by_id = {node.span_id: node for node in rows}
    result = folded(*rows)

    def around(node):
        for _ in range(20):
            node = by_id.get(node.parent_id)
            if node is None or node.kind not in ("llm", "rpc", "other"):
                return
            if node.kind == "llm":
                yield node

    for node in rows:
        if node.kind == "llm" and node.has_tokens:
            carriers = [each for each in around(node) if each.has_tokens]
            assert (node.span_id in result) == bool(carriers)


@given(nodes, st.randoms())
def test_the_order_of_arrival_does_not_matter(rows, random):
    family = Family()
    shuffled = list(rows)
    random.shuffle(shuffled)
    for node in shuffled:
        if family.add(node):
            family.refold()
    in_order = Family()
    for node in rows:
        in_order.add(node)
    in_order.refold()
    assert family.folded.keys() == in_order.folded.keys()
