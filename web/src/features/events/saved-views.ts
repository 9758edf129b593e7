/** A list as somebody wants to see it again: its address without the page, under a name. */
export interface SavedView {
  name: string;
  /** Filter, columns and order, as they stand in the address. */
  search: string;
}

const KEY = "inspector.spans.views";
const MOST = 100;

/** The views that this browser keeps, by name. */
export function savedViews(): SavedView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isView).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Keep a view; another one of that name goes. Returns all there are then. */
export function keepView(view: SavedView): SavedView[] {
  const others = savedViews().filter(({ name }) => name !== view.name);
  return stored([...others, view].sort((a, b) => a.name.localeCompare(b.name)));
}

/** Forget a view by its name. Returns those that are left. */
export function forgetView(name: string): SavedView[] {
  return stored(savedViews().filter((view) => view.name !== name));
}

function stored(views: SavedView[]): SavedView[] {
  try {
    localStorage.setItem(KEY, JSON.stringify(views));
  } catch {
    // A browser that stores nothing keeps them until the page is left.
  }
  return views;
}

function isView(value: unknown): value is SavedView {
  const view = value as Partial<SavedView> | null;
  return typeof view?.name === "string" && view.name !== "" && typeof view.search === "string";
}
