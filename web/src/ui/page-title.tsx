import { useEffect } from "react";
import { visibleLine } from "@/lib/visible";

const NAME = "Inspector";

/** Sets the title of the browser's tab and history while a component is mounted. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${visibleLine(title)} · ${NAME}`;
    return () => {
      document.title = NAME;
    };
  }, [title]);
}

/** The heading of a page that needs no visible one: for screen readers and the browser's tab. */
export function PageTitle({ title }: { title: string }) {
  usePageTitle(title);
  return <h1 className="visually-hidden">{title}</h1>;
}
