import { createHashHistory, createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { type TraceSearch, traceSearch } from "@/features/trace/url";
import { parseSearch, stringifySearch } from "@/lib/address";
import { Crash } from "./crash";
import { FileShell } from "./file-shell";
import { RunRoute } from "./trace-route";

/** The addresses of a file that holds one run: all of them lead to it, so that links into it work as elsewhere. */
export function routerOf(runId: string) {
  const toRun = (search: TraceSearch) => redirect({ to: "/runs/$runId", params: { runId }, search, replace: true });
  const root = createRootRoute({ component: FileShell });
  const run = createRoute({
    getParentRoute: () => root,
    path: "/runs/$runId",
    validateSearch: traceSearch,
    beforeLoad: ({ params, search }) => {
      if (params.runId !== runId) throw toRun(search);
    },
    component: RunRoute,
  });
  const others = ["/", "/traces/$traceId", "$"].map((path) =>
    createRoute({
      getParentRoute: () => root,
      path,
      validateSearch: traceSearch,
      beforeLoad: ({ search }) => {
        throw toRun(search);
      },
    }),
  );
  return createRouter({
    routeTree: root.addChildren([run, ...others]),
    history: createHashHistory(),
    parseSearch,
    stringifySearch,
    search: { strict: true },
    scrollRestoration: false,
    defaultPreload: false,
    defaultErrorComponent: Crash,
  });
}
