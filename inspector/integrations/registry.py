"""The supported frameworks, each with the module whose import turns its integration on."""

import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version


@dataclass(frozen=True, slots=True)
class Integration:
    """One framework, and the module of ours that makes it emit hooks: ``inspector.integrations.<name>``.

    That module has a function ``install(patches)``. It runs right after ``trigger`` was imported, may import whatever
    of the framework it needs, and adds to ``patches`` how each change is undone.
    """

    name: str
    """The name that switches it off."""
    distribution: str
    """The name of its package, as installed."""
    trigger: str
    """The module whose import means that the framework is in use."""
    since: tuple[int, ...]
    """The oldest version that is tested."""
    before: tuple[int, ...]
    """The first version that is not known to work."""


INTEGRATIONS: tuple[Integration, ...] = (
    Integration("ag2", "ag2", "ag2", (1, 2), (2,)),
    Integration("agent_framework", "agent-framework-core", "agent_framework", (1,), (2,)),
    Integration("agno", "agno", "agno", (3, 1), (4,)),
    Integration("aiohttp", "aiohttp", "aiohttp", (3, 10), (4,)),
    Integration("anthropic", "anthropic", "anthropic", (1, 9), (3,)),
    Integration("autogen", "autogen-core", "autogen_core", (0, 7), (0, 8)),
    Integration("botocore", "botocore", "botocore.client", (1, 44), (2,)),
    Integration("celery", "celery", "celery", (5, 4), (6,)),
    Integration("chainlit", "chainlit", "chainlit", (2,), (3,)),
    Integration("claude_agent_sdk", "claude-agent-sdk", "claude_agent_sdk", (0, 2), (0, 3)),
    Integration("crewai", "crewai", "crewai", (1, 15), (2,)),
    Integration("django", "django", "django.core.handlers.base", (5, 2), (7,)),
    Integration("dramatiq", "dramatiq", "dramatiq", (1, 17), (3,)),
    Integration("dspy", "dspy", "dspy", (3, 4), (4,)),
    Integration("fast_agent", "fast-agent-mcp", "fast_agent", (0, 10), (0, 11)),
    Integration("flask", "flask", "flask.app", (3,), (4,)),
    Integration("google_adk", "google-adk", "google.adk", (2, 13), (3,)),
    Integration("gradio", "gradio", "gradio", (6,), (7,)),
    Integration("haystack", "haystack-ai", "haystack", (3, 4), (4,)),
    Integration("httpx", "httpx", "httpx", (0, 27), (1,)),
    Integration("httpx2", "httpx2", "httpx2", (2,), (3,)),
    Integration("ipython", "ipython", "IPython.core.interactiveshell", (8,), (10,)),
    Integration("langchain", "langchain-core", "langchain_core", (1,), (2,)),
    Integration("litellm", "litellm", "litellm", (1, 105), (2,)),
    Integration("llama_index", "llama-index-core", "llama_index.core", (0, 14), (0, 15)),
    Integration("mcp", "mcp", "mcp", (1, 27), (3,)),
    Integration("mcp_agent", "mcp-agent", "mcp_agent", (0, 2), (0, 3)),
    Integration("openai", "openai", "openai", (2,), (4,)),
    Integration("openai_agents", "openai-agents", "agents", (0, 14), (0, 30)),
    Integration("pydantic_ai", "pydantic-ai-slim", "pydantic_ai", (2,), (3,)),
    Integration("requests", "requests", "requests", (2, 31), (3,)),
    Integration("rq", "rq", "rq", (2,), (4,)),
    Integration("semantic_kernel", "semantic-kernel", "semantic_kernel", (1, 45), (2,)),
    Integration("smolagents", "smolagents", "smolagents", (1, 26), (2,)),
    Integration("starlette", "starlette", "starlette.applications", (0, 40), (2,)),
    Integration("strands", "strands-agents", "strands", (1, 62), (2,)),
    Integration("streamlit", "streamlit", "streamlit", (1, 60), (2,)),
    Integration("threading", "Python", "threading", (3, 11), (4,)),
    Integration("uvicorn", "uvicorn", "uvicorn.server", (0, 30), (1,)),
)

SERVERS: frozenset[str] = frozenset(("django", "flask", "starlette", "uvicorn"))
"""Integrations that record requests of servers, as OpenTelemetry's instrumentors do; their spans replace ours."""

JOBS: frozenset[str] = frozenset(("celery", "chainlit", "dramatiq", "gradio", "rq", "streamlit"))
"""Integrations that make each job a run; the spans of OpenTelemetry's instrumentors replace ours."""

HTTP_CLIENTS: frozenset[str] = frozenset(("aiohttp", "httpx", "httpx2", "requests"))
"""Integrations that record only requests to models; OpenTelemetry's instrumentors record every request."""

STANDARD_LIBRARY: frozenset[str] = frozenset(("threading",))
"""Integrations of the standard library: that a program imports it means nothing, and is not recorded."""


def loaded_versions() -> dict[str, str]:
    """Return the versions of the frameworks and clients that the program has imported."""
    versions: dict[str, str] = {}
    for integration in INTEGRATIONS:
        if integration.trigger in sys.modules:
            with suppress(PackageNotFoundError):
                versions[integration.distribution] = version(integration.distribution)
    return versions
