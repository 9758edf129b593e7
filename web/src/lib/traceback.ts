/** A traceback in the pieces a reader looks for. */
export interface Traceback {
  /** Everything before the frame that is set off. */
  before: string;
  /** Where the program raised it: its last frame in the last traceback, or the very last one where no frame is its. */
  last: string;
  /** Frames of libraries that it went through from there. */
  inner: string;
  /** The error itself, and whatever stands behind it. */
  after: string;
}

const PYTHON_FRAME = /^( *)File ".*", line [0-9]+/gm;
const BEGINNING = "Traceback (most recent call last)";
/** Paths of what is installed, of Python itself, and of what records. */
const LIBRARY =
  /File "(?:[^"]*[\\/](?:site|dist)-packages[\\/]|[^"]*[\\/]lib[\\/]python3[^"\\/]*[\\/]|<frozen |[^"]*[\\/](?:inspector[\\/](?:integrations|record)|instrument)[\\/])/i;
const SCRIPT_FRAME = /^ +at .+$/gm;

/** Set off the frame in which an error was raised; null where no frame is recognised. */
export function readTraceback(text: string): Traceback | null {
  return python(text) ?? script(text);
}

function python(text: string): Traceback | null {
  const frames = [...text.matchAll(PYTHON_FRAME)];
  const last = frames.at(-1);
  if (!last) return null;
  const beginning = text.lastIndexOf(BEGINNING);
  const own = frames.findLast(({ 0: head, index }) => index > beginning && !LIBRARY.test(head)) ?? last;
  const [end, innerEnd] = [frameEnd(text, own), frameEnd(text, last)];
  return {
    before: text.slice(0, own.index),
    last: text.slice(own.index, end),
    inner: text.slice(end, innerEnd),
    after: text.slice(innerEnd),
  };
}

function frameEnd(text: string, frame: RegExpMatchArray): number {
  const indent = frame[1]?.length ?? 0;
  let end = lineEnd(text, frame.index ?? 0);
  // Its lines of source are indented further; a group's frames stand behind bars.
  while (end < text.length && new RegExp(`^ {${indent + 1},}`).test(text.slice(end, end + indent + 1))) {
    end = lineEnd(text, end);
  }
  return end;
}

/** Node and browsers put the error first and the frame in which it was raised right below it. */
function script(text: string): Traceback | null {
  const frame = SCRIPT_FRAME.exec(text);
  SCRIPT_FRAME.lastIndex = 0;
  if (!frame) return null;
  const end = lineEnd(text, frame.index);
  return { before: text.slice(0, frame.index), last: text.slice(frame.index, end), inner: "", after: text.slice(end) };
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at + 1;
}
