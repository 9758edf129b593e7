import { cleanup, configure } from "@testing-library/react";
import { afterAll, vi } from "vitest";

// A loaded machine is slow, which no test is about.
configure({ asyncUtilTimeout: 30_000 });

// The next file has the same document, and modules of its own.
afterAll(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  localStorage.clear();
  vi.resetModules();
});
