import json

import openai  # noqa: F401

from instrument import around

with around("tool_call", tool_name="add", args={"a": 1}, context=None) as call:
    call.set(result=3)
print(json.dumps({"calls": 1}))
