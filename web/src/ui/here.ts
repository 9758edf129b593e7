import { createContext } from "react";

/** Whether the page shows a trace, so that a link to its spans stays on the page; null on pages without spans. */
export const Here = createContext<((traceId: string) => boolean) | null>(null);
