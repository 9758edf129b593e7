import { useQuery } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import type { Run } from "@/api/client";
import { topEventsQuery } from "@/api/queries";
import { errorLine } from "@/lib/error-name";
import type { Filter } from "@/lib/filter";
import { Recorded } from "@/ui/recorded";
import css from "./runs-list.module.css";

/** Why a run failed, loaded for visible rows: the error of its last failed call; an error that travels up began there. */
export function LastFailure({ run }: { run: Run }) {
  const filter: Filter = { run_id: run.run_id, status: ["error"], duplicates: "false" };
  const { data } = useQuery({
    ...topEventsQuery({ filter, sort: "time", order: "desc" }, 1),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const error = data?.items[0]?.error;
  if (!error) return null;
  return (
    <>
      <ArrowRight size={11} aria-label="failed" className={css.arrow} />
      <Recorded text={errorLine(error)} className={css.failure} />
    </>
  );
}
