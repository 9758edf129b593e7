import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { readinessQuery } from "@/api/queries";
import { plural } from "@/lib/format";
import { visibleLine } from "@/lib/visible";
import css from "./banner.module.css";

const LOOK_MS = 30_000;
/** How many fit above a page without hiding it. */
const MOST = 4;

/** Says why the server cannot store new spans, such as a damaged database. */
export function Trouble() {
  const { data } = useQuery({ ...readinessQuery, refetchInterval: LOOK_MS });
  const problems = data?.ready === false ? data.problems : [];
  if (problems.length === 0) return null;
  return (
    <div className={css.banner} role="alert">
      <TriangleAlert size={16} aria-hidden />
      <ul className={css.lines}>
        {problems.slice(0, MOST).map((problem) => (
          <li key={problem}>{visibleLine(problem)}</li>
        ))}
        {problems.length > MOST && <li>and {plural(problems.length - MOST, "more problem")}</li>}
      </ul>
    </div>
  );
}
