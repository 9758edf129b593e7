import { Link } from "@tanstack/react-router";
import { Pause, Play, RefreshCw } from "lucide-react";
import { useConnection } from "@/api/connection";
import { count } from "@/lib/format";
import type { Sort } from "@/lib/sort";
import { Button } from "@/ui/button";
import { useNow } from "@/ui/use-now";
import css from "./live-bar.module.css";
import type { EventsSearch } from "./url";
import type { Hold } from "./use-hold";
import type { LiveEvents } from "./use-live-events";

/** The state of the live list, and the button that holds it. */
export function LiveBar({ list, hold }: { list: LiveEvents; hold: Hold }) {
  const connection = useConnection();
  const now = useNow(1000);
  const perSecond = list.rate.perSecond(now);
  const { paused } = hold;
  return (
    <div className={css.bar}>
      <span className={css.rate}>{perSecond > 0 ? `${rateText(perSecond)} spans/s` : ""}</span>
      <span className={css.state} role="status">
        <span className={connection === "fine" && !paused ? css.live : css.still} aria-hidden />
        {connection === "fine" ? (paused ? pausedText(list) : "Live") : "Not connected"}
      </span>
      <Button onClick={hold.toggle} aria-keyshortcuts="Space" title={paused ? "Resume (Space)" : "Pause (Space)"}>
        {paused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
        {paused ? "Resume" : "Pause"}
      </Button>
    </div>
  );
}

function pausedText({ waiting, overflow }: LiveEvents): string {
  if (overflow) return "Paused · buffer full; resuming reloads the list";
  return waiting ? `${count(waiting)} new while paused` : "Paused";
}

function rateText(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond));
}

const FIRST: Record<Sort, [string, string]> = {
  duration: ["slowest first", "fastest first"],
  cost: ["most expensive first", "cheapest first"],
  tokens: ["most tokens first", "fewest tokens first"],
};

/** Says that a sorted list is not live, with a link to the live one. */
export function SortedBar({ search, refresh }: { search: EventsSearch; refresh: () => void }) {
  const { sort, order, ...rest } = search;
  const words = FIRST[sort ?? "duration"];
  return (
    <div className={css.bar}>
      <span className={css.state}>Not live: {order === "asc" ? words[1] : words[0]}</span>
      <Button onClick={refresh}>
        <RefreshCw size={14} aria-hidden />
        Refresh
      </Button>
      <Link to="/spans" search={rest}>
        Back to live
      </Link>
    </div>
  );
}
