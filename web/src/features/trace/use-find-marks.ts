import { type RefObject, useEffect } from "react";
import { rangesOf } from "@/ui/text-ranges";
import { wordsIn } from "./find-words";

const NAME = "find";

/**
 * Marks the words of a search wherever they show in a part of the page, and brings the first one in `detail` into view.
 *
 * Ranges that the browser draws: what shows stays as it is, and nothing recorded is made markup.
 */
export function useFindMarks(text: string, page: RefObject<Element | null>, detail: RefObject<Element | null>): void {
  useEffect(() => {
    const root = page.current;
    const words = wordsIn(text);
    if (!root || !words || !("highlights" in CSS)) return;
    let shown: string | null = null;
    let frame = 0;
    const mark = () => {
      frame = 0;
      const ranges = rangesOf(root, words);
      CSS.highlights.set(NAME, new Highlight(...ranges));
      const inDetail = ranges.find((range) => detail.current?.contains(range.startContainer));
      const span = new URLSearchParams(location.hash.split("?")[1]).get("span");
      if (inDetail && span !== shown) {
        shown = span;
        inDetail.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
      }
    };
    const ask = () => {
      if (!frame) frame = requestAnimationFrame(mark);
    };
    const observer = new MutationObserver(ask);
    observer.observe(root, { subtree: true, childList: true, characterData: true });
    ask();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [text, page, detail]);
}
