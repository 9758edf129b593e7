import { attribute, attributeText, type FullSpan } from "@/lib/full-span";
import { isObject, jsonText, parsedText } from "@/lib/json";
import { type Copied, REDACTED } from "./copy-call";
import { KEY, TRUNCATED_SUFFIX } from "./semconv";

/**
 * The variable with the key, by host. A recording can come from anybody and name any host: a provider's key is only
 * sent to that provider; for every other host the reader has to choose one, in `API_KEY`.
 */
const KEYS = new Map([
  ["api.openai.com", "OPENAI_API_KEY"],
  ["api.anthropic.com", "ANTHROPIC_API_KEY"],
  ["api.cerebras.ai", "CEREBRAS_API_KEY"],
  ["api.cohere.ai", "COHERE_API_KEY"],
  ["api.deepseek.com", "DEEPSEEK_API_KEY"],
  ["api.fireworks.ai", "FIREWORKS_API_KEY"],
  ["api.groq.com", "GROQ_API_KEY"],
  ["api.mistral.ai", "MISTRAL_API_KEY"],
  ["api.perplexity.ai", "PERPLEXITY_API_KEY"],
  ["api.together.ai", "TOGETHER_API_KEY"],
  ["api.together.xyz", "TOGETHER_API_KEY"],
  ["api.x.ai", "XAI_API_KEY"],
  ["generativelanguage.googleapis.com", "GEMINI_API_KEY"],
  ["openrouter.ai", "OPENROUTER_API_KEY"],
]);
const AZURE = ".openai.azure.com";
const BEDROCK = /^bedrock-runtime\.[a-z0-9-]+\.amazonaws\.com$/;

/** A model call as a command that sends its request to the model's endpoint again; the key is a shell variable. */
export function curlRequest(span: FullSpan): Copied {
  const url = urlIn(attributeText(span, KEY.urlFull));
  if (url === null) return { why: "the address it was sent to is not recorded" };
  if (span.clipped[`attributes.${KEY.promptJson}`] !== undefined) return { why: "load its long values first" };
  const recorded = attribute(span, KEY.promptJson);
  const body = typeof recorded === "string" ? parsedText(recorded) : undefined;
  if (!isObject(body)) return { why: "its request is not recorded" };
  if (attribute(span, KEY.promptJson + TRUNCATED_SUFFIX) === true)
    return { why: "its request was too long to be recorded" };
  const sent = isBedrock(span) ? ofBedrock(body) : body;
  if (sent === null) return { why: "its files were too long to be recorded" };
  const text = shown(jsonText(sent));
  if (REDACTED.test(text) || REDACTED.test(url.href)) return { why: "part of its request was redacted" };
  const lines = [
    `curl --globoff ${quoted(url.href)}`,
    ...["content-type: application/json", ...versionOf(span)].map((header) => `-H ${quoted(header)}`),
    // Double quotes, so that the shell inserts the key.
    `-H "${keyOf(url, span)}"`,
    `-d ${quoted(text)}`,
  ];
  return { text: `${lines.join(" \\\n  ")}\n` };
}

function urlIn(text: string | null): URL | null {
  if (text === null) return null;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

const isBedrock = (span: FullSpan) => attributeText(span, KEY.provider) === "aws.bedrock";

/**
 * The body of a request to Bedrock. Of what boto3 was given, the model is in the address instead, and bytes are base64;
 * null if some of them are missing.
 */
function ofBedrock({ modelId: _, ...given }: Record<string, unknown>): unknown {
  let isWhole = true;
  const text = JSON.stringify(given, (_name, value: unknown) => {
    if (!isObject(value) || value.$type !== "bytes" || typeof value.base64 !== "string") return value;
    isWhole &&= sizeOf(value.base64) === value.size;
    return value.base64;
  });
  return isWhole ? JSON.parse(text) : null;
}

/** How many bytes base64 stands for; what is recorded may not be any. */
const sizeOf = (base64: string) => Math.floor((base64.replace(/=+$/, "").length * 3) / 4);

const isAnthropic = (span: FullSpan) => attributeText(span, KEY.provider) === "anthropic";

/** Anthropic's API requires a version in every request; there has only been one. */
const versionOf = (span: FullSpan) => (isAnthropic(span) ? ["anthropic-version: 2023-06-01"] : []);

function keyOf({ hostname }: URL, span: FullSpan): string {
  if (hostname.endsWith(AZURE)) return "api-key: $AZURE_OPENAI_API_KEY";
  if (BEDROCK.test(hostname)) return "authorization: Bearer $AWS_BEARER_TOKEN_BEDROCK";
  const key = `$${KEYS.get(hostname) ?? "API_KEY"}`;
  if (attributeText(span, KEY.provider) === "azure.ai.openai") return `api-key: ${key}`;
  return isAnthropic(span) ? `x-api-key: ${key}` : `authorization: Bearer ${key}`;
}

/** For a POSIX shell: nothing is special in single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** JSON with invisible characters escaped. */
function shown(json: string): string {
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, (hidden) =>
    Array.from({ length: hidden.length }, (_, at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
      "",
    ),
  );
}
