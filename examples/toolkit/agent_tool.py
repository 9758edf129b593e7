"""An agent as a tool: what it returns, when it fails, and what it sees of the caller's conversation.

Run it with `python examples/toolkit/agent_tool.py`.
"""

import asyncio

from toolkit import Agent, AgentTool, ScriptedModel, ToolContext, ToolResult, Turn
from toolkit.agents import AgentResult
from toolkit.content import text_content
from toolkit.models import ModelRequest


def extract(result: AgentResult) -> ToolResult:
    """Make a tool's result of an agent's."""
    return ToolResult([text_content(result.text)], metadata={"turns": result.turns})


def explain(error: Exception, context: ToolContext) -> ToolResult:
    """Tell the model to go on without."""
    del context
    return ToolResult.error(f"the expert is not available ({type(error).__name__}); answer without")


def what_i_see(request: ModelRequest) -> str:
    """Answer with what the model was sent."""
    return " | ".join(f"{each['role']}: {each.get('content')}" for each in request.messages)


async def main() -> None:
    """Ask an expert by itself, one that fails, and one that continues the caller's conversation."""
    expert = AgentTool(
        agent=Agent("expert", model=ScriptedModel("42")),
        name="SomeAgent",
        description="Some description of this agent tool.",
        output_extractor=extract,
        on_error_func=explain,
    )
    result = await expert({"message": "What is the answer?"})
    print(result.text, result.metadata)
    print((await expert({"message": "And the question?"})).text)

    listener = AgentTool(Agent("listener", model=ScriptedModel([what_i_see])), thread="fork")
    caller = Agent(
        "caller",
        model=ScriptedModel([Turn(calls=[("agent__listener", {"message": "What did they say?"})]), "I see."]),
        tools=[listener],
    )
    run = await caller.run("It is raining.")
    print(run.messages[2].get("content"))


if __name__ == "__main__":
    asyncio.run(main())
