/** A saved list: its address without the page, under a name. */
export interface SavedView {
  name: string;
  /** Filter, columns and order, as in the address. */
  search: string;
}

const KEY = "inspector.spans.views";
const MOST = 100;

/** The views that this browser has saved, by name. */
export function savedViews(): SavedView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isView).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Save a view; replaces one with the same name. Returns all saved views. */
export function keepView(view: SavedView): SavedView[] {
  const others = savedViews().filter(({ name }) => name !== view.name);
  return stored([...others, view].sort((a, b) => a.name.localeCompare(b.name)));
}

/** Delete a view by its name. Returns those that are left. */
export function forgetView(name: string): SavedView[] {
  return stored(savedViews().filter((view) => view.name !== name));
}

function stored(views: SavedView[]): SavedView[] {
  try {
    localStorage.setItem(KEY, JSON.stringify(views));
  } catch {
    // A browser without storage keeps them until the page is closed.
  }
  return views;
}

function isView(value: unknown): value is SavedView {
  const view = value as Partial<SavedView> | null;
  return typeof view?.name === "string" && view.name !== "" && typeof view.search === "string";
}
