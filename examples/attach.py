"""Record an agent made of plain functions: one line to attach, one `with` around each call.

Run it with `python examples/attach.py`, then look at it with `inspector show last`.
"""

import inspector
from inspector import context
from instrument import around


def word_count(text: str) -> int:
    """A tool: each call of it becomes a span, with its argument and its result."""
    with around("tool_call", tool_name="word_count", args={"text": text}, context=None) as call:
        result = len(text.split())
        call.set(result=result)
        return result


def agent(task: str) -> str:
    """An agent: what it calls appears below it."""
    with around("agent_call", agent="counter", input=task) as call:
        answer = f"That is {word_count(task)} words."
        call.set(result=answer)
        return answer


if __name__ == "__main__":
    inspector.attach(service="counter")
    with context.bind("my-first-session"):
        print(agent("How many words are in this sentence?"))
