import { type FormEvent, useState } from "react";
import { parsedLabel, type TypedLabel } from "@/lib/labels";
import { Button } from "@/ui/button";
import css from "./labels.module.css";

const HINT = "a tag such as flaky, quality=0.8 or relevance=fair, or a note alone";

/** A form for a label and a note. */
export function LabelForm({ onLabel }: { onLabel: (label: TypedLabel, note: string) => void }) {
  const [text, setText] = useState("");
  const [note, setNote] = useState("");
  const [wrong, setWrong] = useState(false);

  function submit(event: FormEvent) {
    event.preventDefault();
    const label = text.trim() === "" && note.trim() !== "" ? { name: "note" } : parsedLabel(text);
    if (label === null) setWrong(true);
    else onLabel(label, note.trim());
  }

  return (
    <form className={css.form} onSubmit={submit}>
      <label className={css.row}>
        Label
        <input
          data-autofocus
          value={text}
          spellCheck={false}
          placeholder="good, flaky, quality=0.8"
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <label className={css.row}>
        Note
        <textarea value={note} rows={3} onChange={(event) => setNote(event.target.value)} />
      </label>
      <p className={css.hint} role={wrong ? "alert" : undefined}>
        {wrong ? `Use ${HINT}.` : `Enter ${HINT}.`}
      </p>
      <Button type="submit" look="accent">
        Save
      </Button>
    </form>
  );
}
