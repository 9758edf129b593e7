import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { runsQuery } from "@/api/lists";
import { diffSearch } from "@/features/diff/url";
import { eventsSearch } from "@/features/events/url";
import { filterIn, runsSearch } from "@/features/runs/url";
import { sessionsSearch } from "@/features/sessions/url";
import { statsSearch } from "@/features/stats/url";
import { traceSearch } from "@/features/trace/url";
import { parseSearch, stringifySearch } from "@/lib/address";
import { orderIn } from "@/lib/sort";
import { Skeleton } from "@/ui/notice";
import { Crash } from "./crash";
import { NotFound } from "./not-found";
import { queries } from "./query-client";
import { RunsRoute } from "./runs-route";
import { Shell } from "./shell";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const runs = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: runsSearch,
  // Requested while the page is still rendering.
  loaderDeps: ({ search }) => {
    const checked = runsSearch({ ...search });
    return { filter: filterIn(checked), ...orderIn(checked) };
  },
  loader: ({ deps }) => void queries.prefetchInfiniteQuery(runsQuery(deps)),
  component: RunsRoute,
});

/** What is left of the address of a run without its id. */
const allRuns = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: runsSearch,
  beforeLoad: ({ search }) => {
    throw redirect({ to: "/", search, replace: true });
  },
});

const sessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: sessionsSearch,
  component: lazyRouteComponent(() => import("./sessions-route"), "SessionsRoute"),
});

/** A session has no page of its own: its address leads to its runs. */
const session = createRoute({
  getParentRoute: () => root,
  path: "/sessions/$sessionId",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/", search: { session_id: params.sessionId }, replace: true });
  },
});

const trace = createRoute({
  getParentRoute: () => root,
  path: "/traces/$traceId",
  validateSearch: traceSearch,
  component: lazyRouteComponent(() => import("./trace-route"), "TraceRoute"),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  validateSearch: traceSearch,
  component: lazyRouteComponent(() => import("./trace-route"), "RunRoute"),
});

const diff = createRoute({
  getParentRoute: () => root,
  path: "/diff",
  validateSearch: diffSearch,
  component: lazyRouteComponent(() => import("./diff-route"), "DiffRoute"),
});

const events = createRoute({
  getParentRoute: () => root,
  path: "/spans",
  validateSearch: eventsSearch,
  component: lazyRouteComponent(() => import("./events-route"), "EventsRoute"),
});

/** The former address of the spans. */
const oldEvents = createRoute({
  getParentRoute: () => root,
  path: "/events",
  validateSearch: eventsSearch,
  beforeLoad: ({ search }) => {
    throw redirect({ to: "/spans", search, replace: true });
  },
});

const stats = createRoute({
  getParentRoute: () => root,
  path: "/stats",
  validateSearch: statsSearch,
  component: lazyRouteComponent(() => import("./stats-route"), "StatsRoute"),
});

/**
 * The address is the state. It is behind the `#`: so there is one document for every mount prefix, a link from another
 * site opens it with its cookie, and searched text never reaches a log.
 */
export const router = createRouter({
  routeTree: root.addChildren([runs, allRuns, sessions, session, trace, run, diff, events, oldEvents, stats]),
  history: createHashHistory(),
  parseSearch,
  stringifySearch,
  // Parameters that a route does not know are not copied into new addresses. Pages still validate their own: for an
  // address that was typed while the app was open, the router passes on everything.
  search: { strict: true },
  scrollRestoration: false,
  defaultPreload: "intent",
  defaultErrorComponent: Crash,
  defaultPendingComponent: Skeleton,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
