import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

/** Puts which side of a span shows into the address, so that a link opens the same one. */
export function useTab(): (tab: string | undefined) => void {
  const navigate = useNavigate();
  return useCallback(
    (tab) =>
      void navigate({
        to: ".",
        search: ({ tab: _, ...before }) => (tab === undefined ? before : { ...before, tab }),
        replace: true,
      }),
    [navigate],
  );
}
