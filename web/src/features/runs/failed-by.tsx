import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { statsQuery } from "@/api/queries";
import type { Filter } from "@/lib/filter";
import { count, plural } from "@/lib/format";
import { ErrorType } from "@/ui/error-type";
import css from "./failed-by.module.css";
import type { RunsSearch } from "./url";

const MOST = 8;

interface Props {
  filter: Filter;
  search: RunsSearch;
  /** Figures take the server long: the rows are loaded first. */
  enabled: boolean;
}

/** In how many of the failed runs each error occurred; a click lists those. */
export function FailedBy({ filter, search, enabled }: Props) {
  const { data } = useQuery({ ...statsQuery({ filter, by: "error_type", of: "runs" }), enabled });
  const groups = (data?.groups ?? []).filter((group): group is typeof group & { key: string } => group.key !== null);
  const sorted = groups.sort((one, other) => other.count - one.count);
  return (
    <ul className={css.groups} aria-label="Failed runs by error">
      {sorted.slice(0, MOST).map(({ key, count: runs }) => (
        <li key={key}>
          <Link to="/" search={{ ...search, error_type: key }} className={css.group} title="Show only these">
            <ErrorType type={key} />
            <b>{count(runs)}</b>
          </Link>
        </li>
      ))}
      {sorted.length > MOST && <li className={css.rest}>{plural(sorted.length - MOST, "other error")}</li>}
    </ul>
  );
}
