import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from inspector.store.values.folding import Family, Node, decide
from inspector.store.values.identity import Identity


def by(recorder, **known):
    return msgspec.json.encode(Identity(recorder, **known)).decode()


def llm(span_id, parent=None, by="framework", *, tokens=(7, 3), **known):
    identity = msgspec.json.encode(Identity(by, **{k: v for k, v in known.items() if k not in Node.__struct_fields__}))
    known = {key: value for key, value in known.items() if key in Node.__struct_fields__}
    return Node(
        span_id,
        parent,
        "llm",
        input_tokens=tokens and tokens[0],
        output_tokens=tokens and tokens[1],
        identity=identity.decode(),
        **known,
    )


def tool(span_id, parent=None, by="framework", *, name="add", status="ok", **known):
    identity = msgspec.json.encode(Identity(by, **known)).decode()
    return Node(span_id, parent, "tool", status=status, label=name, identity=identity)


def agent(span_id, parent=None, by="framework", *, name="guide"):
    return Node(span_id, parent, "agent", label=name, identity=msgspec.json.encode(Identity(by)).decode())


def between(span_id, parent=None, kind="other", *, is_server=False):
    return Node(span_id, parent, kind, identity=by("", is_server=True) if is_server else None)


# Spans of one recorder.


def test_a_tool_that_calls_itself_is_as_many_calls_as_there_are():
    assert decide([tool("1"), tool("2", "1"), tool("3", "2", status="error"), tool("4", "2")]) == {}


def test_agents_of_one_name_below_each_other_are_agents_of_their_own():
    assert decide([agent("main"), *(agent(str(each), "main") for each in range(6))]) == {}


def test_a_model_that_asks_a_model_is_two_calls():
    assert decide([llm("outer"), llm("inner", "outer")]) == {}
    assert decide([llm("outer", response_id="r"), llm("inner", "outer", response_id="r")]) == {}


def test_spans_of_an_earlier_version_are_left_as_they_are():
    assert decide([Node("a", None, "tool", label="add"), Node("b", "a", "tool", label="add")]) == {}


# Spans of two recorders, one below the other.


def test_a_model_call_and_the_request_of_its_sdk_are_one_call():
    assert decide([llm("framework"), llm("sdk", "framework", "sdk")]) == {"sdk": "framework"}


def test_three_recorders_of_one_call_leave_one_that_counts():
    spans = [llm("a"), llm("b", "a", "router"), llm("c", "b", "sdk")]
    assert decide(spans) == {"b": "a", "c": "a"}


def test_requests_and_unknown_spans_may_stand_between():
    assert decide([llm("framework"), between("http", "framework"), llm("sdk", "http", "sdk")]) == {"sdk": "framework"}


def test_a_tool_or_an_agent_between_makes_it_another_call():
    assert decide([llm("loop"), tool("t", "loop"), llm("inner", "t", "sdk")]) == {}
    assert decide([llm("loop"), agent("a", "loop"), llm("inner", "a", "sdk")]) == {}


@pytest.mark.parametrize("name", ["response_id", "tool_call_id", "call_id", "request_id"])
def test_an_id_in_common_makes_one_call_whatever_else_differs(name):
    outer = llm("outer", tokens=(7, 3), input={"": 1}, **{name: "same"})
    inner = llm("inner", "outer", "sdk", tokens=(8, 4), input={"": 2}, **{name: "same"})
    assert decide([outer, inner]) == {"inner": "outer"}


def test_other_ids_of_one_form_make_two_calls_and_one_that_a_framework_made_up_does_not():
    sdk = llm("sdk", "framework", "sdk", response_id="chatcmpl-2")
    assert decide([llm("framework", response_id="chatcmpl-1"), sdk]) == {}
    assert decide([llm("framework", response_id="lc_run--1"), sdk]) == {"sdk": "framework"}
    assert decide([tool("a", tool_call_id="1"), tool("b", "a", "sdk", tool_call_id="2")]) == {}
    assert decide([tool("a", call_id="1"), tool("b", "a", "sdk", call_id="2")]) == {"b": "a"}


