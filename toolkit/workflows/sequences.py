"""Steps one after the other."""

from typing import Any

from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.workflows.steps import take
from toolkit.workflows.workflow import Workflow


def sequence(name: str, *steps: object, description: str = "") -> Workflow:
    """Return a workflow in which each step works on what the one before it returned.

    Raises:
        DefinitionInvalid: There is no step.
    """
    if not steps:
        raise DefinitionInvalid(f"the sequence {name!r} has no steps")

    async def work(task: Any, context: ToolContext) -> Any:
        for step in steps:
            task = await take(step, task, context)
        return task

    return Workflow(name, work, pattern="sequence", description=description)
