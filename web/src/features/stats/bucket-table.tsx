import { Link } from "@tanstack/react-router";
import type { StatsBucket } from "@/api/client";
import { RANKS, type Rank } from "@/lib/figures";
import type { ChartSlice } from "@/ui/chart";
import { COLUMNS, cellsOf, type Of, placeOf } from "./behind";
import css from "./stats-page.module.css";

interface Props {
  buckets: readonly StatsBucket[];
  slices: readonly ChartSlice[];
  of: Of;
}

/** The values of the charts as numbers; empty slices are left out. */
export function BucketTable({ buckets, slices, of }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={css.buckets} aria-label="Figures over time" tabIndex={0}>
      <table className={css.numbers}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {COLUMNS.map(({ id, label }) => (
              <th key={id} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket, at) => {
            const slice = slices[at];
            return slice && bucket.count > 0 ? (
              <Row key={bucket.start_time_unix_nano} bucket={bucket} slice={slice} of={of} />
            ) : null;
          })}
        </tbody>
      </table>
    </section>
  );
}

function Row({ bucket, slice, of }: { bucket: StatsBucket; slice: ChartSlice; of: Of }) {
  const cells = cellsOf({ ...bucket, key: null }, slice.filter);
  return (
    <tr>
      <th scope="row">{slice.label}</th>
      {RANKS.map((id: Rank) => {
        const { text, search, title } = cells[id];
        return (
          <td key={id}>
            {search ? (
              <Link to={placeOf(of)} search={search} preload={false} title={title}>
                {text}
              </Link>
            ) : (
              text
            )}
          </td>
        );
      })}
    </tr>
  );
}
