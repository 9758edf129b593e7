"""Steps one after the other, and steps at the same time."""

import asyncio
from contextlib import nullcontext
from typing import Any

from toolkit.agents.foreign import Conversing, text_of
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.waiting import at_once
from toolkit.workflows.steps import named, take
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
        gate = nullcontext() if max_parallel is None else asyncio.Semaphore(max_parallel)

        async def one(step: object) -> Any:
            async with gate:
                return await take(step, task, context)

        tasks = await at_once(map(one, steps))
        results = [task.result() for task in tasks]
        if join is None:
            return results
        if not isinstance(join, Conversing):
            return await take(join, results, context)
        parts = [f"{named(step)}:\n{text_of(result)}" for step, result in zip(steps, results, strict=True)]
        return await take(join, "\n\n".join([f"Task:\n{text_of(task)}", *parts]), context)

    return Workflow(name, work, pattern="parallel", description=description)
