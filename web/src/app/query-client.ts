import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/client";
import { answered, onReturn, setConnection } from "@/api/connection";
import { connectWindows, onOtherWindow } from "@/api/other-windows";
import { paced } from "@/lib/pace";

/** The cache of the API's answers; each answer also updates the state of the connection. */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: answered,
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      if (error.status === 0) setConnection("lost");
      if (error.status === 401) setConnection("signed-out");
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status === 503),
      refetchOnWindowFocus: true,
    },
  },
});

// Reload what failed in the meantime or has no stream. Live lists resume where they stopped.
onReturn(() => void queries.invalidateQueries({ predicate: ({ meta, state }) => !meta?.live || !state.data }));

/** A deletion of many runs is as many changes. */
const PAUSE_MS = 2000;
const renewed = paced(() => queries.invalidateQueries({ predicate: ({ meta }) => !meta?.live }), PAUSE_MS);
connectWindows();
onOtherWindow(renewed.ask);