def test_other_tokens_make_two_calls_where_both_know_them():
    assert decide([llm("outer", tokens=(7, 3)), llm("inner", "outer", "sdk", tokens=(700, 3))]) == {}
    assert decide([llm("outer", tokens=(7, 3)), llm("inner", "outer", "sdk", tokens=None)]) == {"inner": "outer"}
    assert decide([llm("outer", tokens=(7, 3)), llm("inner", "outer", "sdk", tokens=(0, 0))]) == {"inner": "outer"}


def test_embeddings_below_another_operation_of_a_model_are_a_call_of_their_own():
    """As of a model whose answers are looked up by meaning: as one call, the answer would be in no figure."""
    outer = llm("1", tokens=None, embeds=False)
    assert decide([outer, llm("2", "1", "sdk", embeds=True)]) == {}
    assert decide([outer, llm("2", "1", "sdk", embeds=False)]) == {"1": "2"}
    assert decide([outer, llm("2", "1", "sdk")]) == {"1": "2"}


def test_another_input_makes_two_calls_where_both_know_it():
    outer = tool("outer", input={"a": 1, "b": 2})
    assert decide([outer, tool("inner", "outer", "sdk", input={"a": 1, "b": 3})]) == {}
    assert decide([outer, tool("inner", "outer", "sdk", input={"a": 1, "state": 9})]) == {"inner": "outer"}
    assert decide([outer, tool("inner", "outer", "sdk")]) == {"inner": "outer"}


def test_a_failed_attempt_below_a_call_that_succeeded_is_a_call_that_failed():
    asked = {"input": {"": 1}}
    outer = llm("outer", **asked)
    refused = llm("refused", "outer", "sdk", tokens=None, status="error", **asked)
    answered = llm("answered", "outer", "sdk", **asked)
    assert decide([outer, refused, answered]) == {"answered": "outer"}
    assert decide([tool("outer"), tool("inner", "outer", "sdk", status="error")]) == {}


def test_of_attempts_that_all_failed_one_is_the_call_around_them():
    attempts = [llm(each, "outer", "sdk", tokens=None, status="error") for each in ("1", "2", "3")]
    assert decide([llm("outer", tokens=None, status="error"), *attempts]) == {"1": "outer"}


def test_a_failure_is_not_hidden_by_the_answer_that_it_came_from():
    outer = llm("outer", tokens=None, status="error")
    assert decide([outer, llm("inner", "outer", "sdk")]) == {}
    assert decide([tool("client", status="error"), tool("server", "client", "sdk")]) == {"server": "client"}


def test_a_tool_that_calls_another_one_is_two_calls():
    assert decide([tool("a", name="plan"), tool("b", "a", "sdk", name="search")]) == {}


def test_the_name_of_a_server_may_stand_before_the_tools_of_the_outer_call():
    names = [("clock__shout", "shout"), ("announce", "nounce"), ("search", "web_search")]
    found = [decide([tool("a", name=one), tool("b", "a", "sdk", name=other)]) for one, other in names]
    assert found == [{"b": "a"}, {}, {}]


def test_agents_are_the_same_by_name():
    assert decide([agent("a"), agent("b", "a", "sdk")]) == {"b": "a"}
    assert decide([agent("a"), agent("b", "a", "sdk", name="other")]) == {}
    assert decide([agent("a", name=None), agent("b", "a", "sdk", name=None)]) == {}


# Propagated context.


def test_both_ends_of_a_tool_call_over_mcp_are_one_call_even_of_one_recorder():
    rpc = between("rpc", "client", "rpc", is_server=True)
    assert decide([tool("client"), rpc, tool("server", "rpc")]) == {"server": "client"}
    assert decide([tool("client"), between("rpc", "client", "rpc"), tool("server", "rpc")]) == {}


def test_a_server_that_validated_its_arguments_still_serves_the_clients_call():
    rpc = between("rpc", "client", "rpc", is_server=True)
    assert decide([tool("client", input={"a": 1}), rpc, tool("server", "rpc", input={"a": 2})]) == {"server": "client"}


