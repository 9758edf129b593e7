import { BASE, client } from "./client";

/** What another window of this browser did: a deletion takes things away, a label is added to them. */
export type Change = "deleted" | "labelled";

const listeners = new Set<(change: Change) => void>();
const deletionListeners = new Set<() => void>();

/** Tell the windows that show the same server of each change, and hear of theirs: no stream says so. */
export function connectWindows(): void {
  const windows = new BroadcastChannel(`inspector ${BASE}`);
  client.use({
    onResponse({ request, response, schemaPath }) {
      if (request.method === "GET" || !response.ok) return;
      const change: Change = request.method === "DELETE" && !schemaPath.startsWith("/labels") ? "deleted" : "labelled";
      windows.postMessage(change);
      if (change === "deleted") deleted();
    },
  });
  windows.onmessage = ({ data }: MessageEvent<Change>) => {
    for (const listener of listeners) listener(data);
    if (data === "deleted") deleted();
  };
}

function deleted() {
  for (const listener of deletionListeners) listener();
}

/** Call back whenever another window changed something, until the returned function is called. */
export function onOtherWindow(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Call back whenever something was deleted, in this window or another one, until the returned function is called. */
export function onDeletion(listener: () => void): () => void {
  deletionListeners.add(listener);
  return () => deletionListeners.delete(listener);
}
