"""What the stub answers to a request, whatever the wire format: it follows from the request alone."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Reply:
    """What is answered to one request."""

    text: str = ""
    thought: str = ""
    calls: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    """Id, name and arguments of each tool that is asked for."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached: int = 0
    wait_s: float = 0.0
    pause_s: float = 0.0
    failures: tuple[int, int] | None = None
    ending: str = ""
    """``cut``, ``break``, ``incomplete`` or ``refuse``."""


def texts_of(content: Any) -> list[str]:
    """Every text in a request's messages, however they are nested."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        return [text for item in content for text in texts_of(item)]
    if isinstance(content, dict):
        return [
            text for key in ("text", "content", "output", "arguments", "parts") for text in texts_of(content.get(key))
        ]
    return []


def _messages(request: dict[str, Any]) -> list[dict[str, Any]]:
    found = request.get("messages", request.get("contents", request.get("input", request.get("prompt", ""))))
    if isinstance(found, list) and all(isinstance(item, dict) for item in found):
        return found
    return [{"role": "user", "content": found}]


def _kind(block: Any) -> Any:
    return block.get("type") if isinstance(block, dict) else None


def _is_result(message: dict[str, Any]) -> bool:
    blocks = message.get("content")
    return (
        message.get("role") == "tool"
        or message.get("type") == "function_call_output"
        or (isinstance(blocks, list) and any(_kind(block) == "tool_result" for block in blocks))
    )


def reply_to(request: dict[str, Any]) -> Reply:
    messages = _messages(request)
    asked = [at for at, each in enumerate(messages) if each.get("role") == "user" and not _is_result(each)]
    # A thread that the server keeps is sent the new messages alone.
    asked_at = asked[-1] if asked else -1
    results = [text for each in messages[asked_at + 1 :] if _is_result(each) for text in texts_of(each)]
    said: list[str] = []
    after: list[str] = []
    reply = Reply()
    for line in "\n".join(texts_of(messages[asked_at] if asked else "")).splitlines():
        word, _, rest = line.partition(" ")
        match word:
            case "!call" if not results:
                name, _, arguments = rest.partition(" ")
                at = len(reply.calls)
                reply.calls.append((f"call_{name}_{at}", name, json.loads(arguments or "{}")))
            case "!call" | "!schema":
                pass
            case "!say":
                reply.text = rest
            case "!after":
                after.append(rest)
            case "!think":
                reply.thought = rest
            case "!wait":
                reply.wait_s = float(rest)
            case "!pause":
                reply.pause_s = float(rest)
            case "!cached":
                reply.cached = int(rest)
            case "!fail":
                status, _, times = rest.partition(" ")
                reply.failures = int(status), int(times or 1)
            case "!cut" | "!break" | "!incomplete" | "!refuse":
                reply.ending = word[1:]
            case _:
                said.append(line)
    for word, _, text in (each.partition(" ") for each in after):
        if any(word in line for line in said):
            reply.text = text
    if results:
        reply.text = "told: " + " ".join(results)
    elif reply.calls:
        reply.text = ""
    else:
        reply.text = reply.text or "echo: " + " ".join(said)
    everything = [text for each in messages for text in texts_of(each)] + texts_of(request.get("system"))
    reply.input_tokens = sum(len(text.split()) for text in everything + texts_of(request.get("instructions")))
    reply.output_tokens = len(reply.text.split()) + len(reply.thought.split()) + 3 * len(reply.calls)
    return reply


def words_of(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]] + text.split(" ")[-1:] if text else []


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]
