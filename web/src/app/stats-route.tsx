import { getRouteApi } from "@tanstack/react-router";
import { StatsPage } from "@/features/stats/stats-page";
import { type StatsSearch, statsSearch } from "@/features/stats/url";
import { useChangeAddress } from "./use-address";

const stats = getRouteApi("/stats");

/** Figures and charts. */
export function StatsRoute() {
  const search = stats.useSearch({ select: (search) => statsSearch({ ...search }), structuralSharing: true });
  return <StatsPage search={search} change={useChangeAddress<StatsSearch>()} />;
}
