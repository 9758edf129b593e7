import pytest

from toolkit.agents import Limits
from toolkit.agents.options import AgentOptions, SharedOptions
from toolkit.declare.cards import load_cards, read_cards
from toolkit.declare.config import CARD_KEYS, PYTHON_KEYS, AgentConfig, Declared, Origin
from toolkit.errors import CardInvalid, ToolkitError

EVERYTHING = """
    ---
    type: agent
    schema_version: 1
    name: PMO orchestrator
    description: Asks others.
    default: true
    model: openai:gpt-5-mini
    servers:
      - time
      - fetch
    tools:
      time: [get_time]
    function_tools:
      - tools.py:add_one
    agents:
      - NY-Project-Manager
    tool_hooks:
      - hooks.py:audit_hook
    use_history: false
    messages: history.md
    history_source: orchestrator
    history_merge_target: child
    max_parallel: 128
    child_timeout_sec: 120
    limits: {depth: 3, tokens: 100000}
    max_display_instances: 5
    max_turns: 7
    output: types.py:Report
    ---

    Get project updates.

    Be brief.
    """


def declared(config):
    """The configuration without the place where it was declared."""
    return config.model_copy(update={"origin": Origin()})


def problems_of(path):
    with pytest.raises(CardInvalid) as caught:
        load_cards(path)
    return [str(each) for each in caught.value.problems]


def test_markdown_with_front_matter_is_read_into_every_field_of_a_configuration(write):
    path = write("PMO.md", EVERYTHING)
    (config,) = load_cards(path)
    assert declared(config) == AgentConfig(
        name="PMO_orchestrator",
        instruction="Get project updates.\n\nBe brief.",
        default=True,
        model="openai:gpt-5-mini",
        servers=("time", "fetch"),
        tools={"time": ("get_time",)},
        function_tools=("tools.py:add_one",),
        agents=("NY-Project-Manager",),
        use_history=False,
        messages=("history.md",),
        history_source="orchestrator",
        history_merge_target="child",
        child_timeout_sec=120.0,
        max_display_instances=5,
        description="Asks others.",
        tool_hooks=("hooks.py:audit_hook",),
        max_parallel=128,
        limits=Limits(depth=3, tokens=100_000),
        max_turns=7,
        output="types.py:Report",
    )
    assert (config.origin.source, config.origin.base_path) == (str(path), path.parent)
    assert config.origin.problem("x", "agents").line == 15


def test_every_option_of_an_agent_is_a_key_of_cards_and_of_decorators():
    assert SharedOptions.__annotations__.keys() <= AgentOptions.__annotations__.keys() & set(PYTHON_KEYS)
    assert set(PYTHON_KEYS) == {*Declared.__annotations__, "name", "instruction"}
    assert set(CARD_KEYS) == {*PYTHON_KEYS, "type", "schema_version"}


def test_yaml_is_a_card_as_well(write):
    (config,) = load_cards(write("counter.yaml", "instruction: Count.\nservers: []\n"))
    assert declared(config) == AgentConfig(name="counter", instruction="Count.")


def test_a_card_without_a_name_has_its_files(write):
    (config,) = load_cards(write("My agent.md", "---\n---\nHelp.\n"))
    assert declared(config) == AgentConfig(name="My_agent", instruction="Help.")


def test_a_byte_order_mark_and_blank_lines_may_stand_before_the_front_matter(write):
    (config,) = load_cards(write("a.md", "\ufeff\n\n---\nname: b\n---\nHelp.\n"))
    assert config.name == "b"
    assert config.origin.lines == {"name": 4}


def test_windows_line_ends_do_not_matter(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"---\r\nname: b\r\ntype: x\r\n---\r\nHelp.\r\nMore.\r\n")
    assert problems_of(path)[0].startswith(f"{path}:3: type: expected agent, found 'x'")
    path.write_bytes(b"---\r\nname: b\r\n---\r\nHelp.\r\nMore.\r\n")
    assert load_cards(path)[0].instruction == "Help.\nMore."


def test_a_folder_is_read_by_name_without_what_is_no_card(write, tmp_path):
    write("b.md", "---\n---\nB.\n")
    write("a.yml", "instruction: A.\n")
    write("README.md", "# How to\n")
    write("tools.py", "def f(): ...\n")
    write("fastagent.config.yaml", "default_model: x\n")
    write(".hidden.yaml", "nonsense\n")
    write("deeper/c.yaml", "instruction: C.\n")
    assert [each.name for each in load_cards(tmp_path)] == ["a", "b"]


@pytest.mark.parametrize(
    "script",
    [
        "- Hi\n",
        "# turns\n- calls: []\n",
        "[Hi]\n",
        "model: gpt\nturns: [Hi]\n",
        "agents:\n  a: [Hi]\n",
        "agents: {a: [Hi]}\n",
    ],
)
def test_a_script_for_a_model_may_lie_among_cards(write, tmp_path, script):
    write("a.md", "---\nname: a\n---\nHelp.\n")
    write("script.yaml", script)
    assert [each.name for each in load_cards(tmp_path)] == ["a"]


