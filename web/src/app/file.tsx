import "@/styles/tokens.css";
import "@/styles/base.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { answerFrom } from "@/api/client";
import { keptInDocument } from "@/api/kept";
import { routerOf } from "./file-router";
import { applyTheme, storedTheme } from "./theme";

/** The application in one file with its data: nothing changes, and there is no other source. */
const FOR_EVER = { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false };

async function show(root: HTMLElement): Promise<void> {
  const kept = await keptInDocument();
  answerFrom((question) => kept.answer(question));
  // The data is also there without a network.
  const queries = new QueryClient({ defaultOptions: { queries: { ...FOR_EVER, networkMode: "always" } } });
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={routerOf(kept.ids)} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

applyTheme(storedTheme());

const root = document.getElementById("root");
if (!root) throw new Error("the document has no #root");
show(root).catch((error: Error) => {
  root.textContent = `This file cannot be read; it may be incomplete (${error.message})`;
});
