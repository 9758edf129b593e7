/** Focus what scrolls in a region, so that the keys scroll it; or else the region itself. */
export function focusInto(region: HTMLElement | null): void {
  (region?.querySelector<HTMLElement>("[tabindex='0']") ?? region)?.focus({ preventScroll: true });
}