def test_a_gateway_that_passes_a_call_on_makes_a_call_of_its_own():
    first, second = between("rpc1", "a", "rpc", is_server=True), between("rpc2", "c", "rpc", is_server=True)
    spans = [tool("a", by="p1"), first, tool("b", "rpc1", "p2"), tool("c", "b", "p2"), second, tool("d", "rpc2", "p3")]
    assert decide(spans) == {"b": "a", "d": "c"}


# Which one counts.


def test_the_outermost_that_knows_its_tokens_counts():
    spans = [llm("a", tokens=None), llm("b", "a", "router"), llm("c", "b", "sdk")]
    assert decide(spans) == {"a": "b", "c": "b"}


def test_one_that_knows_its_cost_counts_before_one_that_knows_its_tokens_alone():
    assert decide([llm("a"), llm("b", "a", "sdk", has_cost=True)]) == {"a": "b"}
    assert decide([llm("a", has_cost=True), llm("b", "a", "sdk", has_cost=True)]) == {"b": "a"}


def test_one_that_knows_what_its_provider_charged_counts_before_one_with_a_price_of_the_list():
    charged = llm("b", "a", "sdk", has_cost=True, is_charged=True)
    assert decide([llm("a", has_cost=True), charged]) == {"a": "b"}
    assert decide([llm("a", has_cost=True, is_charged=True), charged]) == {"b": "a"}


def test_a_loop_without_tokens_is_one_with_the_first_of_its_calls_and_all_of_them_count():
    loop = llm("loop", tokens=None)
    assert decide([loop, llm("1", "loop", "sdk", start_ns=1), llm("2", "loop", "sdk", start_ns=2)]) == {"loop": "1"}


def test_two_side_by_side_are_one_call_only_if_they_say_so():
    outer = llm("outer", tokens=None)
    one, other = llm("1", "outer", "one sdk", tokens=None), llm("2", "outer", "other sdk", tokens=None)
    assert len(decide([outer, one, other])) == 1
    assert len(decide([outer, llm("1", "outer", "one sdk"), llm("2", "outer", "other sdk")])) == 2


def test_where_nobody_knows_tokens_the_outermost_counts():
    assert decide([llm("a", tokens=None), llm("b", "a", "sdk", tokens=None)]) == {"b": "a"}


@pytest.mark.parametrize("ids", list(itertools.permutations("1234")))
def test_a_circle_of_calls_of_several_kinds_is_decided_wherever_the_search_begins(ids):
    one, two, three, four = ids
    nodes = [agent(one, four), agent(two, one, "sdk"), agent(three, two), llm(four, three)]
    assert decide(nodes) in ({two: one}, {three: two})


def test_a_request_that_is_above_itself_is_not_its_own_duplicate():
    call = tool("call", "request", message="tools/call 1")
    assert decide([call, rpc("request", "call", "sdk", message="tools/call 1")]) == {}


def test_circles_and_missing_parents_end_the_search():
    assert decide([llm("a", "b"), llm("b", "a", "sdk")]) == {"b": "a"}
    assert decide([llm("a", "a")]) == {}
    assert decide([llm("a", "nowhere")]) == {}
    assert decide([llm("a", "b"), llm("b", "a", "sdk"), llm("c", "a", "router")]) == {"b": "a", "c": "a"}


# Attempts of a tool call that middleware made several times.


def retried(span_id, parent=None, *, status="ok", **known):
    return tool(span_id, parent, "client", status=status, is_repeated=True, **known)


def attempt(number, *, status="error", call="call"):
    message = f"tools/call {number}"
    request = Node(f"in {number}", call, "rpc", status=status, identity=by("server", is_server=True, message=message))
    return [request, tool(f"ran {number}", request.span_id, "server", status=status)]


