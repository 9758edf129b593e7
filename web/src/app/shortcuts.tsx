import { useNavigate } from "@tanstack/react-router";
import { Fragment, useEffect, useEffectEvent, useRef, useState } from "react";
import { isForPage, PLACE_KEYS, SHORTCUTS, type Shortcut } from "@/lib/shortcuts";
import { useCommands } from "@/ui/commands";
import { Dialog } from "@/ui/dialog";
import css from "./shortcuts.module.css";

/** Two single keys one after the other; `Page Down` is one. */
const SEQUENCE = /(?<=^\S) (?=\S$)/;

/** How long the second key of a sequence may take. */
const SEQUENCE_MS = 1200;

/** Listens for the keys that work everywhere, and shows all of them when asked. */
export function Shortcuts() {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const begun = useRef(0);
  useCommands([
    {
      id: "shortcuts",
      group: "Help",
      title: "Show the keyboard shortcuts",
      words: "help keys",
      keys: "?",
      run: () => setOpen(true),
    },
  ]);

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isForPage(event)) return;
    const place = Date.now() - begun.current < SEQUENCE_MS ? placeOf(event.key) : undefined;
    begun.current = event.key === "g" ? Date.now() : 0;
    if (place) {
      event.preventDefault();
      // What the second key does on a page of its own is not meant here.
      event.stopImmediatePropagation();
      void navigate({ to: place });
    } else if (event.key === "?") {
      event.preventDefault();
      setOpen(true);
    }
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);

  return (
    <Dialog open={open} onClose={() => setOpen(false)} title="Keyboard shortcuts" className={css.dialog}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <section className={css.all} aria-label="All shortcuts" tabIndex={0}>
        <div className={css.pages}>
          {PAGES.map((page) => (
            <Page key={page} page={page} />
          ))}
        </div>
      </section>
    </Dialog>
  );
}

const PAGES = [...new Set(SHORTCUTS.map(({ page }) => page))];

function placeOf(key: string) {
  return Object.hasOwn(PLACE_KEYS, key) ? PLACE_KEYS[key as keyof typeof PLACE_KEYS] : undefined;
}

function Page({ page }: { page: Shortcut["page"] }) {
  return (
    <section className={css.page}>
      <h3 className={css.name}>{page}</h3>
      <dl>
        {SHORTCUTS.filter((shortcut) => shortcut.page === page).map(({ keys, what }) => (
          <div key={what} className={css.shortcut}>
            <dt>{what}</dt>
            <dd className={css.keys}>
              {keys.map((sequence, at) => (
                <Fragment key={sequence}>
                  {at > 0 && <span className={css.or}>or</span>}
                  {sequence.split(SEQUENCE).map((key) => (
                    <kbd key={key} className={css.key}>
                      {key}
                    </kbd>
                  ))}
                </Fragment>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
