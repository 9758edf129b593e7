import type { Call } from "@/lib/calls";
import type { Entry } from "./entries";

/** What each item of the transcript is drawn from. */
export interface ItemProps<T extends Entry = Entry> {
  entry: T;
  /** Whether all of it is shown. */
  open: boolean;
  onToggle: (id: string) => void;
  onSelect: (call: Call) => void;
}
