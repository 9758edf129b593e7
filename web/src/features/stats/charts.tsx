import { useState } from "react";
import type { StatsBucket } from "@/api/client";
import { axisLabel, sliceLabel, slicesOf } from "@/lib/figures";
import type { Filter } from "@/lib/filter";
import { compact, dollars, duration } from "@/lib/format";
import { unixMs } from "@/lib/time";
import { Chart, type Series } from "@/ui/chart";
import { type Of, placeOf } from "./behind";
import { BucketTable } from "./bucket-table";
import css from "./stats-page.module.css";

interface Props {
  buckets: readonly StatsBucket[];
  filter: Filter;
  of: Of;
  asTable: boolean;
}

/** The figures over time: four charts with a common pointer, or a table of their values. */
export function Charts({ buckets, filter, of, asTable }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const nowMs = Date.now();
  const cut = slicesOf(buckets.map((bucket) => bucket.start_time_unix_nano));
  const slices = cut.map((slice) => ({ label: sliceLabel(slice, nowMs), filter: { ...filter, ...slice } }));
  if (asTable) return <BucketTable buckets={buckets} slices={slices} of={of} />;
  const common = { slices, to: placeOf(of), axis: axisOf(cut, nowMs), at, onPoint: setAt } as const;
  const values = (value: (bucket: StatsBucket) => number | null) => buckets.map(value);
  return (
    <div className={css.charts}>
      <Chart
        title={of === "runs" ? "Runs" : "Calls"}
        look="bars"
        format={compact}
        series={countSeries(values)}
        {...common}
      />
      <Chart title="Duration" look="lines" format={duration} series={durationSeries(values)} {...common} />
      <Chart title="Tokens" look="bars" format={compact} series={tokenSeries(values)} {...common} />
      <Chart
        title="Cost"
        look="bars"
        format={dollars}
        series={[{ name: "cost", values: values((bucket) => bucket.cost_usd), color: "--kind-agent" }]}
        {...common}
      />
    </div>
  );
}

type Values = (value: (bucket: StatsBucket) => number | null) => (number | null)[];

function countSeries(values: Values): Series[] {
  return [
    { name: "failed", values: values((bucket) => bucket.errors), color: "--error", texture: "stripes" },
    { name: "others", values: values((bucket) => bucket.count - bucket.errors), color: "--accent" },
  ];
}

function durationSeries(values: Values): Series[] {
  return [
    { name: "p50", values: values((bucket) => bucket.p50_ms), color: "--kind-llm" },
    { name: "p95", values: values((bucket) => bucket.p95_ms), color: "--kind-agent", texture: "dashes" },
    { name: "p99", values: values((bucket) => bucket.p99_ms), color: "--kind-resource", texture: "dots" },
  ];
}

function tokenSeries(values: Values): Series[] {
  return [
    { name: "cached", values: values((bucket) => bucket.cached_tokens), color: "--kind-tool", texture: "stripes" },
    { name: "in", values: values((bucket) => bucket.input_tokens - bucket.cached_tokens), color: "--kind-tool" },
    { name: "out", values: values((bucket) => bucket.output_tokens), color: "--kind-prompt" },
  ];
}

function axisOf(slices: ReturnType<typeof slicesOf>, nowMs: number): string[] {
  const [first, last] = [slices[0], slices.at(-1)];
  if (!first || !last) return [];
  const [from, to] = [unixMs(first.since), unixMs(last.until)];
  return [from, (from + to) / 2, to].map((ms) => axisLabel(ms, to - from, nowMs));
}
