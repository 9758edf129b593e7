"""A host whose model calls the tools of its participants, and asks those that declare none.

Run it with `python examples/toolkit/structured_host.py`.
"""

import asyncio
from typing import Any

from toolkit import Agent, ScriptedModel, StructuredLLMHost, Turn, mcp_route, tool


class AnalysisAgent(Agent):
    """Takes texts apart."""

    @tool
    @mcp_route("/analyze")
    async def analyze_sentiment(self, text: str) -> dict[str, Any]:
        """Analyze sentiment of text."""
        return {"sentiment": "positive" if "good" in text else "neutral", "score": 0.8}

    @tool
    async def extract_keywords(self, text: str, max_keywords: int = 5) -> list[str]:
        """Extract keywords from text."""
        return [word for word in text.split() if len(word) > 4][:max_keywords]


async def main() -> None:
    """Have two participants work for the host, and let one of them leave."""
    host = StructuredLLMHost(
        "coordinator",
        ScriptedModel(
            [
                Turn(
                    calls=[
                        ("ANALYZER__analyze_sentiment", {"text": "a good day"}),
                        ("ANALYZER__extract_keywords", {"text": "bright sunny weather", "max_keywords": 2}),
                        ("agent__POET", {"message": "a line, please"}),
                    ]
                ),
                "Positive, bright and sunny.",
            ],
            name="gpt-4",
        ),
        {"ANALYZER": AnalysisAgent("analyzer")},
    )
    host.join("POET", Agent("poet", model=ScriptedModel("The sun came out.")))
    print([each.name for each in host.definitions()])
    run = await host.run("How was the day?")
    for message in run.messages:
        print(message["role"], "-", message.get("content"))
    host.leave("POET")
    print(list(host.participants))


if __name__ == "__main__":
    asyncio.run(main())
