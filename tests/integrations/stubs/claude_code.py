"""Stands in for Claude Code: speaks its JSON over stdin and stdout, as version 2.1.332 does, by a script.

What a prompt says chooses the script.
"""

import json
import sys
from itertools import count

SESSION = "5e551011"
_requests = count(1)
_messages = count(1)
_task = {"task_id": "a1", "task_type": "local_agent", "description": "look"}
_spent = {"input_tokens": 100, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 20}


def write(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def say(kind, **members):
    common = {"type": kind, "session_id": SESSION, "parent_tool_use_id": None, "uuid": f"u{next(_requests)}"}
    write({**common, **members})


def hear():
    line = sys.stdin.readline()
    return json.loads(line) if line else None


def ask(**request):
    """Ask the SDK, and wait for what it answers; prompts do not come meanwhile."""
    write({"type": "control_request", "request_id": f"r{next(_requests)}", "request": request})
    return hear()["response"]


def use(tool_id, name, **given):
    return {"type": "tool_use", "id": tool_id, "name": name, "input": given}


def text(said):
    return {"type": "text", "text": said}


def answer(*blocks, **members):
    """Send a message of the model, a block at a time; the tokens of its output are told as they were at its start."""
    message = {"id": f"msg_{next(_messages)}", "role": "assistant", "model": "claude-x", "stop_reason": None}
    for block in blocks:
        say("assistant", message={**message, "content": [block], "usage": {**_spent, "output_tokens": 1}}, **members)


def told(tool_id, content, failed=False, decision="accept", **members):
    block = {"type": "tool_result", "tool_use_id": tool_id, "content": content, "is_error": failed}
    meta = [{"id": tool_id, "permission_decision": {"decision": decision}}]
    say("user", message={"role": "user", "content": [block]}, tool_result_meta=meta, **members)


def end(result, tokens, subtype="success", **members):
    usage = {**_spent, "output_tokens": tokens}
    failed = {
        "is_error": subtype != "success",
        "total_cost_usd": 0.25,
        "num_turns": 1,
        "duration_ms": 6,
        "duration_api_ms": 5,
    }
    say("result", subtype=subtype, result=result, usage=usage, **{**failed, **members})


def served(tool_id, name, **given):
    params = {"name": name, "arguments": given, "_meta": {"claudecode/toolUseId": tool_id}}
    message = {"jsonrpc": "2.0", "id": next(_requests), "method": "tools/call", "params": params}
    response = ask(subtype="mcp_message", server_name="calc", message=message)
    result = response["response"]["mcp_response"]["result"]
    told(tool_id, result["content"][0]["text"], failed=result.get("isError", False))


def work():
    answer(
        {"type": "thinking", "thinking": "I look.", "signature": "c2ln"},
        text("Looking."),
        use("t1", "Bash", command="echo hi"),
        use("t2", "Bash", command="exit 3"),
    )
    told("t1", "hi")
    told("t2", "Exit code 3", failed=True)
    answer(use("t3", "mcp__calc__add", a=1, b=2), use("t4", "mcp__calc__fails", a=1))
    served("t3", "add", a=1, b=2)
    served("t4", "fails", a=1)
    answer(use("t5", "Task", prompt="look below", subagent_type="scout"))
    begun = {**_task, "tool_use_id": "t5", "subagent_type": "scout", "prompt": "look below"}
    say("system", subtype="task_started", is_backgrounded=False, **begun)
    answer(use("t6", "Read", path="x"), parent_tool_use_id="t5")
    told("t6", "text of x", parent_tool_use_id="t5")
    answer(text("It says x."), parent_tool_use_id="t5")
    told("t5", [text("It says x.")])
    answer(use("t7", "Write", path="y"))
    denied = ask(subtype="can_use_tool", tool_name="Write", tool_use_id="t7", input={"path": "y"})["response"]
    told("t7", denied["message"], failed=True, decision="reject")
    answer(text("All done."))
    end("All done.", 65)


def background():
    answer(use("t1", "Task", prompt="look long", subagent_type="scout"))
    begun = {**_task, "tool_use_id": "t1", "subagent_type": "scout", "prompt": "look long"}
    say("system", subtype="task_started", is_backgrounded=True, **begun)
    told("t1", "launched", tool_use_result={"status": "async_launched"})
    answer(text("It runs."))
    end("It runs.", 9)
    answer(text("Found."), parent_tool_use_id="t1")
    done = {**_task, "status": "completed", "summary": "Found.", "output_file": "x"}
    say("system", subtype="task_notification", tool_use_id="t1", **done)
    init()
    answer(text("It is found."))
    end("It is found.", 4)


def wait():
    answer(use("t1", "Bash", command="sleep 600"))
    interrupt = hear()
    say("control_response", response={"subtype": "success", "request_id": interrupt["request_id"], "response": {}})
    told("t1", "stopped", failed=True)
    end(None, 7, "error_during_execution", terminal_reason="aborted_tools", errors=["aborted"])


def stream():
    message = {"id": "msg_s", "role": "assistant", "model": "claude-x", "content": []}
    say("stream_event", event={"type": "message_start", "message": message})
    say("stream_event", event={"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "A"}})
    usage = {**_spent, "output_tokens": 1}
    say("assistant", message={**message, "content": [use("t1", "Bash", command="ls")], "usage": usage})
    delta = {"stop_reason": "tool_use"}
    say("stream_event", event={"type": "message_delta", "delta": delta, "usage": {"output_tokens": 12}})
    say("stream_event", event={"type": "message_stop"})
    told("t1", "files")
    answer(text("Two files."))
    end("Two files.", 20)


def limit():
    answer(use("t1", "Bash", command="ls"))
    told("t1", "files")
    end(None, 11, "error_max_turns", errors=["Reached maximum number of turns (1)"])
    sys.exit(1)


def refused():
    message = {"id": "m", "model": "<synthetic>", "role": "assistant", "content": [text("API Error: 400 bad")]}
    say("assistant", message=message, error="unknown")
    end("API Error: 400 bad", 0, is_error=True)
    sys.exit(1)


def die():
    answer(text("I am"), use("t1", "Bash", command="ls"))
    sys.exit(3)


def hold():
    answer(text("Hold on."))
    hear()


def plain():
    answer(text("Hello."))
    end("Hello.", 3)


def init():
    say("system", subtype="init", model="claude-x", tools=["Bash"])


SCRIPTS = {each.__name__: each for each in (work, background, wait, stream, limit, refused, die, hold, plain)}


def main():
    while (frame := hear()) is not None:
        if frame["type"] == "control_request":
            done = {"subtype": "success", "request_id": frame["request_id"], "response": {}}
            say("control_response", response=done)
        elif frame["type"] == "user":
            script = SCRIPTS[frame["message"]["content"]]
            if script is work:
                serve()
            init()
            script()


def serve():
    info = {"name": "stub", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    ask(subtype="mcp_message", server_name="calc", message=message)
    message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    ask(subtype="mcp_message", server_name="calc", message=message)


if __name__ == "__main__":
    main()
