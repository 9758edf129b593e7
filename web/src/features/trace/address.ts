import { createContext, use } from "react";
import type { ChangeAddress } from "@/lib/address";
import type { TraceSearch } from "./url";

/** How the page of a run changes its address. */
interface Address {
  change: ChangeAddress<TraceSearch>;
  /** Go to the list of runs. */
  leave: () => void;
}

export const TraceAddress = createContext<Address>({ change: async () => {}, leave: () => {} });

/** How to leave the current view of a run, and the run itself. */
export function useTraceAddress(): Address {
  return use(TraceAddress);
}
