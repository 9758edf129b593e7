import { type RefObject, useEffect } from "react";
import { wordsIn } from "./find-words";

/** Maximum marked words; a page with more is marked from its top. */
const MOST = 2000;
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

function rangesOf(root: Element, words: RegExp): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && ranges.length < MOST; node = texts.nextNode()) {
    for (const match of (node.nodeValue ?? "").matchAll(words)) {
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}
