/** `ToolError` of `package.module.ToolError`; text that is not a class name is unchanged, as in the CLI. */
export function ownName(type: string): string {
  const last = type.slice(type.lastIndexOf(".") + 1);
  return /^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(last) ? last : type;
}
