import { attribute, attributeText, type FullSpan } from "@/lib/full-span";
import { ExactNumber, entriesOf, isContainer, isObject, readValue } from "@/lib/json";
import { KEY } from "./semconv";

/** A text to copy, or why there is none. */
export type Copied = { text: string } | { why: string };

const WHY = new Map([
  ["method", "its function is a method, which needs its object"],
  ["lambda", "its function is a lambda"],
  ["nested", "its function is defined inside another function"],
  ["hidden", "its function cannot be imported from its module"],
  ["arguments", "its function takes more than the model's arguments"],
]);

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
// Recorded text can come from anybody: only names get into the program.
const REFERENCE = new RegExp(`^(${NAME}(?:\\.${NAME})*):(${NAME})((?:\\.${NAME})*)$`, "u");
const ARGUMENT = new RegExp(`^${NAME}$`, "u");
/** What the recorder puts in place of a secret. */
export const REDACTED = /\[redacted:/;

/**
 * A tool call as a Python program that repeats it, to be run in the folder of the original program: it calls the
 * tool's function, or the tool's MCP server as a client.
 */
export function pythonCall(span: FullSpan): Copied {
  const [, module, first, rest] = REFERENCE.exec(attributeText(span, KEY.toolReference) ?? "") ?? [];
  const server = module === undefined ? serverOf(span) : null;
  if (module === undefined && server === null) return { why: whyNone(span) };
  if (span.clipped.input !== undefined) return { why: "load its long values first" };
  const given = readValue(span.input ?? {});
  if (!isObject(given)) return { why: "its arguments are not recorded as an object" };
  const literal = pythonLiteral(given);
  if (literal === null) return { why: "its arguments are nested too deeply" };
  if (REDACTED.test(literal)) return { why: "part of its arguments was redacted" };
  if (server !== null) return clientProgram(span, server, literal);
  return {
    text: `import asyncio
import inspect

from ${module} import ${first}


async def answer(result):
    return await result if inspect.isawaitable(result) else result


print(asyncio.run(answer(${first}${rest}(${argumentList(given)}))))
`,
  };
}

function whyNone(span: FullSpan): string {
  if (attributeText(span, KEY.toolType) === "extension") return "the address of its MCP server was not recorded";
  return WHY.get(attributeText(span, KEY.toolUnreachable) ?? "") ?? "no Python function is recorded for it";
}

/** The MCP server of a tool: the words of its command, or its address; null if neither is known. */
function serverOf(span: FullSpan): string[] | string | null {
  const words = attribute(span, KEY.serverCommand);
  const isCommand = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string");
  return isCommand ? words : attributeText(span, KEY.urlFull);
}

function clientProgram(span: FullSpan, server: string[] | string, args: string): Copied {
  if (span.tool === null) return { why: "the name of the tool was not recorded" };
  if (REDACTED.test(typeof server === "string" ? server : server.join(" "))) {
    return { why: "part of its MCP server's address was redacted" };
  }
  const [command = "", ...words] = typeof server === "string" ? [] : server;
  const isUrl = typeof server === "string";
  const isSse = attributeText(span, KEY.rpcTransport) === "sse";
  const place = isUrl
    ? pythonText(server)
    : `StdioServerParameters(command=${pythonText(command)}, args=[${words.map(pythonText).join(", ")}])`;
  return {
    text: `import asyncio

from mcp import Client${isUrl ? "" : ", StdioServerParameters"}
${isSse ? "from mcp.client.sse import sse_client\n" : ""}
# ${isUrl ? "Headers" : "Its environment (env=...)"} and keys are not recorded.
server = ${isSse ? `sse_client(${place})` : place}


async def call():
    async with Client(server) as client:
        return await client.call_tool(${pythonText(span.tool)}, ${args})


print(asyncio.run(call()).model_dump_json(indent=2))
`,
  };
}

function argumentList(given: object): string {
  const entries = entriesOf(given).filter(({ overridden }) => !overridden);
  if (entries.length === 0) return "";
  if (!entries.every(({ key }) => ARGUMENT.test(String(key)) && !KEYWORDS.has(String(key)))) {
    return `**${pythonLiteral(given)}`;
  }
  return `\n${entries.map(({ key, value }) => `    ${key}=${pythonLiteral(value)},\n`).join("")}`;
}

const DEEPEST = 50;

/** A JSON value as a Python literal; null if it is nested too deeply. */
function pythonLiteral(value: unknown, depth = 0): string | null {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return pythonText(value);
  if (value instanceof ExactNumber || typeof value === "number") return String(value);
  if (!isContainer(value) || depth === DEEPEST) return null;
  const isList = Array.isArray(value);
  const parts: string[] = [];
  for (const { key, value: item, overridden } of entriesOf(value)) {
    if (overridden) continue;
    const literal = pythonLiteral(item, depth + 1);
    if (literal === null) return null;
    parts.push(isList ? literal : `${pythonText(String(key))}: ${literal}`);
  }
  return isList ? `[${parts.join(", ")}]` : `{${parts.join(", ")}}`;
}

/** A JSON string is also a Python string; invisible characters are escaped. */
function pythonText(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, (hidden) => {
    const code = hidden.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
