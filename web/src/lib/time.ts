/** Times in the API's format: decimal strings of nanoseconds since the Unix epoch, too large for a number. */
export type UnixNano = string;

/** Milliseconds since the Unix epoch; decimals are kept as far as a number can hold them. */
export function unixMs(time: UnixNano): number {
  return Number(BigInt(time) / 1000n) / 1000;
}

/** The time this many milliseconds later. */
export function laterBy(from: UnixNano, ms: number): UnixNano {
  return String(BigInt(from) + BigInt(Math.round(ms * 1e6)));
}

/** The exact distance between two times in milliseconds. */
export function msBetween(from: UnixNano, to: UnixNano): number {
  return Number(BigInt(to) - BigInt(from)) / 1e6;
}