@pytest.mark.parametrize("last", ["ok", "error"])
@pytest.mark.parametrize("order", [1, -1])
def test_all_attempts_of_a_tool_call_over_mcp_are_that_call(last, order):
    call = retried("call", status=last, message="tools/call 3", input={"tz": 1})
    attempts = [*attempt(1), *attempt(2), *attempt(3, status=last)]
    assert decide([call, *attempts][::order]) == {node.span_id: "call" for node in attempts}


def test_each_attempt_has_one_span_of_each_recorder_and_what_else_it_called_counts():
    again = tool("then again", "in 1", "server")
    other = tool("other", "ran 2", "server", name="fetch", status="error")
    folded = decide([retried("call", message="tools/call 1"), *attempt(1), *attempt(2), again, other])
    assert folded.keys() == {"in 1", "ran 1", "in 2", "ran 2"}
    inner = [tool(f"{at} inner", f"ran {at}", "framework", status="error") for at in (1, 2)]
    folded = decide([retried("call", message="tools/call 1"), *attempt(1), *attempt(2), *inner])
    assert folded.keys() == {"in 1", "ran 1", "in 2", "ran 2", "1 inner", "2 inner"}


def test_attempts_of_an_attempt_are_the_outermost_call():
    spans = [
        tool("framework", status="ok"),
        retried("call", "framework", message="tools/call 1"),
        *attempt(1),
        retried("gateway", "in 1", status="error", message="tools/call 7"),
        *attempt(7, call="gateway"),
        *attempt(8, call="gateway"),
    ]
    spans = [
        structs.replace(node, identity=by("gateway", is_repeated=True)) if node.span_id == "gateway" else node
        for node in spans
        if node.span_id != "ran 1"
    ]
    folded = decide(spans)
    assert {folded[each] for each in ("call", "in 1", "gateway", "ran 7", "ran 8")} == {"framework"}


def test_a_call_that_made_one_attempt_hides_no_failure():
    assert decide([tool("call", by="client", message="tools/call 1"), *attempt(1)]) == {}


def test_what_a_retried_tool_of_the_same_recorder_calls_is_a_call_of_its_own():
    assert decide([retried("call"), tool("1", "call", "client"), tool("2", "call", "client", status="error")]) == {}


# Model calls of two recorders, next to each other.


def beside(span_id, by="framework", parent="agent", *, at=(0, 10), **known):
    return llm(span_id, parent, by, start_ns=at[0], end_ns=at[1], **known)


def test_spans_with_one_answer_at_one_time_are_one_call_wherever_they_are():
    framework = beside("framework", at=(0, 10), response_id="msg_1", tokens=(7, 1))
    for parent in ("agent", "other", None):
        sdk = beside("sdk", "sdk", parent, at=(2, 8), response_id="msg_1", tokens=(7, 3))
        assert decide([framework, sdk]) == decide([sdk, framework]) == {"sdk": "framework"}


def test_spans_with_one_question_and_usage_at_one_time_are_one_call_without_an_id():
    framework = beside("framework", response_id="lc_run--1", input={"": 1})
    assert decide([framework, beside("sdk", "sdk", input={"": 1}, at=(2, 8))]) == {"sdk": "framework"}
    assert decide([framework, beside("sdk", "sdk", input={"": 1}, response_id="chatcmpl-1")]) == {"sdk": "framework"}


@pytest.mark.parametrize(
    "sdk",
    [
        beside("sdk", "framework", response_id="msg_1", input={"": 1}),
        beside("sdk", "sdk", response_id="msg_1", input={"": 1}, at=(11, 12)),
        beside("sdk", "sdk", response_id="msg_1", input={"": 1}, status="error"),
        beside("sdk", "sdk", response_id="msg_1", input={"": 1}, embeds=True),
        beside("sdk", "sdk", response_id="msg_2", input={"": 1}),
        beside("sdk", "sdk", input={"": 2}),
        beside("sdk", "sdk"),
        beside("sdk", "sdk", input={"": 1}, tokens=(7, 4)),
        beside("sdk", "sdk", input={"": 1}, tokens=None),
    ],
    ids=["recorder", "time", "status", "operation", "answer", "question", "no question", "usage", "no usage"],
)
def test_spans_next_to_each_other_that_differ_in_anything_are_two_calls(sdk):
    assert decide([beside("framework", response_id="msg_1", input={"": 1}, embeds=False), sdk]) == {}


