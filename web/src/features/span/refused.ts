import { field, isObject } from "@/lib/json";

/** An argument that a tool refused, with the reason if the error names it. */
export interface Refused {
  name: string;
  reason: string | null;
}

/** A parameter of a tool, from its JSON Schema. */
export interface Parameter {
  name: string;
  type: string | null;
  required: boolean;
  description: string | null;
}

const MOST = 100;
/** Only errors that look like refused arguments are examined: others quote names as well. */
const REFUSAL =
  /validation|invalid|required|unexpected|missing|not allowed|should be|is not of type|is not one of|-32602|schema|must be|extra inputs|unrecognized/i;

/** The parameters that a JSON Schema declares, in its order. */
export function parametersOf(schema: unknown): Parameter[] {
  const properties = field(schema, "properties");
  if (!isObject(properties)) return [];
  const required = field(schema, "required");
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties)
    .slice(0, MOST)
    .map(([name, declared]) => ({
      name,
      type: typeOf(declared),
      required: needed.has(name),
      description: textOf(field(declared, "description")),
    }));
}

function typeOf(declared: unknown): string | null {
  const own = field(declared, "type");
  const options = field(declared, "anyOf", "oneOf");
  const found = Array.isArray(options) ? options.map((each) => field(each, "type")) : Array.isArray(own) ? own : [own];
  const names = found.filter((each) => typeof each === "string");
  if (names.length > 0) return names.join(" or ");
  return Array.isArray(field(declared, "enum")) ? "one of a list" : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/**
 * The arguments that an error refuses: those of `names` that it mentions.
 *
 * Pydantic puts each name on its own line, JSON Schema and Python quote it, Zod has it in a path.
 */
export function refusedIn(message: string, names: Iterable<string>): Refused[] {
  const text = message.slice(0, 20_000);
  if (!REFUSAL.test(text)) return [];
  const lines = text.split("\n");
  return [...names].flatMap((name) => {
    const alone = lines.findIndex((line) => line === name || line.startsWith(`${name}.`) || line === `  ${name}`);
    if (alone >= 0) return [{ name, reason: lines[alone + 1]?.trim().replace(/\s*\[type=.*$/, "") || null }];
    const quoted = [`'${name}'`, `"${name}"`, `\`${name}\``].find((each) => text.includes(each));
    if (quoted === undefined) return [];
    const said = lines.find((line) => line.includes(quoted))?.trim() ?? null;
    return [{ name, reason: said && said.length <= 200 ? said : null }];
  });
}
