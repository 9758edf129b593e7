"""Who holds the conversation of `conversation.py`: each client keeps the history as its library does, and sends it."""

import atexit
import json
import random
import time


class Words:
    """Texts of words that a seed decides; no two are equal."""

    def __init__(self, seed: int) -> None:
        syllables = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "st", "tr", "en", "er")
        self._random = random.Random(seed)
        self._words = [
            "".join(self._random.choices(syllables, k=self._random.choice((1, 2, 2, 3)))) for _ in range(3000)
        ]
        self.chars = 0
        """How long all texts are together."""

    def text(self, chars: int) -> str:
        """Returns the next text."""
        words: list[str] = []
        size = 0
        while size < chars:
            words.append(self._random.choice(self._words))
            size += len(words[-1]) + 1
        found = " ".join(words)
        self.chars += len(found)
        return found


def openai_client(url, system):
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none")
    messages = [{"role": "system", "content": system}]

    def ask(question):
        messages.append({"role": "user", "content": question})
        answer = client.chat.completions.create(model="gpt-4.1", messages=messages).choices[0].message.content
        messages.append({"role": "assistant", "content": answer})
        return answer

    return ask


def openai_stream_client(url, system):
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none")
    messages = [{"role": "system", "content": system}]

    def ask(question):
        messages.append({"role": "user", "content": question})
        chunks = client.chat.completions.create(model="gpt-4.1", messages=messages, stream=True)
        answer = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
        messages.append({"role": "assistant", "content": answer})
        return answer

    return ask


def anthropic_client(url, system):
    import anthropic

    client = anthropic.Anthropic(base_url=url, api_key="none")
    messages = []

    def ask(question):
        messages.append({"role": "user", "content": question})
        reply = client.messages.create(model="claude-sonnet-5", max_tokens=100, system=system, messages=messages)
        messages.append({"role": "assistant", "content": [{"type": "text", "text": reply.content[0].text}]})
        return reply.content[0].text

    return ask


def langchain_client(url, system):
    from langchain_core.messages import HumanMessage, SystemMessage
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="gpt-4.1", base_url=f"{url}/v1", api_key="none")
    messages = [SystemMessage(system)]

    def ask(question):
        messages.append(HumanMessage(question))
        messages.append(model.invoke(messages))
        return messages[-1].content

    return ask


def pydantic_ai_client(url, system):
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=f"{url}/v1", api_key="none")
    agent = Agent(OpenAIChatModel("gpt-4.1", provider=provider), system_prompt=system)
    history = []

    def ask(question):
        nonlocal history
        done = agent.run_sync(question, message_history=history)
        history = done.all_messages()
        return done.output

    return ask


def toolkit_client(url, system):
    import asyncio

    from toolkit import Agent, OpenAIModel
    from toolkit.agents.thread import Thread

    model = OpenAIModel("gpt-4.1", base_url=f"{url}/v1", api_key="none")
    agent, thread, runner = Agent("planner", model=model, instruction=system), Thread(()), asyncio.Runner()
    return lambda question: runner.run(agent.run(question, thread=thread)).text


def hooks_client(_, system):
    from instrument import around

    answers, messages = Words(8), [{"role": "system", "content": system}]

    def ask(question):
        messages.append({"role": "user", "content": question})
        prompt = {"model": "gpt-4.1", "messages": list(messages)}
        answer = {"role": "assistant", "content": answers.text(len(question))}
        with around("llm_generate", llm=None, prompt=prompt) as call:
            call.set(response={"model": "gpt-4.1", "choices": [{"message": answer}]})
        messages.append(answer)
        # A model takes longer; without a pause calls come faster than any recorder keeps up with.
        time.sleep(0.05)
        return answer["content"]

    return ask


def otlp_client(_, system):
    tracer = exporting()
    agent = tracer.start_span("invoke_agent planner", attributes={"gen_ai.operation.name": "invoke_agent"})
    atexit.register(agent.end)
    return telling(tracer, system, around=agent)


def otlp_session_client(_, system):
    return telling(exporting(), system, {"gen_ai.conversation.id": "a-conversation"})


def exporting():
    """An OpenTelemetry tracer that sends each span as it ends, as turns that take seconds are sent."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("bench.agent")


def telling(tracer, system, more=None, around=None):
    """Asks a model that is none, with the attributes that OpenTelemetry's conventions name for a model call."""
    from opentelemetry.trace import set_span_in_context

    answers, messages = Words(8), []
    context = around and set_span_in_context(around)
    named = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4.1"}
    named |= {"gen_ai.system_instructions": json.dumps([{"type": "text", "content": system}])} | (more or {})

    def said(role, text):
        messages.append({"role": role, "parts": [{"type": "text", "content": text}]})
        return messages

    def ask(question):
        with tracer.start_as_current_span("chat gpt-4.1", context=context, attributes=named) as span:
            span.set_attribute("gen_ai.input.messages", json.dumps(said("user", question)))
            answer = answers.text(len(question))
            done = {"role": "assistant", "parts": [{"type": "text", "content": answer}], "finish_reason": "stop"}
            span.set_attribute("gen_ai.output.messages", json.dumps([done]))
        said("assistant", answer)
        return answer

    return ask


CLIENTS = {
    "openai": openai_client,
    "openai-stream": openai_stream_client,
    "anthropic": anthropic_client,
    "langchain": langchain_client,
    "pydantic_ai": pydantic_ai_client,
    "toolkit": toolkit_client,
    "hooks": hooks_client,
    "otlp": otlp_client,
    "otlp-session": otlp_session_client,
}
