"""Models of Amazon Bedrock by boto3: whole, in streams, refused and tried again, broken off and left."""

import json
import os

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError

MODEL, TITAN = "anthropic.claude-sonnet-4-20250514-v1:0", "amazon.titan-text-lite-v1"
client = boto3.client("bedrock-runtime", config=Config(retries={"max_attempts": 1}))


def user(text):
    return {"role": "user", "content": [{"text": text}]}


def stream(text):
    return client.converse_stream(modelId=MODEL, messages=[user(text)])["stream"]


asked = user(os.environ.get("ASKED", '!call add {"a": 1}'))
answer = client.converse(modelId=MODEL, messages=[asked], inferenceConfig={"maxTokens": 50})
said = answer["output"]["message"]
print(said, answer["usage"], answer["ResponseMetadata"]["RequestId"])
result = {"toolUseId": "call_add_0", "content": [{"json": {"sum": 3}}]}
print(
    client.converse(modelId=MODEL, messages=[asked, said, {"role": "user", "content": [{"toolResult": result}]}])[
        "output"
    ]
)
try:
    client.converse(modelId=MODEL, messages=[user("!fail 429\nslow down")])
except ClientError as refusal:
    print(type(refusal).__name__, refusal)
print([*stream("in pieces")])
left = stream("left early")
print(next(iter(left)))
left.close()
try:
    print([event for event in stream("cut off\n!break") if print(event) is None])
except EventStreamError as broken:
    print(broken)
body = json.dumps({"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": [user("by hand")]})
print(json.loads(client.invoke_model(modelId=MODEL, body=body)["body"].read()))
print([event["chunk"]["bytes"] for event in client.invoke_model_with_response_stream(modelId=MODEL, body=body)["body"]])
body = json.dumps({"inputText": "hello"})
print(json.load(client.invoke_model(modelId=TITAN, body=body)["body"]))
