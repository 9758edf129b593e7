# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "azure-ai-inference==1.0.0b9",
#   "azure-core-tracing-opentelemetry==1.0.0b12",
# ]
# ///
"""Chat with a tool call and its result, by Azure's client: messages in events of the span."""

import os

os.environ |= {
    "AZURE_TRACING_GEN_AI_CONTENT_RECORDING_ENABLED": "true",
    "AZURE_SDK_TRACING_IMPLEMENTATION": "opentelemetry",
}

from azure.ai.inference import ChatCompletionsClient
from azure.ai.inference.models import (
    AssistantMessage,
    ChatCompletionsToolDefinition,
    FunctionDefinition,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from azure.ai.inference.tracing import AIInferenceInstrumentor
from azure.core.credentials import AzureKeyCredential
from azure.core.settings import settings
from exporting import exporting, model
from opentelemetry import trace

with model() as url, exporting("azure-ai-inference") as provider:
    trace.set_tracer_provider(provider)
    settings.tracing_implementation = "opentelemetry"
    AIInferenceInstrumentor().instrument()
    client = ChatCompletionsClient(f"{url}/v1", AzureKeyCredential("none"), model="gpt-4o")
    messages = [SystemMessage("Be short."), UserMessage('!call weather {"city": "Paris"}')]
    function = FunctionDefinition(name="weather", description="Tells the weather.", parameters={"type": "object"})
    answer = (
        client.complete(messages=messages, tools=[ChatCompletionsToolDefinition(function=function)]).choices[0].message
    )
    calls = answer.tool_calls
    messages += [AssistantMessage(tool_calls=calls), ToolMessage("sunny", tool_call_id=calls[0].id)]
    client.complete(messages=messages)
