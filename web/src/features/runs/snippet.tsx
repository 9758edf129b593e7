import { useQuery } from "@tanstack/react-query";
import { hitsQuery } from "@/api/queries";
import { Marked } from "@/ui/marked";
import css from "./snippet.module.css";

/** Where a run holds what was searched for; asked for the rows that show. */
export function Snippet({ traceId, q }: { traceId: string; q: string }) {
  const { data } = useQuery(hitsQuery({ traceId }, q, true));
  const place = data?.items[0]?.places[0];
  if (!place || place.within === "name") return null;
  return (
    <span className={css.snippet} title={`In ${place.within}`}>
      <Marked text={place.text} marks={place.marks} />
    </span>
  );
}
