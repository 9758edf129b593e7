import { createHashHistory, createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { diffSearch } from "@/features/diff/url";
import { type TraceSearch, traceSearch } from "@/features/trace/url";
import { parseSearch, stringifySearch } from "@/lib/address";
import { Crash } from "./crash";
import { DiffRoute } from "./diff-route";
import { DiffShell, RunShell } from "./file-shell";
import { RunRoute } from "./trace-route";

/** The addresses in a file: unknown ones lead to its run, or to its comparison. */
export function routerOf(ids: readonly string[]) {
  const [only = "", ...further] = ids;
  const home = (search: TraceSearch) =>
    further.length > 0
      ? redirect({ to: "/diff", search: {}, replace: true })
      : redirect({ to: "/runs/$runId", params: { runId: only }, search, replace: true });
  const root = createRootRoute({ component: further.length > 0 ? DiffShell : RunShell });
  const run = createRoute({
    getParentRoute: () => root,
    path: "/runs/$runId",
    validateSearch: traceSearch,
    beforeLoad: ({ params, search }) => {
      if (!ids.includes(params.runId)) throw home(search);
    },
    component: RunRoute,
  });
  const diff = createRoute({
    getParentRoute: () => root,
    path: "/diff",
    validateSearch: diffSearch,
    beforeLoad: () => {
      if (further.length === 0) throw home({});
    },
    component: DiffRoute,
  });
  const others = ["/", "/traces/$traceId", "$"].map((path) =>
    createRoute({
      getParentRoute: () => root,
      path,
      validateSearch: traceSearch,
      beforeLoad: ({ search }) => {
        throw home(search);
      },
    }),
  );
  return createRouter({
    routeTree: root.addChildren([run, diff, ...others]),
    history: createHashHistory(),
    parseSearch,
    stringifySearch,
    search: { strict: true },
    scrollRestoration: false,
    defaultPreload: false,
    defaultErrorComponent: Crash,
  });
}