def test_of_equal_questions_asked_at_once_each_counts_once():
    asked = [beside(f"framework {at}", at=(at, 90), input={"": 1}) for at in range(4)]
    sent = [beside(f"sdk {at}", "sdk", at=(at + 10, 80), input={"": 1}) for at in range(4)]
    folded = decide([*asked, *sent])
    assert folded.keys() == {node.span_id for node in sent}
    assert len(set(folded.values())) == 4


def test_an_answer_from_a_cache_is_a_second_call():
    first, again = beside("first", response_id="msg_1"), beside("again", response_id="msg_1", at=(5, 6))
    assert decide([first, beside("sdk", "sdk", at=(1, 9), response_id="msg_1"), again]) == {"sdk": "first"}


def test_nested_spans_and_one_beside_them_are_one_call():
    nested = [beside("framework", tokens=None), llm("sdk", "framework", "sdk", response_id="msg_1", end_ns=9)]
    other = beside("other", "other", response_id="msg_1", at=(1, 9))
    assert decide([*nested, other]) == {"framework": "other", "sdk": "other"}


def test_spans_of_one_answer_belong_together_rather_than_to_a_call_around_them():
    around = beside("around", parent=None, at=(0, 50))
    nested = [beside(name, name, "around", at=(1, 9), response_id="msg_1") for name in ("framework", "sdk")]
    assert decide([around, *nested]) == {"sdk": "framework"}


def test_an_answer_that_very_many_calls_have_tells_nothing():
    pairs = [(beside(f"{at}", response_id="r"), beside(f"{at} sdk", "sdk", response_id="r")) for at in range(32)]
    family = Family()
    for node in itertools.chain(*pairs):
        family.add(node)
    assert len(family.refold()) == 32
    one_more = beside("one more", response_id="r", at=(20, 30))
    family.add(one_more)
    family.refold()
    assert family.folded == {}
    family.add(structs.replace(one_more, identity=by("framework", response_id="other")))
    family.refold()
    assert len(family.folded) == 32


# Whatever comes, in whatever order.

RECORDERS = ("one", "two", "three")
spans = st.lists(
    st.tuples(
        st.sampled_from(["llm", "tool", "agent", "rpc", "other", "workflow"]),
        st.integers(-1, 14),
        st.sampled_from([None, "add", "x_add"]),
        st.sampled_from([None, None, (7, 3), (9, 3)]),
        st.sampled_from(RECORDERS),
        st.booleans(),
        st.sampled_from([None, None, "r1", "r2"]),
        st.sampled_from([None, {"": 1}, {"": 2}]),
        st.sampled_from(["ok", "ok", "error", "running"]),
        st.sampled_from([None, None, True]),
        st.sampled_from([None, 1, 2]),
    ),
    max_size=14,
).map(
    lambda rows: [
        Node(
            str(at),
            str(parent) if parent >= 0 else None,
            kind,
            status,
            label,
            at % 3,
            end_ns,
            tokens and tokens[0] if kind == "llm" else None,
            tokens and tokens[1] if kind == "llm" else None,
            identity=by(
                recorder,
                is_server=is_server,
                response_id=response_id,
                input=given_input,
                message=f"tools/call {response_id}" if response_id and kind in ("tool", "rpc") else None,
                is_repeated=is_repeated if kind == "tool" else None,
            ),
        )
        for at, row in enumerate(rows)
        for kind, parent, label, tokens, recorder, is_server, response_id, given_input, status, is_repeated, end_ns in (
            row,
        )
    ]
)


@given(spans)
def test_what_is_folded_is_folded_into_something_of_its_kind_that_counts(nodes):
    by_id = {node.span_id: node for node in nodes}
    result = decide(nodes)
    for span_id, into in result.items():
        assert by_id[into].kind in (by_id[span_id].kind, "tool" if by_id[span_id].kind == "rpc" else None)
        assert into not in result


