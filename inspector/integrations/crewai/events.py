"""CrewAI's events: which begin a call, which end it, and how they are read."""

import sys
from collections.abc import Callable
from typing import Any, Final, cast

from inspector.integrations.calls import Keywords, Model, Named
from inspector.integrations.providers import provider_named
from instrument.keywords import Noun


class StepFailed(Exception):
    """A failure that an event reports without its exception."""


def _crew(source: Any, event: Any) -> Keywords:
    process = getattr(getattr(source, "process", None), "value", None)
    return {"workflow": Named(event.crew_name or "crew", workflow_type=process), **_given(event.inputs)}


def _task(_: Any, event: Any) -> Keywords:
    task = event.task
    line = (task.name or task.description).strip().partition("\n")[0]
    name = line if len(line) <= _NAME_CHARS else line[: _NAME_CHARS - 1] + "…"
    return {"workflow": Named(name, workflow_type="task"), "input": task.description}


_NAME_CHARS: Final = 60


def _agent(_: Any, event: Any) -> Keywords:
    agent = event.agent
    return {"agent": Named(agent.role.strip(), getattr(agent, "goal", None)), "input": event.task_prompt}


def _lite_agent(_: Any, event: Any) -> Keywords:
    about = event.agent_info
    return {"agent": Named(str(about.get("role", "agent")).strip(), about.get("goal")), "input": event.messages}


def _flow(_: Any, event: Any) -> Keywords:
    return {"workflow": Named(event.flow_name, workflow_type="flow"), **_given(event.inputs)}


def _method(_: Any, event: Any) -> Keywords:
    return {"workflow": Named(event.method_name, workflow_type="method"), **_given(event.params)}


def _given(inputs: Any) -> Keywords:
    return {"input": inputs} if inputs else {}


_TOOL_CLASSES: Final = {
    "MCPNativeTool": "mcp",
    "MCPToolWrapper": "mcp",
    "DelegateWorkTool": "agent",
    "AskQuestionTool": "agent",
}


def _tool(_: Any, event: Any) -> Keywords:
    return {
        "tool_name": event.tool_name,
        "args": event.tool_args,
        "context": {
            "tool_source": _TOOL_CLASSES.get(str(event.tool_class), "function"),
            "agent_name": (event.agent_role or getattr(event.agent, "role", None) or "").strip() or None,
        },
    }


def _mcp_tool(_: Any, event: Any) -> Keywords:
    context = {"tool_source": "mcp", "server_name": event.server_name, "agent_name": event.agent_role}
    return {"tool_name": event.tool_name, "args": event.tool_args, "context": context}


_SAMPLING: Final = (
    "temperature",
    "top_p",
    "max_tokens",
    "stream",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "n",
)


def _model(source: Any, event: Any) -> Keywords:
    prompt = {"model": event.model, "messages": event.messages, "tools": event.tools, "stop": event.stop_sequences}
    prompt |= {name: getattr(event, name, None) for name in _SAMPLING}
    return {"llm": llm_of(source), "prompt": {name: value for name, value in prompt.items() if value is not None}}


def llm_of(source: Any) -> Model:
    """Return the description of a CrewAI model."""
    provider = str(getattr(source, "provider", "") or "")
    return Model(provider_named(provider) or None, getattr(source, "model", None))


def _output(event: Any) -> Keywords:
    output = event.output
    return {"result": getattr(output, "raw", output)}


def _result(event: Any) -> Keywords:
    return {"result": event.result}


def _paused(event: Any) -> Keywords:
    return {"result": {"paused": event.message}}


def _tool_output(event: Any) -> Keywords | BaseException:
    failure = event.failure
    return _output(event) if failure is None else StepFailed(str(failure.message))


def _answered(event: Any) -> Keywords:
    response = answer_of(event.response) | {"id": event.response_id, "finish_reason": event.finish_reason}
    usage: dict[str, Any] = dict(event.usage or ())
    if "cached_prompt_tokens" in usage:
        # In the format of OpenAI and compatible APIs.
        usage["cached_tokens"] = usage.pop("cached_prompt_tokens")
    return {"response": response, "usage": usage or None}


def answer_of(answer: Any) -> Keywords:
    """Return the result of a model's method as a message."""
    if isinstance(answer, list):
        return {"role": "assistant", "tool_calls": cast("list[Any]", answer)}
    return {"role": "assistant", "content": answer}


def _failed(event: Any) -> BaseException:
    """Return the exception being handled when the event is emitted, if the event reports it."""
    error, handled = event.error, sys.exception()
    if isinstance(error, BaseException):
        return error
    return handled if handled is not None and str(handled) in str(error) else StepFailed(str(error))


STARTS: Final[dict[str, tuple[Noun, Callable[[Any, Any], Keywords]]]] = {
    "crew_kickoff_started": ("workflow_run", _crew),
    "task_started": ("workflow_run", _task),
    "flow_started": ("workflow_run", _flow),
    "method_execution_started": ("workflow_run", _method),
    "agent_execution_started": ("agent_call", _agent),
    "lite_agent_execution_started": ("agent_call", _lite_agent),
    "llm_call_started": ("llm_generate", _model),
    "tool_usage_started": ("tool_call", _tool),
    "mcp_tool_execution_started": ("tool_call", _mcp_tool),
}
"""By the event's type: the noun that begins, and its keywords, given the event's source and the event."""

ENDS: Final[dict[str, tuple[str, Callable[[Any], Keywords | BaseException]]]] = {
    "crew_kickoff_completed": ("crew_kickoff_started", _output),
    "crew_kickoff_failed": ("crew_kickoff_started", _failed),
    "task_completed": ("task_started", _output),
    "task_failed": ("task_started", _failed),
    "flow_finished": ("flow_started", _result),
    "flow_failed": ("flow_started", _failed),
    "flow_paused": ("flow_started", _paused),
    "method_execution_finished": ("method_execution_started", _result),
    "method_execution_failed": ("method_execution_started", _failed),
    "method_execution_paused": ("method_execution_started", _paused),
    "agent_execution_completed": ("agent_execution_started", _output),
    "agent_execution_error": ("agent_execution_started", _failed),
    "lite_agent_execution_completed": ("lite_agent_execution_started", _output),
    "lite_agent_execution_error": ("lite_agent_execution_started", _failed),
    "llm_call_completed": ("llm_call_started", _answered),
    "llm_call_failed": ("llm_call_started", _failed),
    "tool_usage_finished": ("tool_usage_started", _tool_output),
    "tool_usage_error": ("tool_usage_started", _failed),
    "mcp_tool_execution_completed": ("mcp_tool_execution_started", _result),
    "mcp_tool_execution_failed": ("mcp_tool_execution_started", _failed),
}
"""By the event's type: the type of the beginning event, and the keywords or the failure of the end."""
