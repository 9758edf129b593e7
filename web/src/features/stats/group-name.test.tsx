import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { GroupName } from "./group-name";

test("an error is named without its module, which its title has", () => {
  render(<GroupName by="error_type" value="mcp.shared.exceptions.MCPError" />);
  expect(screen.getByText("MCPError").title).toBe("mcp.shared.exceptions.MCPError");
});

test("a value that only looks like an error type, a status or a kind stays as it is", () => {
  for (const value of ["a.b", "error", "llm"]) {
    render(<GroupName by="name" value={value} />);
    expect(screen.getByText(value).title).toBe(value);
  }
});
