import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const alias = { "@": new URL("./src", import.meta.url).pathname };

const page = ["src/**/*.test.tsx", "src/{api,ui}/**/*.test.ts"];

// A loaded machine is slow, which no test is about.
const testTimeout = 60_000;

export default defineConfig({
  test: {
    // A process for each file takes most of the time, and so does a document, which functions have no use for.
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
          isolate: false,
          setupFiles: "src/ui/page.test-setup.ts",
          include: page,
          css: { modules: { classNameStrategy: "non-scoped" } },
        },
      },
    ],
  },
});
