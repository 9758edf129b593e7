import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const INSPECTOR = process.env.INSPECTOR_ADDRESS ?? "http://127.0.0.1:7800";

export default defineConfig({
  // Relative, so that the same build works under any mount prefix.
  base: "./",
  plugins: [react()],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    // light-dark() and nesting as they are.
    target: ["chrome123", "firefox125", "safari17.5"],
    // Fonts and icons stay files: the policy of the page allows no `data:` font.
    assetsInlineLimit: 0,
    // What the bundled packages ask for: their names and licences travel with the build.
    license: { fileName: "licenses.md" },
    // The polyfill would be the only inline code on the page.
    modulePreload: { polyfill: false },
    // All that the first page needs in one file: a browser fetches six at a time, and each costs a turn.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "start", tags: ["$initial"] }] } } },
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
});
