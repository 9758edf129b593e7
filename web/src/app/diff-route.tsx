import { getRouteApi } from "@tanstack/react-router";
import { DiffPage } from "@/features/diff/diff-page";
import { type DiffSearch, diffSearch } from "@/features/diff/url";
import { useChangeAddress } from "./use-address";

const diff = getRouteApi("/diff");

/** Two runs, compared. */
export function DiffRoute() {
  const search = diff.useSearch({ select: (search) => diffSearch({ ...search }), structuralSharing: true });
  return <DiffPage search={search} change={useChangeAddress<DiffSearch>()} />;
}
