import { listenersOf } from "@/lib/store";
import { BASE, client } from "./client";

/** What another window of this browser did: a deletion takes things away, a label is added to them. */
export type Change = "deleted" | "labelled";

const changes = listenersOf<Change>();
const deletions = listenersOf();

/** Tell the windows that show the same server of each change, and hear of theirs: no stream says so. */
export function connectWindows(): void {
  const windows = new BroadcastChannel(`inspector ${BASE}`);
  client.use({
    onResponse({ request, response, schemaPath }) {
      if (request.method === "GET" || !response.ok) return;
      const change: Change = request.method === "DELETE" && !schemaPath.startsWith("/labels") ? "deleted" : "labelled";
      windows.postMessage(change);
      if (change === "deleted") deletions.tell();
    },
  });
  windows.onmessage = ({ data }: MessageEvent<Change>) => {
    changes.tell(data);
    if (data === "deleted") deletions.tell();
  };
}

/** Call back whenever another window changed something, until the returned function is called. */
export const onOtherWindow = changes.add;

/** Call back whenever something was deleted, in this window or another one, until the returned function is called. */
export const onDeletion = deletions.add;
