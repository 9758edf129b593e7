import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const alias = { "@": new URL("./src", import.meta.url).pathname };

export default defineConfig({
  test: {
    // A loaded machine is slow, which no test is about.
    testTimeout: 60_000,
    // A document costs each file half a second, and lib has no use for one.
    projects: [
      { resolve: { alias }, test: { name: "lib", environment: "node", include: ["src/lib/**/*.test.ts"] } },
      {
        plugins: [react()],
        resolve: { alias },
        test: {
          name: "page",
          environment: "happy-dom",
          include: ["src/**/*.test.{ts,tsx}"],
          exclude: ["src/lib/**"],
          css: { modules: { classNameStrategy: "non-scoped" } },
        },
      },
    ],
  },
});
