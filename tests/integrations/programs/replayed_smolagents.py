"""Agents of smolagents: tools that give objects and fail, the Python of a model, a stream, an agent's agent, MCP.

The model does what the last message of its user says, which is what the tools gave, or how one failed.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
from smolagents import CodeAgent, LogLevel, MCPClient, OpenAIModel, Tool, ToolCallingAgent, tool

IS_RECORDED = "REPLAYED" not in os.environ
DESK = Path(__file__).with_name("replayed_desk.py")
MODEL = OpenAIModel("gpt-4o", api_base=os.environ["OPENAI_BASE_URL"], api_key="k")


@tool
def find(city: str, beds: int = 1) -> dict[str, Any]:
    """Find a room.

    Args:
        city: Where.
        beds: How many.
    """
    assert IS_RECORDED
    return {"hotel": f"Casa {city}", "beds": beds}


@tool
def fail(why: str) -> str:
    """Fail.

    Args:
        why: The reason.
    """
    assert IS_RECORDED
    raise ValueError(why)


class Tell(Tool):
    name = "tell"
    description = "Tell something."
    inputs = {"what": {"type": "string", "description": "What the model does then."}}
    output_type = "string"

    def forward(self, what: str) -> str:
        assert IS_RECORDED
        return f"so it is\n{what}"


def agent(kind: Any, *tools: Any, **more: Any) -> Any:
    return kind(tools=[find, fail, Tell(), *tools], model=MODEL, verbosity_level=LogLevel.OFF, **more)


def call(tool: str, **arguments: Any) -> str:
    return f"!call {tool} {json.dumps(arguments)}"


def code(*lines: str) -> str:
    return f"!say <code>{'; '.join(lines)}</code>"


DONE = call("final_answer", answer="done")
LAST = code("final_answer(kept)")

planner = agent(ToolCallingAgent)
told: dict[str, str] = {}
for step in planner.run(f"{call('find', city='Oslo', beds=2)}\n{call('tell', what=DONE)}", stream=True):
    if type(step).__name__ in ("ToolOutput", "FinalAnswerStep"):
        told[str(step.output)] = type(step.output).__name__
# Of tools that run side by side, either may be first.
print(sorted(told.items()))
print([step.observations for step in planner.memory.steps[1:]])
planner.run(call("fail", why="no such place"), max_steps=1)
print([str(step.error) for step in planner.memory.steps[1:]])

helper = agent(ToolCallingAgent, name="helper", description="Helps.")
manager = agent(CodeAgent, managed_agents=[helper], stream_outputs=True)
first = code("kept = [find('Lima'), helper(asked)]", "fail(next_)")
asked = {"asked": f"{call('tell', what=DONE)}", "next_": f"not there\n{LAST}"}
for step in manager.run(f"Plan.\n{first}", stream=True, additional_args=asked):
    if type(step).__name__ in ("ActionOutput", "FinalAnswerStep"):
        print(step.output)

server = StdioServerParameters(command=sys.executable, args=[str(DESK), "ledger.txt", "desk"])
with MCPClient(server, structured_output=False) as tools:
    over_mcp = agent(CodeAgent, *tools)
    first = code("kept = weather(city='Oslo')", "wipe()")
    # What the server says of its failure is no text of the model.
    print(over_mcp.run(f"Ask.\n{first}", max_steps=1))
    print([str(step.error) for step in over_mcp.memory.steps[1:]])

try:
    agent(CodeAgent).run("\n!fail 400 9")
except Exception as error:
    print(type(error).__name__, type(error.__cause__).__name__)
