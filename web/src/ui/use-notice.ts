import { useRouterState } from "@tanstack/react-router";
import { parseSearch } from "@/lib/address";
import { unreadIn } from "@/lib/unread";

/** The address that the app was opened with: the router immediately removes what its page does not understand. */
const opening = {
  path: location.hash.split("?")[0]?.slice(1),
  search: location.hash.split("?")[1] ?? "",
  read: null as string | null,
};

/** The search that the app was opened with, as long as the page's own search is the same. */
function openedWith(path: string, read: string): string {
  if (path === opening.path) opening.read ??= read;
  if (path !== opening.path || opening.read !== read) opening.search = "";
  return opening.search;
}

/**
 * Says what was not understood: by the page in its address, and by the server in the searched text.
 *
 * @param read The page's search parameters as it understood them.
 * @param notice The server's notice.
 */
export function useNotice(read: object, notice?: string): string | undefined {
  const { pathname, searchStr } = useRouterState({ select: ({ location }) => location });
  const opened = openedWith(pathname, JSON.stringify(read));
  const unread = unreadIn(parseSearch(searchStr), read) ?? unreadIn(parseSearch(opened), read);
  const said = [unread, notice].filter((each) => each !== undefined);
  return said.length ? said.join(" · ") : undefined;
}
