import clsx from "clsx";
import { Bookmark, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { visibleLine } from "@/lib/visible";
import { Button } from "@/ui/button";
import { Popover } from "@/ui/popover";
import css from "./menus.module.css";
import { forgetView, keepView, savedViews } from "./saved-views";

interface Props {
  /** The search part of the address that a view would save. */
  search: string;
  onOpen: (search: string) => void;
}

/** Saves filter, order and columns of the list under a name, and opens saved views. */
export function ViewsMenu({ search, onOpen }: Props) {
  return (
    <Popover
      label="Views"
      className={css.button}
      panel={(close) => (
        <Views
          search={search}
          onOpen={(next) => {
            onOpen(next);
            close();
          }}
        />
      )}
    >
      <Bookmark size={14} aria-hidden />
      Views
    </Popover>
  );
}

function Views({ search, onOpen }: Props) {
  const [views, setViews] = useState(savedViews);
  const [name, setName] = useState("");
  function save(event: FormEvent) {
    event.preventDefault();
    if (name.trim() === "") return;
    setViews(keepView({ name: name.trim(), search }));
    setName("");
  }
  return (
    <div className={css.views}>
      {views.length === 0 && <p className={css.hint}>No views yet. They stay in this browser.</p>}
      <ul>
        {views.map((view) => (
          <li key={view.name} className={css.view}>
            <button type="button" className={clsx("cut", css.open)} onClick={() => onOpen(view.search)}>
              <bdi>{visibleLine(view.name)}</bdi>
            </button>
            <Button
              look="plain"
              aria-label={`Forget the view ${visibleLine(view.name)}`}
              onClick={() => setViews(forgetView(view.name))}
            >
              <X size={12} aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      <form className={css.save} onSubmit={save}>
        <input
          value={name}
          placeholder="Name of this view"
          aria-label="Name of this view"
          maxLength={60}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit">Save</Button>
      </form>
    </div>
  );
}