@given(spans)
def test_calls_of_one_recorder_in_one_process_all_count(nodes):
    alone = [msgspec.structs.replace(node, identity=by("one")) for node in nodes]
    assert decide(alone) == {}


@given(spans)
def test_no_call_counts_for_two_of_one_recorder(nodes):
    plain = [msgspec.structs.replace(node, identity=node.identity.replace("true", "false")) for node in nodes]
    by_id = {node.span_id: msgspec.json.decode(node.identity)[0] for node in plain}
    requests = {node.span_id for node in plain if node.kind == "rpc"}
    folded = [pair for pair in decide(plain).items() if pair[0] not in requests]
    for _, members in itertools.groupby(sorted(folded, key=lambda pair: pair[1]), lambda pair: pair[1]):
        pairs = list(members)
        recorders = [by_id[span_id] for span_id, _ in pairs] + [by_id[pairs[0][1]]]
        assert len(set(recorders)) == len(recorders)


@given(spans)
def test_no_recorder_loses_a_token(nodes):
    plain = [
        msgspec.structs.replace(node, identity=by(msgspec.json.decode(node.identity)[0], input={"a": at % 2}))
        for at, node in enumerate(nodes)
    ]
    folded = decide(plain)
    counted = sum(node.input_tokens or 0 for node in plain if node.span_id not in folded)
    for recorder in RECORDERS:
        assert counted >= sum(
            node.input_tokens or 0 for node in plain if msgspec.json.decode(node.identity)[0] == recorder
        )


@given(spans, st.randoms(), st.data())
def test_neither_the_order_of_arrival_nor_the_batches_matter(nodes, random, data):
    family = Family()
    begun = [
        msgspec.structs.replace(
            node, status="running", input_tokens=None, identity=node.identity.replace("true]", "null]")
        )
        for node in nodes
        if random.random() < 0.5
    ]
    arriving = random.sample(begun, len(begun)) + random.sample(nodes, len(nodes))
    while arriving:
        size = data.draw(st.integers(1, 5))
        for node in arriving[:size]:
            family.add(node)
        family.refold()
        arriving = arriving[size:]
    assert family.folded == decide(nodes)


class CountingLookUps(dict):
    count = 0

    def __getitem__(self, key):
        self.count += 1
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.count += 1
        return super().get(key, default)


def test_a_span_of_a_long_trace_does_not_have_the_whole_trace_decided_again():
    family = Family(nodes=CountingLookUps())
    family.add(agent("main"))
    for number in range(2000):
        family.add(tool(f"call {number}", "main"))
        family.add(tool(f"server {number}", f"call {number}", "server"))
    family.refold()
    family.nodes.count = 0
    family.add(tool("call", "main"))
    family.add(tool("server", "call", "server"))
    assert family.refold() == {"server": "call"}
    assert family.nodes.count < 40


@pytest.mark.parametrize("gap", [None, "http"])
def test_a_span_below_one_with_many_does_not_have_its_siblings_looked_at(gap):
    family = Family(nodes=CountingLookUps())
    family.add(agent("main"))
    if gap:
        family.add(between(gap, "main"))
    for number in range(2000):
        family.add(agent(f"sub {number}", gap or "main", name="sub"))
        family.add(tool(f"call {number}", f"sub {number}"))
    family.refold()
    family.nodes.count = 0
    running = structs.replace(agent("sub", gap or "main", name="sub"), status="running")
    for change in (running, tool("call", "sub"), structs.replace(running, status="ok")):
        family.add(change)
        assert family.refold() == {}
    assert family.nodes.count < 60


