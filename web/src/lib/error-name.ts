/** An error on one line: `ToolError: no such city`. */
export function errorLine({ type, message }: { type: string | null; message: string | null }): string {
  return [type && ownName(type), message].filter(Boolean).join(": ");
}

/** `ToolError` of `package.module.ToolError`; text that is not a class name is unchanged, as in the CLI. */
export function ownName(type: string): string {
  const last = type.slice(type.lastIndexOf(".") + 1);
  return /^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(last) ? last : type;
}
