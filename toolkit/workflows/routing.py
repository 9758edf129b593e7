"""One step out of several, picked for each input."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from toolkit.agents.foreign import call, described, is_agent, text_of
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.workflows.deciding import decision, is_model
from toolkit.workflows.steps import take
from toolkit.workflows.workflow import Workflow


def router(name: str, routes: Mapping[str, object], *, by: object, description: str = "") -> Workflow:
    """Return a workflow that gives its input to one of ``routes``.

    Args:
        name: What it is called in records.
        routes: Steps by name. A model that picks is told their names and descriptions.
        by: A model or an agent, or a function that takes the input and returns a name.
        description: What it does, for agents that have it as a tool.

    Raises:
        DefinitionInvalid: There is no route.
    """
    if not routes:
        raise DefinitionInvalid(f"the router {name!r} has no routes")
    routes = dict(routes)

    async def work(task: Any, context: ToolContext) -> Any:
        if is_model(by) or is_agent(by):
            picked = await decision(by, _question(routes, task), lambda answer: _route(routes, answer), context)
        else:
            picked = await call(cast("Callable[..., Any]", by), task)
        if not isinstance(picked, str) or picked not in routes:
            raise DefinitionInvalid(f"{name} was routed to {picked!r}; its routes are {', '.join(routes)}")
        return await take(routes[picked], task, context)

    return Workflow(name, work, pattern="router", description=description)


def _question(routes: Mapping[str, object], task: Any) -> str:
    listed = "\n".join(f"- {name}: {described(step)}" for name, step in routes.items())
    return (
        f"Who should do this task?\n\nTask:\n{text_of(task)}\n\nThere are:\n{listed}\n\n"
        'Answer with a JSON object alone: {"route": "<one of the names>"}'
    )


def _route(routes: Mapping[str, object], answer: Mapping[str, Any]) -> str:
    found = answer.get("route")
    if not isinstance(found, str) or found not in routes:
        raise ValueError(f"route is {found!r}; expected one of {', '.join(routes)}")
    return found
