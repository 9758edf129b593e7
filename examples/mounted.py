"""Show the inspector inside your own FastAPI application, which records itself.

Run it with `python examples/mounted.py`, open the printed address, then call http://127.0.0.1:8000/add?a=1&b=2 and look
again.
"""

import os

import uvicorn
from fastapi import FastAPI

import inspector
from instrument import around

PORT = int(os.environ.get("PORT", "8000"))

app = FastAPI()


@app.get("/add")
async def add(a: int, b: int) -> int:
    """An endpoint whose work is recorded as a tool call."""
    async with around("tool_call", tool_name="add", args={"a": a, "b": b}, context=None) as call:
        call.set(result=a + b)
        return a + b


if __name__ == "__main__":
    inspector.attach(service="calculator")
    path = inspector.mount(app)
    print(f"http://127.0.0.1:{PORT}{path}", flush=True)
    uvicorn.run(app, port=PORT, log_level="warning")
