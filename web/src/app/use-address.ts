import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import type { ChangeAddress } from "@/lib/address";

/** Changes the address of the current page. Pages get it from their routes, so they do not depend on the router. */
export function useChangeAddress<Search extends object>(): ChangeAddress<Search> {
  const navigate = useNavigate();
  return useCallback(
    (change, replace = false) => navigate({ to: ".", search: (before) => change(before as Search) as never, replace }),
    [navigate],
  );
}