def test_a_call_of_a_long_loop_below_a_model_call_does_not_have_the_others_decided_again():
    family = Family(nodes=CountingLookUps())
    family.add(llm("loop", tokens=None, start_ns=0))
    for number in range(2000):
        family.add(llm(f"call {number}", "loop", "sdk", tokens=None, start_ns=number))
    assert family.refold() == {"call 0": "loop"}
    family.nodes.count = 0
    call = llm("call", "loop", "sdk", tokens=None, start_ns=2000)
    for change in (structs.replace(call, status="running"), call):
        family.add(change)
        assert family.refold() == {}
    assert family.nodes.count < 60
    surer = llm("surer", "loop", "sdk", tokens=None, start_ns=3000, call_id="c")
    family.add(surer)
    assert family.refold() == {}
    family.add(llm("loop", tokens=None, start_ns=0, call_id="c"))
    assert family.refold() == {"call 0": None, "surer": "loop"}


def test_a_call_of_very_many_recorders_costs_no_more_than_as_many_calls():
    family = Family(nodes=CountingLookUps())
    for number in range(500):
        family.add(llm(f"{number:03}", None if number == 0 else "000", f"recorder {number}", call_id="c"))
    assert len(family.refold()) == 15
    assert family.nodes.count < 50 * 500


@given(spans, st.randoms())
def test_what_changed_is_reported_and_nothing_else(nodes, random):
    family, known = Family(), {}
    for node in random.sample(nodes, len(nodes)):
        before = dict(known)
        if family.add(node):
            for span_id, into in family.refold().items():
                assert before.get(span_id) != into
                known[span_id] = into
        assert {span_id: into for span_id, into in known.items() if into} == family.folded


# JSON-RPC requests.


def rpc(span_id, parent=None, by="mcp", *, message="tools/call 2", is_server=False, status="ok"):
    identity = msgspec.json.encode(Identity(by, is_server, message=message)).decode()
    return Node(span_id, parent, "rpc", status=status, identity=identity)


def test_a_request_below_another_recorders_span_of_it_is_a_duplicate():
    assert decide([rpc("hook"), rpc("sdk", "hook", "lib")]) == {"sdk": "hook"}
    assert decide([tool("call", message="tools/call 2"), rpc("sdk", "call", "lib")]) == {"sdk": "call"}


@pytest.mark.parametrize(
    "other",
    [
        rpc("other", "hook"),
        rpc("other", "hook", "lib", message="tools/call 3"),
        rpc("other", "hook", "lib", message="tools/call 3", is_server=True),
        rpc("other", "hook", "lib", status="error"),
        rpc("other", "elsewhere", "lib"),
    ],
)
def test_another_request_is_one_of_its_own(other):
    assert decide([rpc("hook"), other]) == {}


def test_a_request_that_came_in_is_the_one_that_was_sent_for_whatever_call():
    for kind in ("tool", "resource", "prompt", "rpc"):
        sender = structs.replace(rpc("sent"), kind=kind)
        assert decide([sender, rpc("came", "sent", is_server=True)]) == {"came": "sent"}
        assert decide([sender, rpc("came", "sent", "lib", is_server=True)]) == {"came": "sent"}


def test_a_request_that_a_server_sends_on_is_another_though_its_id_be_the_same():
    there = rpc("came there", "sent on", is_server=True)
    nodes = [rpc("sent"), rpc("came", "sent", is_server=True), rpc("sent on", "came"), there]
    assert decide(nodes) == {"came": "sent", "came there": "sent on"}


def test_what_is_below_a_resource_or_a_prompt_is_judged_by_itself():
    for kind in ("resource", "prompt"):
        around = structs.replace(rpc("around"), kind=kind)
        inside = [tool("call", "around"), tool("again", "call", "lib")]
        assert decide([tool("outer"), structs.replace(around, parent_id="outer"), *inside]) == {"again": "call"}


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_a_request_is_folded_into_the_span_that_counts_in_any_order(order):
    nodes = [
        tool("framework", by="framework"),
        tool("call", "framework", by="mcp", message="tools/call 2"),
        rpc("hook", "call", "third"),
        rpc("sdk", "hook", "lib"),
    ]
    family = Family()
    for at in order:
        family.add(nodes[at])
        family.refold()
    assert family.folded == dict.fromkeys(("call", "hook", "sdk"), "framework")
