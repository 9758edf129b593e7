"""A model plans, workers carry out the plan, and the model puts their results together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from toolkit.agents.foreign import described, text_of
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.shapes import member
from toolkit.workflows.deciding import decision, tell
from toolkit.workflows.steps import at_once, named, take
from toolkit.workflows.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Task:
    """What one worker is to do."""

    worker: str
    task: str


def orchestrator(
    name: str,
    *workers: object,
    by: object,
    max_steps: int = 10,
    max_parallel: int | None = None,
    description: str = "",
) -> Workflow:
    """Return a workflow in which a model makes a plan of steps, each of tasks for workers, and sums up the results.

    The tasks of a step are done at the same time, and each knows the results of the steps before. A worker that fails
    does not end the work: the model that sums up is told what failed.

    Args:
        name: What it is called in records.
        workers: Agents, tools with one argument, workflows or functions of one text; their descriptions tell the
            model what they are good for.
        by: The model or the agent that plans and sums up.
        max_steps: How many steps a plan may have.
        max_parallel: How many tasks of a step are done at a time; None for all.
        description: What it does, for agents that have it as a tool.

    Raises:
        DefinitionInvalid: There is no worker, or two have one name.
    """
    known = _by_name(name, workers)

    async def work(task: Any, context: ToolContext) -> str:
        wanted = text_of(task)
        question = _question(known, wanted, max_steps)
        plan = await decision(by, question, partial(_read, known, max_steps), context)
        results: list[str] = []
        for step in plan:
            done = tuple(results)
            results += await at_once([partial(_do, known, each, done, context) for each in step], max_parallel)
        said = "\n\n".join(results)
        return await tell(by, f"Task:\n{wanted}\n\nResults:\n{said}\n\nAnswer the task from these results.", context)

    return Workflow(name, work, pattern="orchestrator", description=description)


def _by_name(name: str, workers: Sequence[object]) -> dict[str, object]:
    known = {named(each): each for each in workers}
    if not known or len(known) < len(workers):
        what = "two workers of one name" if known else "no workers"
        raise DefinitionInvalid(f"the orchestrator {name!r} has {what}")
    return known


def _question(workers: Mapping[str, object], task: str, max_steps: int) -> str:
    listed = "\n".join(f"- {name}: {described(each)}" for name, each in workers.items())
    return (
        f"Make a plan for this task.\n\nTask:\n{task}\n\nWorkers:\n{listed}\n\n"
        f"A plan has at most {max_steps} steps; the tasks of a step are done at the same time, by workers that know "
        "the results of the steps before. Answer with a JSON object alone: "
        '{"steps": [[{"worker": "<name>", "task": "<what to do>"}]]}'
    )


def _read(workers: Mapping[str, object], max_steps: int, answer: Mapping[str, Any]) -> list[list[Task]]:
    steps = answer.get("steps")
    if not isinstance(steps, list) or not 1 <= len(cast("list[Any]", steps)) <= max_steps:
        raise ValueError(f"steps has to be a list of 1 to {max_steps} steps")
    return [[_task(workers, each) for each in _tasks(step)] for step in cast("list[Any]", steps)]


def _tasks(step: Any) -> Iterable[Any]:
    if not isinstance(step, list) or not step:
        raise ValueError("each step has to be a list of tasks")
    return cast("list[Any]", step)


def _task(workers: Mapping[str, object], value: Any) -> Task:
    worker, task = member(value, "worker"), member(value, "task")
    if not isinstance(worker, str) or worker not in workers:
        raise ValueError(f"worker is {worker!r}; expected one of {', '.join(workers)}")
    if not isinstance(task, str) or not task:
        raise ValueError(f"the task of {worker} has to be a text")
    return Task(worker, task)


async def _do(workers: Mapping[str, object], task: Task, done: Sequence[str], context: ToolContext) -> str:
    told = "\n\n".join([task.task, "Results so far:", *done]) if done else task.task
    try:
        result = text_of(await take(workers[task.worker], told, context))
    except Exception as error:  # noqa: BLE001 - the others go on, and the model is told
        result = f"failed: {error}"
    return f"{task.worker} ({task.task}):\n{result}"
