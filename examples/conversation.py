"""Group runs into a session: each turn of a conversation is a run of its own, and the session holds them together.

Run it with `python examples/conversation.py`, then look at it with `inspector sessions`.
"""

import inspector
from inspector import context
from instrument import around


def turn(question: str) -> str:
    """One run of the agent: what is called inside `agent_call` is this agent's."""
    with around("agent_call", agent="planner", input=question) as call:
        with around("tool_call", tool_name="look_up", args={"about": question}, context=None) as look_up:
            look_up.set(result=len(question))
        answer = f"I looked up: {question}"
        call.set(result=answer)
        return answer


if __name__ == "__main__":
    inspector.attach(service="travel")
    with context.bind("trip-42"):
        for question in ("Where is it warm in November?", "What does it cost to get there?"):
            print(turn(question))
