import { Outlet, useRouterState } from "@tanstack/react-router";
import css from "./shell.module.css";

/**
 * Where the page stands that the address names.
 *
 * Until it is here the one before shows, and takes neither clicks nor keys: a menu that opened there would be gone in
 * the next moment, and a key meant for what comes would act on what goes.
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

/** Whether what shows is of another address. What is nowhere matches nothing, so the address that was resolved counts too. */
function isLeaving({ location: { pathname }, resolvedLocation, matches }: Places): boolean {
  return resolvedLocation?.pathname !== pathname && matches.at(-1)?.pathname !== pathname;
}
