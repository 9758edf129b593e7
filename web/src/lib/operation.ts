// Names of operations as OpenTelemetry's GenAI conventions spell them, those that are longer than what they name.
const OPERATION = /^(?:execute_tool|invoke_agent|invoke_workflow) (?=\S)/;

/** Part the name of a span into the word for its operation, with the space behind it, and what that is done to. */
export function partsOfName(name: string): [operation: string, target: string] {
  const operation = OPERATION.exec(name)?.[0] ?? "";
  return [operation, name.slice(operation.length)];
}
