import { createContext } from "react";

/** The traces whose spans the page shows, so that a link to one of them stays on it; null on a page of other things. */
export const Here = createContext<((traceId: string) => boolean) | null>(null);
