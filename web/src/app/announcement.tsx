import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

/** Says which page was opened, and what becomes of it, to whoever does not see it: what stands in the browser's tab. */
export function Announcement() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const first = useRef(path);
  const [title, setTitle] = useState("");
  useEffect(() => {
    // The first page is read out by itself.
    if (path === first.current) return;
    first.current = "";
    const read = () => setTitle(document.title);
    read();
    const observer = new MutationObserver(read);
    observer.observe(document.head, { subtree: true, childList: true, characterData: true });
    return () => observer.disconnect();
  }, [path]);
  return (
    <p className="visually-hidden" role="status">
      {title}
    </p>
  );
}
