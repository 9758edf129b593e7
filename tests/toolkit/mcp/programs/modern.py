"""An MCP server that knows no handshake, written by hand: it speaks the revision of 2026-07-28 alone."""

import json
import sys

VERSION = "2026-07-28"
DONE = {"resultType": "complete"}
FRESH = {"ttlMs": 0, "cacheScope": "private"}
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("now", "book", "odd")]
FORM = {"type": "object", "properties": {}}
QUESTION = {"method": "elicitation/create", "params": {"message": "Sure?", "requestedSchema": FORM}}


def answer(request):
    match request["method"]:
        case "server/discover":
            return {"result": {**DONE, **FRESH, "supportedVersions": [VERSION], "capabilities": {"tools": {}}}}
        case "tools/list":
            return {"result": {**DONE, **FRESH, "tools": TOOLS}}
        case "tools/call" if request["params"]["name"] == "book":
            return {"result": {"resultType": "input_required", "inputRequests": {"sure": QUESTION}}}
        case "tools/call" if request["params"]["name"] == "odd":
            return {"result": {**DONE, "content": "noon"}}
        case "tools/call":
            return {"result": {**DONE, "content": [{"type": "text", "text": "noon"}]}}
    data = {"supported": [VERSION], "requested": "2025-11-25"}
    return {"error": {"code": -32022, "message": "unsupported protocol version", "data": data}}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer(message)}), flush=True)
