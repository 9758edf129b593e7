import { Fragment, useState } from "react";
import { keyOf, type Shortcut } from "@/lib/shortcuts";
import { useCommands } from "@/ui/commands";
import { Dialog } from "@/ui/dialog";
import { useKeys } from "@/ui/use-keys";
import css from "./shortcuts.module.css";

/** A sequence of two single keys; `Page Down` is one key. */
const SEQUENCE = /(?<=^\S) (?=\S$)/;

/** Shows the keys of this page on request. */
export function Shortcuts({ of }: { of: readonly Shortcut[] }) {
  const [open, setOpen] = useState(false);
  const pages = [...new Set(of.map(({ page }) => page))];
  useCommands([
    {
      id: "shortcuts",
      group: "Help",
      title: "Show the keyboard shortcuts",
      words: "help keys",
      keys: keyOf("help"),
      run: () => setOpen(true),
    },
  ]);

  useKeys({ help: () => setOpen(true) });

  return (
    <Dialog open={open} onClose={() => setOpen(false)} title="Keyboard shortcuts" className={css.dialog}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={css.all} aria-label="All shortcuts" tabIndex={0}>
        <div className={css.pages}>
          {pages.map((page) => (
            <Page key={page} page={page} of={of} />
          ))}
        </div>
      </section>
    </Dialog>
  );
}

function Page({ page, of }: { page: Shortcut["page"]; of: readonly Shortcut[] }) {
  return (
    <section className={css.page}>
      <h3 className={css.name}>{page}</h3>
      <dl>
        {of
          .filter((shortcut) => shortcut.page === page)
          .map(({ keys, what }) => (
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
