import { describe, expect, it } from "vitest";
import { type FullSpan, fullSpan } from "@/lib/full-span";
import { curlRequest } from "./copy-request";

const REQUEST = { model: "m", messages: [{ role: "user", content: "it's" }] };

function call(attributes: Record<string, unknown>, changes: Partial<FullSpan> = {}): FullSpan {
  const given = {
    "url.full": "https://api.openai.com/v1/chat/completions",
    "mcp.llm.prompt_json": JSON.stringify(REQUEST),
  };
  return fullSpan({ kind: "llm", folded_into: null, attributes: { ...given, ...attributes }, ...changes });
}

function textOf(attributes: Record<string, unknown>, changes: Partial<FullSpan> = {}): string {
  const copied = curlRequest(call(attributes, changes));
  return "text" in copied ? copied.text : copied.why;
}

describe("a model call as curl", () => {
  it("sends what was sent, with the key in a variable", () => {
    expect(textOf({})).toBe(String.raw`curl --globoff 'https://api.openai.com/v1/chat/completions' \
  -H 'content-type: application/json' \
  -H "authorization: Bearer $OPENAI_API_KEY" \
  -d '{
  "model": "m",
  "messages": [
    {
      "role": "user",
      "content": "it'\''s"
    }
  ]
}'
`);
  });

  it("names the key as the provider wants it", () => {
    const anthropic = textOf({
      "url.full": "https://api.anthropic.com/v1/messages",
      "gen_ai.provider.name": "anthropic",
    });
    expect(anthropic).toContain('-H "x-api-key: $ANTHROPIC_API_KEY"');
    expect(anthropic).toContain("-H 'anthropic-version: 2023-06-01'");
    expect(textOf({ "url.full": "https://mine.openai.azure.com/x?api-version=1" })).toContain(
      '"api-key: $AZURE_OPENAI_API_KEY"',
    );
  });

  it("sends to Bedrock what boto3 sent: bytes as base64, and the model in the address alone", () => {
    const asked = (size: number, base64 = "aGk=") => ({
      "url.full": "https://bedrock-runtime.us-east-1.amazonaws.com/model/m%3A0/converse",
      "gen_ai.provider.name": "aws.bedrock",
      "mcp.llm.prompt_json": JSON.stringify({ modelId: "m:0", bytes: { $type: "bytes", size, base64 } }),
    });
    expect(
      textOf(asked(2)),
    ).toBe(String.raw`curl --globoff 'https://bedrock-runtime.us-east-1.amazonaws.com/model/m%3A0/converse' \
  -H 'content-type: application/json' \
  -H "authorization: Bearer $AWS_BEARER_TOKEN_BEDROCK" \
  -d '{
  "bytes": "aGk="
}'
`);
    expect(textOf(asked(9))).toContain("too long");
    expect(textOf(asked(9, "no base64!"))).toContain("too long");
  });

  it("sends nobody's key to a host that is not its provider's", () => {
    for (const host of ["models.example", "api.openai.com.models.example", "127.0.0.1:8000"]) {
      const text = textOf({ "url.full": `https://${host}/v1`, "gen_ai.provider.name": "openai" });
      expect(text).toContain('"authorization: Bearer $API_KEY"');
    }
  });

  it("lets nothing that was recorded end its quotes", () => {
    const text = textOf({ "url.full": "https://a.example/x'$(id)\n`id`", "mcp.llm.prompt_json": '{"a":"\'; id; \'"}' });
    expect(text).toContain(String.raw`"a": "'\''; id; '\''"`);
    expect(text.split("\n")[0]).toContain(String.raw`'https://a.example/x'\''$(id)%60id%60'`);
  });

  it("shows what hides by its code", () => {
    expect(textOf({ "mcp.llm.prompt_json": JSON.stringify({ a: "\u202e\u{e0001}é" }) })).toContain(
      String.raw`"\u202e\udb40\udc01é"`,
    );
  });

  it("says why there is none", () => {
    expect(textOf({ "url.full": "javascript:alert(1)" })).toContain("address");
    expect(textOf({ "mcp.llm.prompt_json": null })).toContain("not recorded");
    expect(textOf({ "mcp.llm.prompt_json_truncated": true })).toContain("too long");
    expect(textOf({ "mcp.llm.prompt_json": '{"key":"[redacted:key]"}' })).toContain("redacted");
    expect(textOf({}, { clipped: { "attributes.mcp.llm.prompt_json": 300_000 } })).toContain("load");
  });
});
