"""One tool of a framework's agent under controllers that let it go on, change, answer, refuse and fail it."""

import asyncio
import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import models

from instrument import control

booked: list[list[Any]] = []
"""What the tool's body was called with."""
os.environ["OPENAI_API_KEY"] = "sk-none"
ASKED = '!call book {"city": "Oslo", "seats": 4}'


def book(city: str, seats: int = 1) -> str:
    """Book seats."""
    booked.append([city, seats])
    return f"{seats} seats in {city}"


def pydantic_ai(url: str) -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    agent = Agent(OpenAIChatModel("gpt-4o", provider=OpenAIProvider(base_url=url)), name="p", tools=[book])
    return asyncio.run(agent.run(ASKED)).output


def ag2(url: str) -> Any:
    from ag2 import Agent
    from ag2.config import OpenAIConfig

    agent = Agent("planner", config=OpenAIConfig("gpt-4o", base_url=url, api_key="sk-none"), tools=[book])
    return asyncio.run(agent.ask(ASKED)).body


def agno(url: str) -> Any:
    os.environ["AGNO_TELEMETRY"] = "false"
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat

    model = OpenAIChat("gpt-4o", base_url=url, api_key="sk-none")
    return Agent(name="planner", model=model, tools=[book]).run(ASKED).content


def agent_framework(url: str) -> Any:
    from agent_framework import Agent, tool
    from agent_framework_client import OpenAIClient

    agent = Agent(OpenAIClient(base_url=url), name="a", tools=[tool(book, approval_mode="never_require")])
    return asyncio.run(agent.run(ASKED)).text


def anthropic(url: str) -> Any:
    from anthropic import Anthropic, beta_tool

    with Anthropic(base_url=url.removesuffix("/v1"), api_key="sk-none") as client:
        asked = [{"role": "user", "content": ASKED}]
        runner = client.beta.messages.tool_runner(
            max_tokens=99, model="claude-opus-4-6", tools=[beta_tool(book)], messages=asked
        )
        return runner.until_done().content[0].text


def crewai(url: str) -> Any:
    os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false", "CREWAI_TESTING": "true"}
    from crewai import LLM, Agent, Crew, Task
    from crewai.tools import tool

    llm = LLM(model="openai/gpt-4o", base_url=url, api_key="sk-none")
    agent = Agent(role="planner", goal="plan", backstory="none", llm=llm, tools=[tool("book")(book)])
    task = Task(description=f"\n{ASKED}\n", expected_output="an answer", agent=agent)
    return Crew(agents=[agent], tasks=[task]).kickoff().raw


def dspy(url: str) -> Any:
    library = importlib.import_module("dspy")
    asked = {"next_thought": "so", "next_tool_name": "book", "next_tool_args": {"city": "Oslo", "seats": 4}}
    answered = {"reasoning": "so", "answer": "booked"}
    lm = library.LM("openai/stub", api_base=url, api_key="sk-none", cache=False, num_retries=0)
    with library.context(lm=lm, adapter=library.JSONAdapter()):
        agent = library.ReAct("question -> answer", tools=[book], max_iters=1)
        found = agent(question=f"!say {json.dumps(asked)}\n!after observation_0 {json.dumps(answered)}")
    return "told: " + found.trajectory["observation_0"].splitlines()[-1]


def fast_agent(url: str) -> Any:
    from fast_agent import FastAgent

    quiet = "{type: none, progress_display: false, show_chat: false, show_tools: false}"
    Path("fast-agent.yaml").write_text(f"generic: {{api_key: none, base_url: '{url}'}}\nlogger: {quiet}\n")

    async def nothing() -> None:
        """What the decorator decorates."""

    async def run() -> Any:
        fast = FastAgent("trial", config_path="fast-agent.yaml", parse_cli_args=False, quiet=True)
        fast.agent("planner", function_tools=[book], model="generic.stub")(nothing)
        async with fast.run() as app:
            return await app.planner.send(ASKED)

    return asyncio.run(run())


def mcp_agent(url: str) -> Any:
    from mcp_agent.agents.agent import Agent
    from mcp_agent.app import MCPApp
    from mcp_agent.config import LoggerSettings, OpenAISettings, Settings
    from mcp_agent.logging.transport import AsyncEventBus
    from mcp_agent.workflows.llm.augmented_llm_openai import OpenAIAugmentedLLM

    model = OpenAISettings(api_key="none", base_url=url, default_model="stub")
    settings = Settings(execution_engine="asyncio", logger=LoggerSettings(type="none"), openai=model)

    async def run() -> Any:
        async with MCPApp(name="trial", settings=settings).run() as running:
            planner = Agent(name="planner", instruction="Plan.", functions=[book], context=running.context)
            return await OpenAIAugmentedLLM(agent=planner).generate_str(ASKED)

    async def stopping() -> Any:
        try:
            return await run()
        finally:
            # Its log may take no notice of being cancelled as the loop ends.
            bus = AsyncEventBus.get()
            bus._running = False
            if bus._task is not None:
                bus._stop_event.set()
                await asyncio.wait([bus._task], timeout=10)
            AsyncEventBus.reset()

    return asyncio.run(stopping())


def google_adk(_: str) -> Any:
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    class Scripted(BaseLlm):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:  # noqa: ARG002
            told = [part.function_response for part in llm_request.contents[-1].parts if part.function_response]
            call = types.FunctionCall(name="book", args={"city": "Oslo", "seats": 4})
            said = types.Part(text=f"told: {told[0].response['result']}") if told else types.Part(function_call=call)
            yield LlmResponse(content=types.Content(role="model", parts=[said]))

    async def run() -> str:
        agent = LlmAgent(name="planner", model=Scripted(model="scripted"), tools=[book])
        async with InMemoryRunner(agent, app_name="trial") as runner:
            return str((await runner.run_debug(ASKED, quiet=True))[-1].content.parts[0].text)

    return asyncio.run(run())


