"""Agents, orchestrations, processes, functions and models of Semantic Kernel, over a loopback model."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from conformance import conform, failed
from hanging import given_up, hang
from ledger import count, counting, ledger
from models import Models, serving
from openai import AsyncOpenAI
from semantic_kernel import Kernel
from semantic_kernel.agents import (
    AgentGroupChat,
    ChatCompletionAgent,
    ChatHistoryAgentThread,
    ConcurrentOrchestration,
    HandoffOrchestration,
    OrchestrationHandoffs,
    SequentialOrchestration,
)
from semantic_kernel.agents.runtime import InProcessRuntime
from semantic_kernel.connectors.ai import FunctionChoiceBehavior, PromptExecutionSettings
from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory, ChatMessageContent, StreamingChatMessageContent
from semantic_kernel.functions import KernelArguments, KernelFunction, kernel_function
from semantic_kernel.processes import ProcessBuilder
from semantic_kernel.processes.kernel_process import (
    KernelProcessEvent,
    KernelProcessStep,
    KernelProcessStepContext,
)
from semantic_kernel.processes.local_runtime.local_kernel_process import start

_url: list[str] = []


def seen(what: Any) -> None:
    """Count what the program saw, which is no call."""
    ledger.append({"kind": "seen", "name": str(what)})


class Trip:
    """A plug-in."""

    @kernel_function
    async def weather(self, city: Annotated[str, "Where."], days: int = 1) -> str:
        """Tell the weather."""
        return f"{days} days of sun in {city}"

    @kernel_function
    def broken(self, city: str) -> str:
        """Fail."""
        raise KeyError(f"no {city}")

    @kernel_function
    def words(self, city: str) -> Any:
        """Tell it word by word."""
        yield "one"
        yield city

    @kernel_function
    async def hanging(self) -> str:
        """Wait for nothing."""
        await hang()
        return ""


def service() -> OpenAIChatCompletion:
    client = AsyncOpenAI(base_url=f"{_url[0]}/v1", api_key="sk-none", max_retries=0)
    return OpenAIChatCompletion("gpt-4o", async_client=client, service_id="default")


def agent(name: str, *plugins: Any, **more: Any) -> ChatCompletionAgent:
    given = [*plugins] or [Trip()]
    return ChatCompletionAgent(service=service(), name=name, description=f"Is {name}.", plugins=given, **more)


def called(times: int, parent: str) -> None:
    for _ in range(times):
        count("llm", "gpt-4o", parent)


OSLO, ROME, SUN = {"city": "Oslo", "days": 2}, {"city": "Rome"}, "2 days of sun in Oslo"
ASKED = '!call Trip-weather {"city": "Oslo", "days": 2}'


async def agents() -> None:
    asked = f'{ASKED}\n!call Trip-broken {{"city": "Rome"}}\n!call Trip-nobody {{"x": 1}}\n!call Trip-weather {{}}'
    response = await agent("planner").get_response(messages=asked)
    seen(response)
    count("agent", "planner", None, arguments=asked, result=str(response))
    count("tool", "Trip-weather", "planner", arguments=OSLO, result=SUN)
    count("tool", "Trip-broken", "planner", "error", arguments=ROME, error=str(KeyError("no Rome")))
    unknown = "The tool call with name `Trip-nobody` is not part of the provided tools, please try again with a "
    unknown += "supplied tool call name and make sure to validate the name."
    count("tool", "Trip-nobody", "planner", "error", arguments={"x": 1}, error=unknown)
    missing = "Missing required argument(s): ['city']. Please revise the arguments to match the function signature."
    count("tool", "Trip-weather", "planner", "error", arguments={}, error=missing)
    called(2, "planner")
    thread = ChatHistoryAgentThread(thread_id="talk-1")
    async for item in agent("streaming").invoke_stream(ASKED, thread=thread):
        seen(item)
    count("agent", "streaming", None, arguments=ASKED, result=f"told: {SUN}")
    count("tool", "Trip-weather", "streaming", arguments=OSLO, result=SUN)
    called(2, "streaming")
    async for item in agent("steps").invoke('!call Trip-words {"city": "Oslo"}'):
        seen(item)
    count("agent", "steps", None, result="told: ['one', 'Oslo']")
    count("tool", "Trip-words", "steps", arguments={"city": "Oslo"}, result=["one", "Oslo"])
    called(2, "steps")
    inner = '!call Trip-weather {\\"city\\": \\"Oslo\\", \\"days\\": 2}'
    helper = agent("helper")
    response = await agent("outer", helper).get_response(f'!call helper-helper {{"messages": "{inner}"}}')
    seen(response)
    count("agent", "outer", None)
    count("tool", "helper-helper", "outer", arguments={"messages": ASKED}, result=f"told: {SUN}")
    count("agent", "helper", "helper-helper", arguments=ASKED, result=f"told: {SUN}")
    count("tool", "Trip-weather", "helper", arguments=OSLO, result=SUN)
    called(2, "helper")
    called(2, "outer")
    try:
        await agent("refused").get_response("\n!fail 400 9")
    except Exception as error:
        seen(type(error).__name__)
        count("agent", "refused", None, "error")
    count("llm", "gpt-4o", "refused", "error")


async def functions() -> None:
    """Functions that the program calls itself, prompts, and a model that is asked without an agent."""
    kernel = Kernel(services=[service()])
    trip = kernel.add_plugin(Trip(), "Trip")
    seen(await kernel.invoke(trip["weather"], city="Oslo", days=2))
    count("tool", "Trip-weather", None, arguments=OSLO, result=SUN)
    try:
        await kernel.invoke(trip["broken"], city="Rome")
    except Exception as error:
        seen(error)
        failed()
    count("tool", "Trip-broken", None, "error", arguments=ROME, error=str(KeyError("no Rome")))
    async for part in kernel.invoke_stream(trip["words"], city="Oslo"):
        seen(part)
    count("tool", "Trip-words", None, arguments={"city": "Oslo"}, result="oneOslo")
    prompt = kernel.add_function("Trip", function_name="greet", prompt="hello {{$name}}")
    seen(await kernel.invoke(prompt, name="Ann"))
    count("workflow", "Trip-greet", None, arguments={"name": "Ann"}, result="echo: hello Ann")
    called(1, "Trip-greet")
    async for part in kernel.invoke_stream(prompt, KernelArguments(name="Ann")):
        seen(part[0])
    count("workflow", "Trip-greet", None, arguments={"name": "Ann"}, result="echo: hello Ann")
    called(1, "Trip-greet")
    seen(await kernel.invoke_prompt("hi {{$name}}", arguments=KernelArguments(name="Ann")))
    count("workflow", "prompt", None, arguments={"name": "Ann"}, result="echo: hi Ann")
    called(1, "prompt")
    seen(await ChatCompletionAgent(service=service()).get_response("hey"))
    count("agent", "ChatCompletionAgent", None, arguments="hey", result="echo: hey")
    called(1, "ChatCompletionAgent")
    settings = OpenAIChatPromptExecutionSettings(function_choice_behavior=FunctionChoiceBehavior.Auto())
    for streams in (False, True):
        history = ChatHistory()
        history.add_user_message(ASKED)
        asked = history, settings
        if streams:
            async for part in service().get_streaming_chat_message_content(*asked, kernel=kernel):
                seen(part)
        else:
            seen(await service().get_chat_message_content(*asked, kernel=kernel))
        told = {} if streams else {"result": f"told: {SUN}"}
        count("workflow", "OpenAIChatCompletion", None, arguments=ASKED, **told)
        count("tool", "Trip-weather", "OpenAIChatCompletion", arguments=OSLO, result=SUN)
        called(2, "OpenAIChatCompletion")


class Scripted(ChatCompletionClientBase):
    """A model of the program."""

    async def _inner_get_chat_message_contents(self, history: Any, settings: Any) -> list[ChatMessageContent]:
        return [ChatMessageContent(role="assistant", content="all done")]

    async def _inner_get_streaming_chat_message_contents(
        self, history: Any, settings: Any, function_invoke_attempt: int = 0
    ) -> AsyncGenerator[Any, Any]:
        for word in ("all ", "done"):
            yield [StreamingChatMessageContent(role="assistant", content=word, choice_index=0)]

    def get_prompt_execution_settings_class(self) -> Any:
        return PromptExecutionSettings


def scripted(name: str) -> ChatCompletionAgent:
    return ChatCompletionAgent(service=Scripted(ai_model_id="scripted-1"), name=name, description=f"Is {name}.")


async def orchestrations() -> None:
    seen(await scripted("quick").get_response("go"))
    count("agent", "quick", None, arguments="go", result="all done")
    count("llm", "scripted-1", "quick", result="all done")
    runtime = InProcessRuntime()
    runtime.start()
    both = [agent("first"), scripted("second")]
    result = await SequentialOrchestration(members=both).invoke(ASKED, runtime)
    seen(await result.get())
    count("workflow", "SequentialOrchestration", None, arguments=ASKED, result="all done")
    count("agent", "first", "SequentialOrchestration", arguments=ASKED, result=f"told: {SUN}")
    count("tool", "Trip-weather", "first", arguments=OSLO, result=SUN)
    called(2, "first")
    count("agent", "second", "SequentialOrchestration", arguments=f"told: {SUN}", result="all done")
    count("llm", "scripted-1", "second", result="all done")
    pair = [scripted("left"), scripted("right")]
    result = await ConcurrentOrchestration(members=pair, name="both").invoke("go", runtime)
    seen(await result.get())
    count("workflow", "both", None, arguments="go", result=["all done", "all done"])
    for name in ("left", "right"):
        count("agent", name, "both", arguments="go", result="all done")
        count("llm", "scripted-1", name)
    asked = "!call Handoff-transfer_to_bob {}"
    ann, bob = agent("ann"), scripted("bob")
    handoffs = OrchestrationHandoffs().add(ann, bob, "Ask bob.")
    result = await HandoffOrchestration(members=[ann, bob], handoffs=handoffs).invoke(asked, runtime)
    seen(await result.get())
    count("workflow", "HandoffOrchestration", None, arguments=asked)
    count("agent", "ann", "HandoffOrchestration", arguments=asked)
    called(1, "ann")
    count("tool", "Handoff-transfer_to_bob", "ann", arguments={})
    count("agent", "bob", "HandoffOrchestration", result="all done")
    count("llm", "scripted-1", "bob")
    result = await SequentialOrchestration(members=[agent("refused")], name="fails").invoke("\n!fail 400 9", runtime)
    try:
        await result.get()
    except Exception as error:
        seen(type(error).__name__)
        count("workflow", "fails", None, "error")
    count("agent", "refused", "fails", "error")
    count("llm", "gpt-4o", "refused", "error")
    await runtime.stop_when_idle()
    chat = AgentGroupChat(agents=[scripted("one"), scripted("two")])
    await chat.add_chat_message("go")
    async for message in chat.invoke(pair[0]):
        seen(message)
    count("workflow", "AgentGroupChat", None, arguments="go", result="all done")
    count("agent", "left", "AgentGroupChat", result="all done")
    count("llm", "scripted-1", "left")


class Plan(KernelProcessStep):
    @kernel_function
    async def plan(self, context: KernelProcessStepContext, what: str) -> None:
        if what == "fail":
            raise ValueError("no plan")
        await context.emit_event("planned", data=f"plan of {what}")


class Tell(KernelProcessStep):
    @kernel_function
    async def tell(self, kernel: Kernel, what: str) -> str:
        return what.upper()


async def processes() -> None:
    builder = ProcessBuilder(name="trip")
    plan, tell = builder.add_step(Plan), builder.add_step(Tell)
    builder.on_input_event("go").send_event_to(plan, parameter_name="what")
    plan.on_event("planned").send_event_to(tell, parameter_name="what")
    for what in ("Oslo", "fail"):
        await start(builder.build(), Kernel(), KernelProcessEvent(id="go", data=what))
        count("workflow", "trip", None, arguments={"event": "go", "data": what})
    count("workflow", "Plan.plan", "trip", arguments={"what": "Oslo"})
    count("workflow", "Tell.tell", "trip", arguments={"what": "plan of Oslo"}, result="PLAN OF OSLO")
    count("workflow", "Plan.plan", "trip", "error", arguments={"what": "fail"}, error="no plan")


async def at_once() -> None:
    async def one(city: str) -> str:
        asked = f'!call Trip-weather {{"city": "{city}", "days": 2}}'
        result = str(await agent(city).get_response(asked))
        count("agent", city, None, arguments=asked, result=result)
        count("tool", "Trip-weather", city, arguments={"city": city, "days": 2}, result=f"2 days of sun in {city}")
        called(2, city)
        return result

    seen(await asyncio.gather(one("Oslo"), one("Rome")))
    await given_up(agent("waiting").get_response("!call Trip-hanging {}"))
    count("agent", "waiting", None, "cancelled")
    count("tool", "Trip-hanging", "waiting", "cancelled", arguments={})
    called(1, "waiting")


async def all_of_it() -> None:
    await agents()
    await functions()
    await orchestrations()
    await processes()
    await at_once()


def everything(served: Models) -> list[dict[str, Any]]:
    _url[:] = [served.url]
    return counting(all_of_it)


async def survivor() -> None:
    await agent("survivor").get_response(ASKED)
    count("agent", "survivor", None, arguments=ASKED)
    count("tool", "Trip-weather", "survivor", arguments=OSLO, result=SUN)
    called(2, "survivor")


with serving() as models_served:
    conform(
        {"everything": lambda: everything(models_served)},
        lacking=(KernelFunction, "invoke_stream"),
        brief=lambda: counting(survivor),
    )
