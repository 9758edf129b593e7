import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { SummedCost } from "./summed-cost";

test("a sum says what is missing from it, and that nothing is known if everything is", () => {
  const text = (cost_usd: number | null, unpriced_calls: number) =>
    render(<SummedCost of={{ cost_usd, unpriced_calls }} />).container.textContent;
  expect(text(1.2, 0)).toBe("$1.20");
  expect(text(null, 0)).toBe("–");
  expect(text(1.2, 1)).toBe("$1.20 +? without 1 unpriced call");
  expect(text(null, 2)).toBe("? without 2 unpriced calls");
});
