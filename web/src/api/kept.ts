import { type DiffHead, KeptDiff } from "./kept-diff";
import { type Head, KeptRun } from "./kept-run";
import { linesOf, partId } from "./unpacked";

/** What the document of a page holds: a run, or two that are compared. */
export async function keptInDocument(): Promise<KeptRun | KeptDiff> {
  const [line] = await linesOf(partId(0));
  const head = JSON.parse(line ?? "") as Head | DiffHead;
  return "diff" in head ? KeptDiff.of(head) : new KeptRun(head);
}
