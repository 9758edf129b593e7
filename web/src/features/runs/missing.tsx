import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Readiness } from "@/api/client";
import { readinessQuery } from "@/api/queries";
import { LossStrip } from "@/ui/loss-strip";
import { useStoredNumber } from "@/ui/use-stored-number";

const LOOK_MS = 30_000;

/** Says how much was not recorded, until the user closes it; shown again when the total changes. */
export function Missing() {
  const { data } = useQuery({ ...readinessQuery, refetchInterval: LOOK_MS });
  const [read, setRead] = useStoredNumber("inspector.losses.read", 0);
  const total = data ? totalOf(data) : null;
  useEffect(() => {
    // The total changed after it was read: show it even if it changes back to the same number.
    if (total !== null && total !== read && read !== 0) setRead(0);
  }, [total, read, setRead]);
  // A lower total is shown as well: after a deletion, or with another home, nobody has read it yet.
  if (!data || total === null || total === read) return null;
  return (
    <LossStrip
      losses={data.losses}
      refused={data.refused}
      onClose={() => {
        setRead(total);
        document.getElementById("main")?.focus();
      }}
    />
  );
}

function totalOf({ losses, refused }: Readiness): number {
  const counts = [...Object.values(losses), ...refused.map(({ spans }) => spans)];
  return counts.reduce((sum, count) => sum + count, 0);
}
