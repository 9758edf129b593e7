from toolkit.declare.checks import default_of, problems_between
from toolkit.declare.config import AgentConfig, Origin


def declared(name, line=1, **values):
    lines = {
        key: line + at for at, key in enumerate(("name", "default", "servers", "tools", "agents", "history_source"))
    }
    return AgentConfig(name=name, instruction="Help.", origin=Origin("a.md", line, lines), **values)


def told(*configs, servers=()):
    return [str(each) for each in problems_between(configs, servers)]


def test_agents_that_fit_together_have_no_problem():
    assert told(declared("a", agents=("b", "c"), default=True), declared("b", agents=("c",)), declared("c")) == []


def test_an_agent_that_is_not_declared_is_named_with_the_nearest():
    assert told(declared("a", agents=("Rome",)), declared("London")) == [
        "a.md:5: agents: there is no agent 'Rome'; declared: London, a"
    ]
    assert told(declared("a", agents=("Lodon",)), declared("London")) == [
        "a.md:5: agents: there is no agent 'Lodon'; did you mean 'London'?; declared: London, a"
    ]


def test_a_server_that_is_not_configured_is_named():
    assert told(declared("a", servers=("time",))) == ["a.md:3: servers: there is no server 'time'; none is configured"]
    assert told(declared("a", servers=("tim",)), servers=("time", "fetch")) == [
        "a.md:3: servers: there is no server 'tim'; did you mean 'time'?; configured: fetch, time"
    ]


def test_a_filter_needs_its_server():
    config = declared("a", servers=("time",), tools={"fetch": ("fetch",)})
    assert told(config, servers=("time", "fetch")) == [
        "a.md:4: tools: 'fetch' is not one of its servers; add it to servers"
    ]


def test_two_agents_of_one_name_are_named_with_both_places():
    assert told(declared("a"), declared("a", 20)) == ["a.md:20: a second agent is named 'a'; the first is in a.md:1"]


def test_only_one_agent_is_the_default():
    assert told(declared("a", default=True), declared("b", default=True), declared("c", 20, default=True)) == [
        "a.md:2: default: 'a' is the default already; only one can be",
        "a.md:21: default: 'a' is the default already; only one can be",
    ]


def test_a_circle_is_drawn_once():
    assert told(declared("a", agents=("a",))) == ["a.md:5: agents: a circle, a -> a"]
    circle = (declared("a", agents=("b",)), declared("b", 10, agents=("c",)), declared("c", 20, agents=("b",)))
    assert told(*circle) == ["a.md:24: agents: a circle, b -> c -> b"]


def test_the_default_agent_is_the_one_that_says_so_or_the_first_that_is_no_child_or_the_first():
    child, parent, other = declared("c"), declared("p", agents=("c",)), declared("o", default=True)
    assert default_of([child, parent, other]) is other
    assert default_of([child, parent]) is parent
    circle = [declared("x", agents=("y",)), declared("y", agents=("x",))]
    assert default_of(circle) is circle[0]
