/** The parts of a page's document: lines in gzip in base64, each unpacked when it is needed. */

/** The number of parts that stay unpacked: those around the shown one. */
const MOST_UNPACKED = 12;

const unpacked = new Map<string, Promise<string[]>>();

/** The lines of a part, by the id of its element. */
export function linesOf(id: string): Promise<string[]> {
  const lines = unpacked.get(id) ?? unpack(id).then((text) => text.split("\n"));
  // Move it to the end: the first one is removed first.
  unpacked.delete(id);
  unpacked.set(id, lines);
  const [oldest] = unpacked.keys();
  if (unpacked.size > MOST_UNPACKED && oldest !== undefined) unpacked.delete(oldest);
  return lines;
}

async function unpack(id: string): Promise<string> {
  const packed = atob(document.getElementById(id)?.textContent ?? "");
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at++) bytes[at] = packed.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** The id of the element with a part of the page's data. */
export function partId(number: number): string {
  return `part-${number}`;
}
