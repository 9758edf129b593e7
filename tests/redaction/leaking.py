"""A program that has a secret wherever a hook can carry one: run as ``leaking.py COUNT``, recorded from outside."""

import base64
import contextlib
import json
import logging
import os
import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))

from planted import secrets

from instrument import around


def call(at: int, text: str) -> None:
    """One call with the text in one of its places, which take turns."""
    place = at % 12
    args = {"note": text, "nested": [{"deep": [text]}]} if place == 0 else {"n": at}
    if place == 1:
        args = {"body": json.dumps({"inner": json.dumps({"text": text})})}
    if place == 2:
        args = {"data": text.encode(), text: 1}
    if place == 3:
        args = {"object": SimpleNamespace(field=text), "b64": base64.b64encode(text.encode()).decode()}
    with contextlib.suppress(ValueError), around("tool_call", tool_name="t", args=args, context=None) as tool:
        if place == 4:
            raise ValueError(f"401: {text}") from KeyError(text)
        if place == 5:
            logging.getLogger("leaking").warning("sent %s", text)
        tool.set(result={"content": [{"type": "text", "text": text}]} if place == 6 else "ok")
    if place == 7:
        prompt = [{"role": "system", "content": text}, {"role": "user", "content": [{"type": "text", "text": text}]}]
        with around("llm_generate", llm=SimpleNamespace(model="m"), prompt=prompt) as model:
            model.set(response={"choices": [{"message": {"role": "assistant", "content": text}}]}, usage=None)
    if place == 8:
        with around("agent_call", agent=f"agent {text}", input=text) as agent:
            agent.set(result=text)
    if place == 9:
        envelope = {
            "jsonrpc": "2.0",
            "id": at,
            "method": "tools/call",
            "params": {"name": "t", "arguments": {"x": text}},
        }
        with around("rpc_request", envelope=envelope, transport="stdio") as rpc:
            rpc.set(envelope={"jsonrpc": "2.0", "id": at, "result": {"content": text}}, duration_ms=1.0)
    if place == 10:
        with around("resource_fetch", uri=f"https://a.example/{text}", context=None) as resource:
            resource.set(content=text.encode(), mime_type="text/plain")
    if place == 11:
        with around("prompt_apply", template_id="p", parameters={"x": text}, context=None) as prompted:
            prompted.set(rendered=[{"role": "user", "content": text}])


def main() -> None:
    # Else Python prints what is logged.
    logging.getLogger().addHandler(logging.NullHandler())
    planted = secrets(int(sys.argv[1]))
    for at, (text, _) in enumerate(planted):
        call(at, text)
    if "--killed" in sys.argv:
        # What still runs is written as it began; then nothing is tidied up.
        import inspector

        opened = around("tool_call", tool_name="last", args={"note": planted[0][0]}, context=None)
        opened.__enter__()
        inspector.attach().flush(10)
        os._exit(9)


if __name__ == "__main__":
    main()
