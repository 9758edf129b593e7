# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "anthropic==2.12.0",
# ]
# ///
"""A message and a loop of tool calls, by the spans of Anthropic's own package."""

from contextlib import suppress

from anthropic import Anthropic, BadRequestError, beta_tool
from exporting import exporting, model
from opentelemetry import trace


@beta_tool
def weather(city: str) -> str:
    """Tells the weather."""
    return f"sunny in {city}"


@beta_tool
def broken() -> str:
    """Fails."""
    raise RuntimeError("no weather today")


with model() as url, exporting("anthropic") as provider:
    trace.set_tracer_provider(provider)
    client = Anthropic(
        base_url=url, api_key="none", max_retries=0, open_telemetry={"traces": {"content_mode": "content"}}
    )
    given = {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": "Be short."}
    asked = '!think Where?\n!cached 2\n!call weather {"city": "Paris"}\n!call broken'
    client.beta.messages.tool_runner(
        messages=[{"role": "user", "content": asked}], tools=[weather, broken], **given
    ).until_done()
    with suppress(BadRequestError):
        client.messages.create(messages=[{"role": "user", "content": "!fail 400 1"}], **given)
