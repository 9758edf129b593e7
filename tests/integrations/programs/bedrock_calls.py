"""Models of Amazon Bedrock called by boto3, against a loopback server; prints what it saw of each call."""

import base64
import json
import traceback

import boto3
from bedrock import serving_bedrock
from botocore.config import Config

from instrument import control

MODEL, TITAN, EMBED = "anthropic.claude-sonnet-4-20250514-v1:0", "amazon.titan-text-lite-v1", "amazon.titan-embed-v2:0"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TOOLS = {"tools": [{"toolSpec": {"name": "add", "description": "Adds.", "inputSchema": {"json": {"type": "object"}}}}]}
CALL = '!call add {"a": 1, "b": 2}'
ledger = []


def user(*blocks):
    return {"role": "user", "content": [{"text": each} if isinstance(each, str) else each for each in blocks]}


def did(name, result, tokens=None, *, status="ok", error=None):
    ledger.append({"kind": "llm", "name": name, "status": status, "result": result, "error": error, "tokens": tokens})


def counted(answer):
    usage = answer["usage"]
    return [usage["inputTokens"], usage["outputTokens"]]


def text_of(events):
    return "".join(
        event["contentBlockDelta"]["delta"].get("text", "") for event in events if "contentBlockDelta" in event
    )


def converse(client):
    asked = user("What is this?\n" + CALL, {"image": {"format": "png", "source": {"bytes": PNG}}})
    answer = client.converse(
        modelId=MODEL,
        system=[{"text": "Be short."}],
        messages=[asked],
        toolConfig=TOOLS,
        inferenceConfig={"maxTokens": 50, "temperature": 0.5},
    )
    did(MODEL, "", counted(answer))
    said = answer["output"]["message"]
    result = {"toolUseId": said["content"][0]["toolUse"]["toolUseId"], "content": [{"text": "3"}], "status": "success"}
    answer = client.converse(modelId=MODEL, messages=[asked, said, user({"toolResult": result})], toolConfig=TOOLS)
    did(MODEL, answer["output"]["message"]["content"][0]["text"], counted(answer))
    try:
        client.converse(modelId=MODEL, messages=[user("!fail 429\nslow down")])
    except client.exceptions.ThrottlingException as exc:
        did(MODEL, None, status="error", error=str(exc))
        return traceback.format_exc()
    return None


def streams(client):
    def asked(text):
        return client.converse_stream(modelId=MODEL, messages=[user(text)])["stream"]

    events = [*asked("in pieces")]
    did(MODEL, text_of(events), counted(events[-1]["metadata"]))
    events = [*asked(CALL)]
    did(MODEL, "", counted(events[-1]["metadata"]))
    stream = asked("left and read on")
    first = next(iter(stream))
    events = [first, *stream]
    did(MODEL, text_of(events), counted(events[-1]["metadata"]))
    stream = asked("left early")
    next(iter(stream))
    stream.close()
    did(MODEL, "", status="closed")
    stream = asked("dropped")
    del stream
    did(MODEL, None, status="abandoned")
    try:
        list(asked("cut off\n!break"))
    except Exception as exc:  # noqa: BLE001 - EventStreamError
        did(MODEL, "echo: ", status="error", error=str(exc))


def invoked(client):
    body = json.dumps({"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": [user("by hand")]})
    answer = json.loads(client.invoke_model(modelId=MODEL, body=body)["body"].read())
    did(MODEL, answer["content"][0]["text"], [answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]])
    events = client.invoke_model_with_response_stream(modelId=MODEL, body=body)["body"]
    chunks = [json.loads(event["chunk"]["bytes"]) for event in events]
    text = "".join(chunk["delta"]["text"] for chunk in chunks if chunk["type"] == "content_block_delta")
    did(MODEL, text, [answer["usage"]["input_tokens"], chunks[-2]["usage"]["output_tokens"]])
    body = json.dumps({"inputText": "hello titan"})
    response = client.invoke_model(modelId=TITAN, body=body)["body"]
    pieces = [*response.iter_chunks(8)]
    did(TITAN, json.loads(b"".join(pieces))["results"][0]["outputText"], [2, 1])
    events = client.invoke_model_with_response_stream(modelId=TITAN, body=body)["body"]
    did(TITAN, "".join(json.loads(event["chunk"]["bytes"])["outputText"] for event in events), [2, 1])
    assert len(json.load(client.invoke_model(modelId=EMBED, body=body)["body"])["embedding"]) == 256
    did(EMBED, None, [3, 0])


def gate(call):
    """Change one request, answer another, and refuse a third."""
    text = str(call.args)
    if "change this" in text:
        body = json.loads(json.dumps(call.args).replace("change this", "changed"))
        return control.Proceed(body)
    if "answer this" in text:
        return control.Answer({"output": {"message": user("by hand")}, "usage": {"inputTokens": 1, "outputTokens": 2}})
    if "refuse this" in text:
        raise control.Denied("not today")
    return None


def controlled(client):
    with control.install(gate):
        answer = client.converse(modelId=MODEL, messages=[user("change this")])
        did(MODEL, answer["output"]["message"]["content"][0]["text"], counted(answer))
        body = json.dumps(
            {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": [user("change this")]}
        )
        answer = json.loads(client.invoke_model(modelId=MODEL, body=body)["body"].read())
        did(MODEL, answer["content"][0]["text"], [answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]])
        answer = client.converse(modelId=MODEL, messages=[user("answer this")])
        did(MODEL, answer["output"]["message"]["content"][0]["text"], counted(answer))
        try:
            client.converse(modelId=MODEL, messages=[user("refuse this")])
        except control.Denied as refusal:
            did(MODEL, None, status="denied", error=str(refusal))


with serving_bedrock() as url:
    bedrock = boto3.client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=url,
        aws_access_key_id="AKIAPLANTED000000000",
        aws_secret_access_key="planted",  # noqa: S106 - of nobody
        config=Config(retries={"max_attempts": 0}),
    )
    seen = converse(bedrock)
    streams(bedrock)
    invoked(bedrock)
    controlled(bedrock)
print(json.dumps({"calls": ledger, "traceback": seen}))
