"""An agent of Google ADK over a live connection to a model of the program's own, which asks for a tool."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from google.adk.agents import LiveRequestQueue, LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.runners import InMemoryRunner
from google.genai import types


def find(city: str) -> dict[str, str]:
    """Find a room."""
    return {"hotel": f"Casa {city}"}


class Connected(BaseLlmConnection):
    def __init__(self) -> None:
        self.sent: asyncio.Queue[types.Content] = asyncio.Queue()

    async def send_history(self, history: list[types.Content]) -> None:
        pass

    async def send_content(self, content: types.Content) -> None:
        self.sent.put_nowait(content)

    async def send_realtime(self, blob: types.Blob) -> None:
        pass

    async def receive(self) -> AsyncGenerator[LlmResponse, None]:
        told = (await self.sent.get()).parts[0].function_response
        call = types.FunctionCall(id="live-1", name="find", args={"city": "Oslo"})
        said = types.Part(text=f"told: {told.response}") if told else types.Part(function_call=call)
        yield LlmResponse(content=types.Content(role="model", parts=[said]), turn_complete=bool(told))

    async def close(self) -> None:
        pass


class Live(BaseLlm):
    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        raise NotImplementedError
        yield

    @asynccontextmanager
    async def connect(self, llm_request: LlmRequest) -> AsyncIterator[BaseLlmConnection]:  # noqa: ARG002
        yield Connected()


async def main() -> None:
    asked = LiveRequestQueue()
    asked.send_content(types.Content(role="user", parts=[types.Part(text="a room")]))
    async with InMemoryRunner(LlmAgent(name="planner", model=Live(model="live"), tools=[find]), app_name="trip") as run:
        held = await run.session_service.create_session(app_name="trip", user_id="u")
        async with aclosing(run.run_live(user_id="u", session_id=held.id, live_request_queue=asked)) as events:
            async for event in events:
                if event.turn_complete:
                    break


asyncio.run(main())
