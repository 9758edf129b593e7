/** Those who want to hear of something. */
export interface Listeners<What> {
  /** Call back each time, until the returned function is called. */
  add: (listener: (what: What) => void) => () => void;
  tell: (what: What) => void;
}

export function listenersOf<What = void>(): Listeners<What> {
  const listeners = new Set<(what: What) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(what) {
      for (const listener of listeners) listener(what);
    },
  };
}

/** A value of the whole page; `subscribe` and `get` are what `useSyncExternalStore` asks for. */
export interface Store<Value> {
  get: () => Value;
  set: (next: Value) => void;
  subscribe: (listener: () => void) => () => void;
}

export function storeOf<Value>(first: Value): Store<Value> {
  let value = first;
  const { add, tell } = listenersOf();
  return {
    get: () => value,
    set(next) {
      value = next;
      tell();
    },
    subscribe: add,
  };
}
