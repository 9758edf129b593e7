import { useEffect } from "react";
import { visibleLine } from "@/lib/visible";

const NAME = "Inspector";

/** Names the page in the browser's tab and history for as long as it is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${visibleLine(title)} · ${NAME}`;
    return () => {
      document.title = NAME;
    };
  }, [title]);
}

/** The heading of a page whose content needs none to be seen: for screen readers, and in the browser's tab. */
export function PageTitle({ title }: { title: string }) {
  usePageTitle(title);
  return <h1 className="visually-hidden">{title}</h1>;
}
