import type { Call } from "@/lib/calls";
import type { Entry } from "./entries";

/** The props of every transcript item. */
export interface ItemProps<T extends Entry = Entry> {
  entry: T;
  /** Whether all of it is shown. */
  open: boolean;
  onToggle: (id: string) => void;
  onSelect: (call: Call) => void;
}
