import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Session } from "@/api/client";
import { sessionsPage, sessionsQuery } from "@/api/lists";
import { sessionSummary } from "@/api/queries";
import { LIVE, useLiveList } from "@/api/use-live-list";
import { type ItemRules, itemsOf } from "@/lib/list-pages";
import { orderIn } from "@/lib/sort";
import { msBetween } from "@/lib/time";
import type { SessionsSearch } from "./url";

const idOf = (session: Session) => session.session_id;

const RULES: ItemRules<Session> = {
  idOf,
  // A session that is still running counts as the latest.
  timeOf: (session) => session.end_time_unix_nano,
  valueOf(session, sort) {
    const { start_time_unix_nano: start, end_time_unix_nano: end } = session;
    if (sort === "tokens") return session.input_tokens + session.output_tokens;
    if (sort === "cost") return session.cost_usd;
    return end === null ? null : msBetween(start, end);
  },
};

/** The sessions that the address asks for, live. */
export function useLiveSessions(search: SessionsSearch) {
  const listing = { ...search, ...orderIn(search) };
  const options = sessionsQuery(listing);
  const query = useInfiniteQuery({ ...options, ...LIVE });
  useLiveList<Session>({
    queryKey: options.queryKey,
    by: listing,
    rules: RULES,
    first: (place) => sessionsPage(listing, place),
    ownerOf: (span) => span.session_id,
    ownerIn: idOf,
    item: sessionSummary,
  });
  const sessions = useMemo(() => itemsOf(query.data, idOf), [query.data]);
  return { query, sessions };
}
