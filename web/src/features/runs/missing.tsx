import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Readiness } from "@/api/client";
import { readinessQuery } from "@/api/queries";
import { LossStrip } from "@/ui/loss-strip";
import { useStoredNumber } from "@/ui/use-stored-number";

const LOOK_MS = 30_000;

/** Says how much is missing in all that is kept, until it was read and for as long as it stays the same. */
export function Missing() {
  const { data } = useQuery({ ...readinessQuery, refetchInterval: LOOK_MS });
  const [read, setRead] = useStoredNumber("inspector.losses.read", 0);
  const total = data ? totalOf(data) : null;
  useEffect(() => {
    // What comes back to a figure that was read once has changed in between.
    if (total !== null && total !== read && read !== 0) setRead(0);
  }, [total, read, setRead]);
  // Less is another figure too: of what is kept now, after a deletion or in another home, nobody read it.
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
