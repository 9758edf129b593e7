import { expect, it } from "vitest";
import { ownName } from "./error-name";

it("is the class without its module", () => {
  expect(ownName("mcp.server.mcpserver.exceptions.ToolError")).toBe("ToolError");
  expect(ownName("ValueError")).toBe("ValueError");
});

it("is the whole text where that is no class", () => {
  for (const type of ["tool_error", "404", "v1.404", "ends.", "", "a.b c"]) expect(ownName(type)).toBe(type);
});