@pytest.mark.parametrize("card", ["agents: [a]\n", "agents:\n  - a\n", "agents:\n- a\n", "name: b\n", ""])
def test_a_card_without_an_instruction_is_no_script(write, tmp_path, card):
    write("b.yaml", card)
    (problem,) = problems_of(tmp_path)
    assert "no instruction" in problem


def test_a_folder_without_a_card_is_refused(tmp_path):
    said = "no card in this folder: no .yaml, and no .md that begins with '---'"
    assert problems_of(tmp_path) == [f"{tmp_path}:1: {said}"]


def test_an_unknown_key_is_named_with_its_line_the_nearest_and_all_allowed(write):
    path = write("a.md", "---\nname: a\nserver: [time]\n---\nHelp.\n")
    (problem,) = problems_of(path)
    assert problem == (
        f"{path}:3: unknown key 'server'; did you mean 'servers'?; allowed: agents, child_timeout_sec, default, "
        "description, function_tools, history_merge_target, history_source, instruction, limits, "
        "max_display_instances, max_parallel, max_turns, messages, model, name, output, schema_version, "
        "servers, tool_hooks, tools, type, use_history"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("name: 12", "name: expected text, found a number; put it into quotes"),
        ("name: no", "name: expected text, found false; put it into quotes"),
        ("name: '  '", "name: expected text, found only blanks"),
        ("name: a/b", "name: 'a/b' cannot be an agent's name: 1 to 100 letters, digits, '_' or '-'"),
        ("description: [a]", "description: expected text, found a list"),
        ("default: 'yes'", "default: expected true or false, found text"),
        ("servers: time", "servers: expected a list of names, found text"),
        ("servers: [time, 3]", "servers[1]: expected text, found a number; put it into quotes"),
        ("servers: [time, time]", "servers[1]: 'time' is given twice"),
        (
            "tools: [get_time]",
            (
                "tools: expected the tools of each server, as in {time: [get_time]}, found a list; "
                "functions go into function_tools"
            ),
        ),
        ("tools: {time: get_time}", "tools.time: expected a list of names, found text"),
        (
            "function_tools: [add_one]",
            "function_tools[0]: 'add_one' does not name a function; write it as 'module.py:function'",
        ),
        (
            "tool_hooks: [os:system]",
            "tool_hooks[0]: 'os:system' does not name a function; write it as 'module.py:function'",
        ),
        ("tool_hooks: {}", "tool_hooks: expected a list of functions, as 'module.py:function', found a mapping"),
        ("tool_hooks: [3]", "tool_hooks[0]: expected a function, as 'module.py:function', found a number"),
        ("model: [a]", "model: expected the name of a model, found a list"),
        ("output: {type: object}", "output: expected a type, as 'module.py:Type', found a mapping"),
        ("output: Report", "output: 'Report' does not name a type; write it as 'module.py:Type'"),
        ("history_source: all", "history_source: expected one of none, messages, child, orchestrator, found 'all'"),
        (
            "history_merge_target: messages",
            "history_merge_target: expected one of none, child, orchestrator, found 'messages'",
        ),
        ("max_parallel: 0", "max_parallel: expected a whole number above 0, found 0"),
        ("max_parallel: true", "max_parallel: expected a whole number above 0, found true"),
        ("max_turns: 1.5", "max_turns: expected a whole number above 0, found 1.5"),
        ("limits: 3", "limits: expected a mapping, found a number"),
        (
            "limits: {dept: 3}",
            "limits: unknown key 'dept'; did you mean 'depth'?; allowed: calls, depth, tokens, turns",
        ),
        ("limits: {turns: many}", "limits.turns: expected a whole number above 0, found 'many'"),
        ("limits: {depth: 0}", "limits: Limits(depth=0): expected a number above 0, or None for no limit"),
        ("child_timeout_sec: -1", "child_timeout_sec: expected seconds above 0, found -1"),
        ("child_timeout_sec: .inf", "child_timeout_sec: expected seconds above 0, found inf"),
        ("child_timeout_sec: soon", "child_timeout_sec: expected seconds above 0, found 'soon'"),
        ("type: router", "type: expected agent, found 'router'"),
        ("schema_version: 2", "schema_version: expected 1, found 2"),
        ("instruction: Help.", "the instruction is given twice: as this key and below the front matter; keep one"),
    ],
)
def test_a_value_of_another_kind_is_named_with_what_is_expected(write, line, said):
    path = write("a.md", f"---\nuse_history: true\n{line}\n---\nHelp.\n")
    assert problems_of(path) == [f"{path}:3: {said}"]


