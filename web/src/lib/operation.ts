// Names of operations as OpenTelemetry's GenAI conventions spell them, those that are longer than what they name.
const OPERATION = /^(?:execute_tool|invoke_agent|invoke_workflow) (?=\S)/;

/**
 * Part the name of a span into the word for its operation, with the space behind it, and what that is done to.
 *
 * @param target The tool, model or agent that it is done to, where that is known: any operation is told by it.
 */
export function partsOfName(name: string, target?: string | null): [operation: string, target: string] {
  if (target && name.length > target.length && name.endsWith(` ${target}`))
    return [name.slice(0, -target.length), target];
  const operation = OPERATION.exec(name)?.[0] ?? "";
  return [operation, name.slice(operation.length)];
}

/** What a span says of what it calls. */
export interface Called {
  tool: string | null;
  model: string | null;
  agent: string | null;
}

/** What a call is done to. */
export function targetOf({ tool, model, agent }: Called): string | null {
  return tool ?? model ?? agent;
}
