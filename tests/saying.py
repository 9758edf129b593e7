"""Messages of conversations, as OpenTelemetry has them."""


def said(role, *parts):
    return {
        "role": role,
        "parts": [{"type": "text", "content": part} if isinstance(part, str) else part for part in parts],
    }


def call(name, call_id="c1", **arguments):
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def result(text, call_id="c1", **further):
    return {"type": "tool_call_response", "id": call_id, "response": text, **further}
