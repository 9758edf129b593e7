"""Models that no SDK and no HTTP client is asked for: those that the program wrote itself.

Strands has requests and events in the form of Bedrock's Converse, whichever model it calls.
"""

from typing import Any

from inspector.integrations.botocore.answers import ConverseAnswer
from inspector.integrations.calls import Keywords, Model, is_reported
from inspector.integrations.generators import Following, collecting, followed, opened_apart
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_fields


@wrapping
def answered(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each call of a model."""
    events = original(self, *args, **kwargs)
    if is_reported("llm_generate", self):
        return events
    return followed(events, lambda: _following(self, *args, **kwargs))


def _following(
    model: Any,
    /,
    messages: Any = None,
    tool_specs: Any = None,
    system_prompt: Any = None,
    *_: Any,
    tool_choice: Any = None,
    system_prompt_content: Any = None,
    **__: Any,
) -> Following:
    def describe() -> Keywords:
        kind = type(model).__name__
        config = model.get_config()
        name = config.get("model_id") if is_fields(config) else getattr(config, "model_id", None)
        prompt: Keywords = {"modelId": name or kind, "messages": messages}
        if system := system_prompt_content or (system_prompt and [{"text": system_prompt}]):
            prompt["system"] = system
        if tool_specs:
            tools = [{"toolSpec": each} for each in tool_specs]
            prompt["toolConfig"] = {"tools": tools} | ({"toolChoice": tool_choice} if tool_choice else {})
        return {"llm": Model(None, name or kind, class_name=kind), "prompt": prompt}

    return collecting(opened_apart("llm_generate", describe, emitter="strands", subject=model), _answer)


def _answer(events: list[Any]) -> Keywords:
    whole = ConverseAnswer()
    for event in events:
        whole.add(event)
    response = whole.response()
    return {"response": response, "usage": response and response.get("usage")}
