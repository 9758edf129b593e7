"""Model calls: mcp-agent's tasks that ask providers."""

from functools import partial
from typing import Any, Final

from inspector.integrations.calls import Keywords, Model, awaited, opened
from inspector.integrations.mcp_agent.agents import model_ended
from inspector.integrations.patches import Patches, wrapping

_TASKS: Final = (
    ("anthropic", "AnthropicCompletionTasks", "anthropic"),
    ("azure", "AzureCompletionTasks", "azure.ai.inference"),
    ("azure", "AzureOpenAICompletionTasks", "azure.ai.openai"),
    ("bedrock", "BedrockCompletionTasks", "aws.bedrock"),
    ("google", "GoogleCompletionTasks", "gcp.gemini"),
    ("ollama", "OllamaCompletionTasks", "ollama"),
    ("openai", "OpenAICompletionTasks", "openai"),
)
_REQUESTS: Final = ("request_completion_task", "request_structured_completion_task")
_UNSENT: Final = frozenset({"extra_headers", "http_client", "api_key", "timeout"})


def wrap_models(patches: Patches) -> None:
    """Wrap the tasks of each provider's class."""
    for module, owner, provider in _TASKS:
        name = f"mcp_agent.workflows.llm.augmented_llm_{module}"
        patches.once_imported(
            name, lambda module, owner=owner, provider=provider: _wrap(patches, module, owner, provider)
        )


def _wrap(patches: Patches, module: Any, owner: str, provider: str) -> None:
    tasks = getattr(module, owner, module)
    for name in _REQUESTS:
        # Not every provider has structured answers.
        if name == _REQUESTS[0] or hasattr(tasks, name):
            patches.wrap(tasks, name, wrapping(partial(_requested, provider)))


async def _requested(provider: str, original: Any, /, request: Any, *args: Any, **kwargs: Any) -> Any:
    call = opened("llm_generate", lambda: _request(request, provider), emitter="mcp_agent")
    try:
        response = await awaited(call, original(request, *args, **kwargs), _response)
    except BaseException as exc:
        model_ended(exc)
        raise
    model_ended(None)
    return response


def _request(request: Any, provider: str) -> Keywords:
    payload: Any = getattr(request, "payload", None)
    if payload is None:
        payload = {"model": request.model, "messages": [{"role": "user", "content": request.response_str}]}
    prompt = {name: value for name, value in dict(payload).items() if name not in _UNSENT and value is not None}
    return {"llm": Model(provider, prompt.get("model") or prompt.get("modelId")), "prompt": prompt}


def _response(response: Any) -> Keywords:
    return {"response": response, "usage": getattr(response, "usage", None)}
