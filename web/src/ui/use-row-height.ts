import { useEffect, useState } from "react";

/** The height of a list row with one or two lines in pixels: `--row`, `--row-of-two` at the current font size. */
export function useRowHeight(lines: 1 | 2 = 1): number {
  const [height, setHeight] = useState(() => measured(lines));
  useEffect(() => {
    const renew = () => setHeight(measured(lines));
    window.addEventListener("resize", renew);
    return () => window.removeEventListener("resize", renew);
  }, [lines]);
  return height;
}

function measured(lines: 1 | 2): number {
  const root = getComputedStyle(document.documentElement);
  const [name, usual] = lines === 1 ? (["--row", 1.875] as const) : (["--row-of-two", 2.875] as const);
  return (Number.parseFloat(root.getPropertyValue(name)) || usual) * (Number.parseFloat(root.fontSize) || 16);
}
