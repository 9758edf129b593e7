import { type FormEvent, useState } from "react";
import { type Said, saidIn } from "@/lib/labels";
import { Button } from "@/ui/button";
import css from "./labels.module.css";

const HINT = "a tag such as flaky, quality=0.8 or relevance=fair, or a note alone";

/** Asks what to say. */
export function LabelForm({ onSay }: { onSay: (said: Said, note: string) => void }) {
  const [text, setText] = useState("");
  const [note, setNote] = useState("");
  const [wrong, setWrong] = useState(false);

  function submit(event: FormEvent) {
    event.preventDefault();
    const said = text.trim() === "" && note.trim() !== "" ? { name: "note" } : saidIn(text);
    if (said === null) setWrong(true);
    else onSay(said, note.trim());
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
