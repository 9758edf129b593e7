import { useEffect, useState } from "react";

/** The height of a list's row in pixels: `--row` at the font size of the moment. */
export function useRowHeight(): number {
  const [height, setHeight] = useState(measured);
  useEffect(() => {
    const renew = () => setHeight(measured());
    window.addEventListener("resize", renew);
    return () => window.removeEventListener("resize", renew);
  }, []);
  return height;
}

function measured(): number {
  const root = getComputedStyle(document.documentElement);
  return (Number.parseFloat(root.getPropertyValue("--row")) || 1.875) * (Number.parseFloat(root.fontSize) || 16);
}
