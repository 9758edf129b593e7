import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readinessQuery } from "./queries";

/** The change from which a page follows the stream: the newest when it opened; undefined until the server answers. */
export function usePosition(): number | undefined {
  const [position, setPosition] = useState<number>();
  const { data, isFetchedAfterMount } = useQuery({
    ...readinessQuery,
    select: ({ seq }) => seq,
    staleTime: 0,
    enabled: position === undefined,
  });
  if (position === undefined && isFetchedAfterMount && data !== undefined) setPosition(data);
  return position;
}
