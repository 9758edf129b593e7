"""Steps at the same time."""

from functools import partial
from typing import Any

from toolkit.agents.foreign import Conversing, text_of
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.workflows.steps import at_once, named, take
from toolkit.workflows.workflow import Workflow


def parallel(
    name: str, *steps: object, join: object = None, max_parallel: int | None = None, description: str = ""
) -> Workflow:
    """Return a workflow in which all steps work on the same input, and ``join`` makes one result of theirs.

    Args:
        name: What it is called in records.
        steps: Work at the same time; when one fails, the others are cancelled and its exception is raised.
        join: A step that gets the list of results, in the order of the steps; an agent gets them as text, each below
            its step's name. Without it the list is the result.
        max_parallel: How many may work at a time; None for all.
        description: What it does, for agents that have it as a tool.

    Raises:
        DefinitionInvalid: There is no step, or ``max_parallel`` is less than 1.
    """
    if not steps:
        raise DefinitionInvalid(f"the parallel workflow {name!r} has no steps")
    if max_parallel is not None and max_parallel < 1:
        raise DefinitionInvalid(f"max_parallel of {name} is {max_parallel}; expected at least 1, or None for no limit")

    async def work(task: Any, context: ToolContext) -> Any:
        results = await at_once([partial(take, step, task, context) for step in steps], max_parallel)
        if join is None:
            return results
        told: Any = results
        if isinstance(join, Conversing):
            parts = zip(steps, results, strict=True)
            said = [f"{named(step)}:\n{text_of(result)}" for step, result in parts]
            told = "\n\n".join([f"Task:\n{text_of(task)}", *said])
        return await take(join, told, context)

    return Workflow(name, work, pattern="parallel", description=description)
