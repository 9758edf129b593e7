import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const alias = { "@": new URL("./src", import.meta.url).pathname };

// A loaded machine is slow, which no test is about.
const testTimeout = 60_000;

export default defineConfig({
  test: {
    // A document costs each file half a second, and lib has no use for one, nor for a process for each file.
    projects: [
      {
        resolve: { alias },
        test: { name: "lib", environment: "node", isolate: false, include: ["src/lib/**/*.test.ts"], testTimeout },
      },
      {
        plugins: [react()],
        resolve: { alias },
        test: {
          name: "page",
          testTimeout,
          environment: "happy-dom",
          include: ["src/**/*.test.{ts,tsx}"],
          exclude: ["src/lib/**"],
          css: { modules: { classNameStrategy: "non-scoped" } },
        },
      },
    ],
  },
});
