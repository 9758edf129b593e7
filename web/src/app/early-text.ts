let early = "";

/** Collects what is typed while the field for it is not there yet; otherwise the letters would be keys of the page. */
export function collectText(): void {
  early = "";
  window.addEventListener("keydown", collect, true);
}

/** What was typed since `collectText`. Later keys go to where the focus is. */
export function takeText(): string {
  window.removeEventListener("keydown", collect, true);
  const text = early;
  early = "";
  return text;
}

function collect(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key.length === 1) early += event.key;
  else if (event.key === "Backspace") early = early.slice(0, -1);
  // Enter would press whatever has the focus.
  else if (event.key !== "Enter") return;
  event.preventDefault();
  event.stopPropagation();
}
