import { getRouteApi, useNavigate, useRouter } from "@tanstack/react-router";
import { useCallback } from "react";
import { SessionsPage } from "@/features/sessions/sessions-page";
import { type SessionsSearch, sessionsSearch } from "@/features/sessions/url";
import { openTab } from "./open-tab";
import { useChangeAddress } from "./use-address";

const sessions = getRouteApi("/sessions");

/** All sessions; opening one shows its runs. */
export function SessionsRoute() {
  const search = sessions.useSearch({ select: (search) => sessionsSearch({ ...search }), structuralSharing: true });
  const navigate = useNavigate();
  const router = useRouter();
  return (
    <SessionsPage
      search={search}
      change={useChangeAddress<SessionsSearch>()}
      onOpen={useCallback(
        (sessionId, elsewhere) => {
          const target = { to: "/", search: { session_id: sessionId } } as const;
          if (elsewhere) openTab(router, router.buildLocation(target));
          else void navigate(target);
        },
        [navigate, router],
      )}
    />
  );
}
