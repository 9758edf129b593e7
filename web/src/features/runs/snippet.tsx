import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { hitsQuery } from "@/api/queries";
import { Marked } from "@/ui/marked";

/** The place in a run that matches the search, loaded for visible rows; `or` if only the run's name matches. */
export function Snippet({ runId, q, or }: { runId: string; q: string; or: ReactNode }) {
  const { data } = useQuery(hitsQuery({ runId }, q, true));
  const place = data?.items[0]?.places[0];
  if (!place || place.within === "name") return or;
  return (
    <span title={`In ${place.within}`}>
      <Marked text={place.text} marks={place.marks} />
    </span>
  );
}
