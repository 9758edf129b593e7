import { dollars, withoutPrice } from "@/lib/format";

/** A sum of costs, marked if calls without a known price are missing from it: `$1.20 +?`, or `?` if all of them are. */
export function SummedCost({ of }: { of: { cost_usd: number | null; unpriced_calls: number } }) {
  if (of.unpriced_calls === 0) return dollars(of.cost_usd);
  const words = withoutPrice(of.unpriced_calls);
  return (
    <span title={words}>
      {of.cost_usd !== null && dollars(of.cost_usd)}
      <span aria-hidden>{of.cost_usd === null ? "?" : " +?"}</span>
      <span className="visually-hidden"> {words}</span>
    </span>
  );
}
