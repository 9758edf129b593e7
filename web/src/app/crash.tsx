import type { ErrorComponentProps } from "@tanstack/react-router";
import { Failure } from "@/ui/notice";

/** Replaces a page that failed to render; the frame around it keeps working. */
export function Crash({ error, reset }: ErrorComponentProps) {
  return <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />;
}
