import { type DiffHead, KeptDiff } from "./kept-diff";
import { type Head, KeptRun } from "./kept-run";
import { linesOf, partId } from "./unpacked";

/** What the document itself contains: a run, or two compared runs. */
export async function keptInDocument(): Promise<KeptRun | KeptDiff> {
  const [line] = await linesOf(partId(0));
  const head = JSON.parse(line ?? "") as Head | DiffHead;
  return "diff" in head ? KeptDiff.of(head) : new KeptRun(head);
}