def test_the_line_is_that_of_the_item_in_the_list(write):
    path = write("a.md", "---\nservers:\n  - time\n  - 3\ntools:\n  time:\n    - 4\n---\nHelp.\n")
    assert [each.partition(": ")[0] for each in problems_of(path)] == [f"{path}:4", f"{path}:7"]


def test_all_problems_of_all_cards_are_told_at_once(write, tmp_path):
    first = write("a.md", "---\nnam: x\nservers: 1\n---\n")
    second = write("b.md", "---\nname: b\nname: c\n---\nHelp.\n")
    write("c.md", "---\n---\nHelp.\n")
    third = write("d.yaml", "instruction: [\n")
    configs, problems = read_cards(tmp_path)
    assert [each.name for each in configs] == ["c"]
    assert [(each.source, each.line, each.message.partition(";")[0]) for each in problems] == [
        (str(first), 2, "unknown key 'nam'"),
        (str(first), 2, "no instruction: write it below the front matter, or as the key 'instruction'"),
        (str(first), 3, "servers: expected a list of names, found a number"),
        (str(second), 3, "the key 'name' is given twice"),
        (str(third), 2, "not valid YAML: expected the node content, but found '<stream end>'"),
    ]
    with pytest.raises(ToolkitError) as caught:
        load_cards(tmp_path)
    assert str(caught.value).startswith(f"{first}:2: unknown key 'nam'")
    assert str(caught.value).endswith("(and 4 more; 'toolkit check' lists them)")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("# Title\n", 1, "no front matter; a card begins with a line '---'"),
        ("\n\n---\nname: a\n", 3, "the front matter does not end; close it with a line '---'"),
        ("---\n- a\n---\nHelp.\n", 2, "expected 'key: value' lines, found a list"),
        ("---\nname: 'a\n---\nHelp.\n", 2, "not valid YAML: found unexpected end of stream"),
        (
            "---\nname: a\n\tagents: []\n---\nHelp.\n",
            3,
            "not valid YAML: found character '\\t' that cannot start any token",
        ),
        ("---\nname: a\n  agents: []\n---\nHelp.\n", 3, "not valid YAML: mapping values are not allowed here"),
        ("---\nyes: a\n---\nHelp.\n", 2, "the key 'yes' is not text; put it into quotes"),
        (
            "---\nname: !!python/object/apply:os.system [id]\n---\nHelp.\n",
            2,
            "not valid YAML: could not determine a constructor",
        ),
        (
            "---\nname: \x01\n---\nHelp.\n",
            2,
            "not valid YAML: unacceptable character #x0001: special characters are not allowed",
        ),
        ("---\nname: *b\n---\nHelp.\n", 2, "not valid YAML: found undefined alias 'b'"),
        ("---\nx: 2001-99-99\n---\nHelp.\n", 2, "not valid YAML: month must be in 1..12"),
        ("---\nname: " + "[" * 600 + "\n---\nHelp.\n", 2, "not valid YAML: too deep"),
    ],
)
def test_front_matter_that_cannot_be_read_is_named_with_its_line(tmp_path, text, line, said):
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    (problem,) = problems_of(path)
    assert problem.startswith(f"{path}:{line}: {said}")


def test_repeated_aliases_cost_nothing(write):
    levels = "\n".join(f"x{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40))
    path = write("a.yaml", f"x0: &a0 [y]\n{levels}\nname: *a39\ninstruction: Help.\n")
    problems = problems_of(path)
    assert len(problems) == 41
    assert problems[-1] == f"{path}:41: name: expected text, found a list"


@pytest.mark.parametrize(
    ("name", "data", "line", "said"),
    [
        ("a.md", b"---\nname: a\n---\n\xff\n", 4, "not valid UTF-8"),
        ("a.yaml", b"#" * (1 << 20) + b"#", 1, "larger than 1,048,576 bytes"),
        ("b.md", b"---\n#" + b"#" * (1 << 17) + b"\n---\n", 2, "more than 131072 characters of YAML"),
        ("a.txt", b"", 1, "not a card: expected .md, .markdown, .yaml, .yml"),
    ],
)
def test_a_file_that_is_no_text_of_a_card_is_refused(tmp_path, name, data, line, said):
    (tmp_path / name).write_bytes(data)
    assert problems_of(tmp_path / name) == [f"{tmp_path / name}:{line}: {said}"]


def test_a_file_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "a.md"
    assert problems_of(path) == [f"{path}:1: No such file or directory"]


def test_an_unreadable_card_in_a_folder_does_not_hide_the_others(write, tmp_path):
    (tmp_path / "a.md").write_bytes(b"---\n\xff")
    write("b.md", "---\n---\nB.\n")
    configs, problems = read_cards(tmp_path)
    assert [each.name for each in configs] == ["b"]
    assert [str(each) for each in problems] == [f"{tmp_path / 'a.md'}:2: not valid UTF-8"]
