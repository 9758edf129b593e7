import { Columns3 } from "lucide-react";
import { Button } from "@/ui/button";
import { Popover } from "@/ui/popover";
import { COLUMNS } from "./columns";
import css from "./menus.module.css";
import { COLUMN_IDS, type ColumnId, USUAL } from "./url";

interface Props {
  /** Null for the default columns. */
  columns: readonly ColumnId[] | null;
  onChange: (columns: readonly ColumnId[] | null) => void;
}

/** Lets the user choose the columns of the list. */
export function ColumnsMenu({ columns, onChange }: Props) {
  const chosen = columns ?? USUAL;
  return (
    <Popover
      label="Columns"
      className={css.button}
      panel={() => (
        <fieldset className={css.choices}>
          <legend className={css.heading}>Columns</legend>
          {COLUMN_IDS.map((id) => (
            <label key={id} className={css.choice}>
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={() => onChange(COLUMN_IDS.filter((each) => chosen.includes(each) !== (each === id)))}
              />
              {COLUMNS[id].label}
            </label>
          ))}
          <Button onClick={() => onChange(null)}>Usual columns</Button>
        </fieldset>
      )}
    >
      <Columns3 size={14} aria-hidden />
      Columns
    </Popover>
  );
}
