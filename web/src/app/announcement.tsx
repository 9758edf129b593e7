import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

/** Announces the title of a newly opened page, and its changes, to screen readers. */
export function Announcement() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const first = useRef(path);
  const [title, setTitle] = useState("");
  useEffect(() => {
    // Screen readers read the first page by themselves.
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
