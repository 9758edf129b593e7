import type { ErrorComponentProps } from "@tanstack/react-router";
import { Failure } from "@/ui/notice";

/** Stands where a page failed to draw; the frame around it lives on. */
export function Crash({ error, reset }: ErrorComponentProps) {
  return <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />;
}
