import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { readinessQuery } from "@/api/queries";
import { visibleLine } from "@/lib/visible";
import css from "./banner.module.css";

const LOOK_MS = 30_000;

/** Says what keeps the server from taking in what is recorded, such as a damaged database. */
export function Trouble() {
  const { data } = useQuery({ ...readinessQuery, refetchInterval: LOOK_MS });
  const problem = data?.ready === false ? data.problems[0] : undefined;
  if (!problem) return null;
  return (
    <div className={css.banner} role="alert">
      <TriangleAlert size={16} aria-hidden />
      <p>{visibleLine(problem)}</p>
    </div>
  );
}
