import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const INSPECTOR = process.env.INSPECTOR_ADDRESS ?? "http://127.0.0.1:7800";

// All that the first page needs in one file: a browser fetches six at a time, and each costs a turn.
const SERVED = { output: { codeSplitting: { groups: [{ name: "start", tags: ["$initial" as const] }] } } };

// What `inspector export` puts into a file with a run: one script that needs no loader, and one style sheet.
const ONE_FILE = { outDir: "dist/file", cssCodeSplit: false };
const ALONE = {
  input: "src/app/file.tsx",
  output: {
    format: "iife" as const,
    codeSplitting: false,
    entryFileNames: "page.js",
    assetFileNames: "page.[ext]",
  },
};

export default defineConfig(({ mode }) => ({
  // Relative, so that the same build works under any mount prefix.
  base: "./",
  plugins: [react()],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    ...(mode === "file" && ONE_FILE),
    // light-dark() and nesting as they are.
    target: ["chrome123", "firefox125", "safari17.5"],
    // Fonts and icons stay files: the policy of the page allows no `data:` font.
    assetsInlineLimit: 0,
    // What the bundled packages ask for: their names and licences travel with the build.
    license: { fileName: "licenses.md" },
    // The polyfill would be the only inline code on the page.
    modulePreload: { polyfill: false },
    rolldownOptions: mode === "file" ? ALONE : SERVED,
  },
  server: {
    // `npm run dev` beside a running inspector: INSPECTOR_ADDRESS names it, INSPECTOR_TOKEN opens it.
    proxy: Object.fromEntries(
      ["/events", "/traces", "/sessions", "/stats", "/readyz", "/openapi.json"].map((path) => [
        path,
        {
          target: INSPECTOR,
          changeOrigin: true,
          headers: { authorization: `Bearer ${process.env.INSPECTOR_TOKEN ?? ""}`, origin: INSPECTOR },
        },
      ]),
    ),
  },
}));
