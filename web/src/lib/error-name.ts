/** `ToolError` of `package.module.ToolError`; what is no class's name stays whole, as on the command line. */
export function ownName(type: string): string {
  const last = type.slice(type.lastIndexOf(".") + 1);
  return /^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(last) ? last : type;
}
