import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const alias = { "@": new URL("./src", import.meta.url).pathname };

const page = ["src/**/*.test.tsx", "src/{api,ui}/**/*.test.ts"];

// A loaded machine is slow, which no test is about.
const testTimeout = 60_000;

export default defineConfig({
  test: {
    // A document costs each file half a second; functions have no use for one, nor for a process for each file.
    projects: [
      {
        resolve: { alias },
        test: {
          name: "functions",
          environment: "node",
          isolate: false,
          include: ["src/**/*.test.ts"],
          exclude: page,
          testTimeout,
        },
      },
      {
        plugins: [react()],
        resolve: { alias },
        test: {
          name: "page",
          testTimeout,
          environment: "happy-dom",
          include: page,
          css: { modules: { classNameStrategy: "non-scoped" } },
        },
      },
    ],
  },
});
