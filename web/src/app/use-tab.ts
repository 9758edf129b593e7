import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

/** Puts the selected tab of a span's detail into the address, so that a link opens it. */
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
