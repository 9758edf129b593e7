"""An MCP server named `fetch`. It knows two pages by heart and never uses the network.

Run it with `python examples/pmo/fetch_server.py` from any MCP client.
"""

import asyncio

from toolkit.serving import ToolServer

PAGES = {
    "https://news.example/new-york": "Two model makers announce a developer day.",
    "https://news.example/london": "Rates stay where they are.",
}


def fetch(url: str) -> str:
    """Return the text of a page."""
    if url not in PAGES:
        raise LookupError(f"HTTP 404: {url}")
    return PAGES[url]


if __name__ == "__main__":
    asyncio.run(ToolServer([fetch], name="fetch").serve())
