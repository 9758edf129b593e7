import { useQuery } from "@tanstack/react-query";
import { readinessQuery } from "@/api/queries";
import { LossStrip } from "@/ui/loss-strip";
import { useStoredNumber } from "@/ui/use-stored-number";

const LOOK_MS = 30_000;

/** Says how much is missing in all that is kept, until it was read and for as long as it stays the same. */
export function Missing() {
  const { data } = useQuery({ ...readinessQuery, refetchInterval: LOOK_MS });
  const [read, setRead] = useStoredNumber("inspector.losses.read", 0);
  if (!data) return null;
  const counts = [...Object.values(data.losses), ...data.refused.map(({ spans }) => spans)];
  const total = counts.reduce((sum, count) => sum + count, 0);
  // Less is another figure too: of what is kept now, after a deletion or in another home, nobody read it.
  if (total === read) return null;
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