def autogen(url: str) -> Any:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    model = OpenAIChatCompletionClient(model="gpt-4o", base_url=url, api_key="sk-none")
    agent = AssistantAgent("planner", model, tools=[book], reflect_on_tool_use=True)
    return asyncio.run(agent.run(task=ASKED)).messages[-1].to_text()


def haystack(url: str) -> Any:
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    from haystack.components.agents import Agent
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.tools import tool
    from haystack.utils import Secret

    model = OpenAIChatGenerator(Secret.from_token("sk-none"), "gpt-4o", api_base_url=url)
    agent = Agent(chat_generator=model, tools=[tool(book)])
    return agent.run([ChatMessage.from_user(ASKED)])["last_message"].text


def langchain(url: str) -> Any:
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="gpt-4o", base_url=url)
    return create_agent(model, [book]).invoke({"messages": [("user", ASKED)]})["messages"][-1].content


def llama_index(url: str) -> Any:
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai_like import OpenAILike

    async def run() -> str:
        model = OpenAILike(
            model="gpt-4o", api_base=url, api_key="sk-none", is_chat_model=True, is_function_calling_model=True
        )
        return str(await FunctionAgent(name="planner", tools=[book], llm=model).run(ASKED))

    return asyncio.run(run())


def openai_agents(url: str) -> Any:
    import agents
    from openai import AsyncOpenAI

    async def run() -> Any:
        async with AsyncOpenAI(base_url=url) as client:
            model = agents.OpenAIChatCompletionsModel("gpt-4o", client)
            agent = agents.Agent(name="o", model=model, tools=[agents.function_tool(book)])
            return (await agents.Runner.run(agent, ASKED)).final_output

    agents.set_tracing_disabled(True)
    return asyncio.run(run())


def semantic_kernel(url: str) -> Any:
    from openai import AsyncOpenAI
    from semantic_kernel.agents import ChatCompletionAgent
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
    from semantic_kernel.functions import KernelFunctionFromMethod, KernelPlugin, kernel_function

    service = OpenAIChatCompletion("gpt-4o", async_client=AsyncOpenAI(base_url=url, api_key="sk-none"))
    plugin = KernelPlugin("desk", functions=[KernelFunctionFromMethod(kernel_function(book))])
    agent = ChatCompletionAgent(service=service, name="planner", plugins=[plugin])
    # Else it would be `desk-book`.
    agent.kernel.get_function("desk", "book").metadata.plugin_name = None
    return str(asyncio.run(agent.get_response(ASKED)))


def smolagents(url: str) -> Any:
    library = importlib.import_module("smolagents")

    class Book(library.Tool):
        name, description, output_type = "book", "Book seats.", "string"
        inputs = {each: {"type": "any", "description": "It."} for each in ("city", "seats")}
        skip_forward_signature_validation = True

        def forward(self, **arguments: Any) -> str:
            return book(**arguments)

    model = library.OpenAIModel("gpt-4o", api_base=url, api_key="sk-none")
    agent = library.ToolCallingAgent(tools=[Book()], model=model, verbosity_level=library.LogLevel.OFF)
    agent.run(ASKED, max_steps=1)
    step = agent.memory.steps[1]
    return f"told: {step.error or step.observations}"


def strands(url: str) -> Any:
    from strands import Agent, tool
    from strands.models.openai import OpenAIModel

    model = OpenAIModel(client_args={"base_url": url, "api_key": "sk-none"}, model_id="gpt-4o")
    agent = Agent(model, tools=[tool(book)], callback_handler=None)
    return str(agent(ASKED)).strip()


def deny(_: control.Proposal) -> None:
    raise control.Denied("groups are booked by phone")


def fail(_: control.Proposal) -> None:
    raise OSError("planned")


def planned(emitter: str | None) -> Any:
    """Return an answer in the shape that the framework's own place has."""
    if emitter not in ("fast_agent", "mcp_agent"):
        return "planned"
    types = importlib.import_module("mcp_types" if emitter == "fast_agent" else "mcp.types")
    return types.CallToolResult(content=[types.TextContent(type="text", text="planned")])


CONTROLLERS: dict[str, Callable[[control.Proposal], Any]] = {
    "passed": lambda _: None,
    "changed": lambda call: control.Proceed({**call.args, "seats": 2}, by="ada"),
    "answered": lambda call: control.Answer(planned(call.emitter)),
    "denied": deny,
    "raised": fail,
}


def outcomes(framework: Callable[[str], Any], url: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, decide in CONTROLLERS.items():
        booked.clear()
        asked: list[Any] = []

        def of_tools(call: control.Proposal, decide: Any = decide, asked: list[Any] = asked) -> Any:
            if call.noun != "tool_call":
                return None
            asked.append([call.name, call.args, call.emitter])
            return decide(call)

        with control.install(of_tools):
            try:
                out = str(framework(url))
            except Exception as error:
                out = f"{type(error).__name__}: {error}"
        found[name] = {"out": out, "booked": list(booked), "asked": asked}
    return found


with models.serving() as stub:
    framework: Callable[[str], Any] = globals()[sys.argv[1]]
    print(json.dumps(outcomes(framework, f"{stub.url}/v1")))
