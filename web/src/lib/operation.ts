// The operation names of OpenTelemetry's GenAI conventions that are longer than the names after them.
const OPERATION = /^(?:execute_tool|invoke_agent|invoke_workflow) (?=\S)/;

/**
 * Split the name of a span into its operation, with the space after it, and its subject.
 *
 * @param target The tool, model or agent of the span, if known: it allows any operation.
 */
export function partsOfName(name: string, target?: string | null): [operation: string, target: string] {
  if (target && name.length > target.length && name.endsWith(` ${target}`))
    return [name.slice(0, -target.length), target];
  const operation = OPERATION.exec(name)?.[0] ?? "";
  return [operation, name.slice(operation.length)];
}

/** The tool, model and agent of a span. */
export interface Called {
  tool: string | null;
  model: string | null;
  agent: string | null;
}

/** The subject of a call. */
export function targetOf({ tool, model, agent }: Called): string | null {
  return tool ?? model ?? agent;
}
