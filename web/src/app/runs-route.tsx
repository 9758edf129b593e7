import { getRouteApi, useNavigate, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { RunsPage } from "@/features/runs/runs-page";
import { type RunsSearch, runsSearch } from "@/features/runs/url";
import { rememberRuns } from "./last-runs";
import { openTab } from "./open-tab";
import { useChangeAddress } from "./use-address";

const runs = getRouteApi("/");

/** All runs. */
export function RunsRoute() {
  const search = runs.useSearch({ select: (search) => runsSearch({ ...search }), structuralSharing: true });
  const navigate = useNavigate();
  const router = useRouter();
  useEffect(() => rememberRuns(search), [search]);
  return (
    <RunsPage
      search={search}
      change={useChangeAddress<RunsSearch>()}
      onOpen={useCallback(
        (runId, find, elsewhere) => {
          const target = { to: "/runs/$runId", params: { runId }, search: find ? { find } : {} } as const;
          if (elsewhere) openTab(router, router.buildLocation(target));
          else void navigate(target);
        },
        [navigate, router],
      )}
      onCompare={(a, b) => void navigate({ to: "/diff", search: a === undefined ? { b } : { a, b } })}
      onLeave={() => navigate({ to: "/sessions" })}
    />
  );
}
