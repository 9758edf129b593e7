"""A worker whose answers are judged until they are good enough."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from toolkit.agents.foreign import call, is_agent, text_of
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.workflows.deciding import decision, is_model
from toolkit.workflows.steps import take
from toolkit.workflows.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge thinks of an answer."""

    good: bool
    feedback: str = ""
    """What is wrong with it, for the one who gave it."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The last answer, and what the judge thought of it."""

    output: Any
    verdict: Verdict
    rounds: int
    """How many answers there were."""


def evaluator(name: str, worker: object, judge: object, *, max_rounds: int = 3, description: str = "") -> Workflow:
    """Return a workflow in which ``worker`` tries until ``judge`` finds its answer good; it ends in an ``Evaluated``.

    Args:
        name: What it is called in records.
        worker: The step that answers; from the second round on it is told its last answer and the feedback.
        judge: A model or an agent, or a function that takes the task and the answer and returns a ``Verdict`` or a
            bool.
        max_rounds: How many answers there may be.
        description: What it does, for agents that have it as a tool.

    Raises:
        DefinitionInvalid: ``max_rounds`` is less than 1.
    """
    if max_rounds < 1:
        raise DefinitionInvalid(f"max_rounds of {name} is {max_rounds}; expected at least 1")

    async def work(task: Any, context: ToolContext) -> Evaluated:
        told, rounds = task, 0
        while True:
            rounds += 1
            answer = await take(worker, told, context)
            verdict = await _verdict(judge, task, answer, context)
            if verdict.good or rounds == max_rounds:
                return Evaluated(answer, verdict, rounds)
            wrong = verdict.feedback or "It is not good enough."
            told = f"{text_of(task)}\n\nYour last answer:\n{text_of(answer)}\n\nWhat is wrong with it:\n{wrong}"

    return Workflow(name, work, pattern="evaluator", description=description)


async def _verdict(judge: object, task: Any, answer: Any, context: ToolContext) -> Verdict:
    if is_model(judge) or is_agent(judge):
        return await decision(judge, _question(task, answer), _read, context)
    found = await call(cast("Callable[..., Any]", judge), task, answer)
    return found if isinstance(found, Verdict) else Verdict(bool(found))


def _question(task: Any, answer: Any) -> str:
    return (
        f"Is this answer good enough?\n\nTask:\n{text_of(task)}\n\nAnswer:\n{text_of(answer)}\n\n"
        'Answer with a JSON object alone: {"good": true or false, "feedback": "<what to do better>"}'
    )


def _read(answer: Mapping[str, Any]) -> Verdict:
    good, feedback = answer.get("good"), answer.get("feedback") or ""
    if not isinstance(good, bool) or not isinstance(feedback, str):
        raise ValueError("good has to be true or false, and feedback a text")  # noqa: TRY004 - what is read is asked again for
    return Verdict(good, feedback)
