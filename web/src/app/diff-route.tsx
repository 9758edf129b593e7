import { getRouteApi } from "@tanstack/react-router";
import { DiffPage } from "@/features/diff/diff-page";
import { type DiffSearch, diffSearch } from "@/features/diff/url";
import { useChangeAddress } from "./use-address";

const diff = getRouteApi("/diff");

/** A comparison of two runs. */
export function DiffRoute() {
  const search = diff.useSearch({ select: (search) => diffSearch({ ...search }), structuralSharing: true });
  return <DiffPage search={search} change={useChangeAddress<DiffSearch>()} />;
}
