"""The main example of each design that the toolkit joins, recorded and drawn as its user sees it."""

import re

import pytest

MANAGER = """\
├─ ✓ execute_tool {0}
│  └─ ✓ invoke_agent {0}
│     ├─ ✓ chat gpt-5-mini
│     ├─ ✓ execute_tool get_time
│     ├─ ✓ execute_tool fetch
│     └─ ✓ chat gpt-5-mini
"""
FAST_AGENT = f"""\
✓ invoke_agent PMO-orchestrator
├─ ✓ chat gpt-5-mini
├─ ✓ execute_tool get_time
{MANAGER.format("NY-Project-Manager") * 3}{MANAGER.format("London-Project-Manager")}\
├─ ✓ execute_tool add_one
├─ ✓ chat gpt-5-mini
├─ ✓ execute_tool add_one
└─ ✓ chat gpt-5-mini
"""
AGENT_FRAMEWORK = """\
✓ invoke_agent researcher
├─ ✓ chat scripted
├─ ✓ execute_tool web_search
├─ ✓ chat scripted
├─ ⊖ execute_tool web_search
├─ ✓ chat scripted
├─ ✓ execute_tool thumbnail
├─ ✓ chat scripted
├─ ✓ execute_tool Summarizer
│  └─ ✓ invoke_agent summarizer
│     └─ ✓ chat scripted
└─ ✓ chat scripted
"""
BUTTERMILK = """\
✓ invoke_agent coordinator
├─ ✓ chat gpt-4
├─ ✓ execute_tool ANALYZER__analyze_sentiment
├─ ✓ execute_tool ANALYZER__extract_keywords
├─ ✓ execute_tool POET
│  └─ ✓ invoke_agent poet
│     └─ ✓ chat scripted
└─ ✓ chat gpt-4
"""
PYAGENITY = """\
✓ invoke_workflow graph
└─ ✓ conversation
   ├─ ✓ chat scripted
   ├─ ✓ invoke_workflow ToolNode
   │  ├─ ✓ execute_tool get_weather
   │  └─ ✗ execute_tool get_news
   └─ ✓ chat scripted
"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("example", "tree"),
    [
        ("pmo/agents_as_tools_extended.py", FAST_AGENT),
        ("ports/agent_framework.py", AGENT_FRAMEWORK),
        ("toolkit/structured_host.py", BUTTERMILK),
        ("ports/pyagenity.py", PYAGENITY),
    ],
)
def test_the_main_example_of_a_design_is_drawn_as_one_tree(example, tree, root, run):
    done = run("inspector", "run", str(root / "examples" / example))
    assert done.returncode == 0, done.stderr
    shown = run("inspector", "show", "last").stdout
    drawn = re.findall(r"^((?:[│├└─ ]{3})*[✓✗⊖] \w+(?: [\w-]+)?)", shown, re.MULTILINE)
    # The servers are connected to before any agent works.
    assert [line.rstrip() for line in drawn if line != "✓ MCP"] == tree.splitlines()
