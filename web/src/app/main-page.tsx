import { Outlet, useRouterState } from "@tanstack/react-router";
import css from "./shell.module.css";

/**
 * The page of the current address.
 *
 * While it is loading, the previous page stays visible but takes neither clicks nor keys: a menu that opens there would
 * disappear at once, and a key meant for the next page would act on the previous one.
 */
export function MainPage() {
  const leaving = useRouterState({ select: isLeaving });
  return (
    <main id="main" tabIndex={-1} className={css.main} inert={leaving} aria-busy={leaving}>
      <Outlet />
    </main>
  );
}

interface Places {
  location: { pathname: string };
  resolvedLocation?: { pathname: string } | undefined;
  matches: readonly { pathname: string }[];
}

/** Whether the shown page has another address. An unknown address matches no page, so check `resolvedLocation` too. */
function isLeaving({ location: { pathname }, resolvedLocation, matches }: Places): boolean {
  return resolvedLocation?.pathname !== pathname && matches.at(-1)?.pathname !== pathname;
}
