/** A traceback in the pieces a reader looks for. */
export interface Traceback {
  /** Everything before the last frame. */
  before: string;
  /** Where it was raised: the last frame of the last traceback. */
  last: string;
  /** The error itself, and whatever stands behind it. */
  after: string;
}

const PYTHON_FRAME = /^( *)File ".*", line [0-9]+/gm;
const SCRIPT_FRAME = /^ +at .+$/gm;

/** Set off the frame in which an error was raised; null where no frame is recognised. */
export function readTraceback(text: string): Traceback | null {
  return python(text) ?? script(text);
}

function python(text: string): Traceback | null {
  const frame = [...text.matchAll(PYTHON_FRAME)].at(-1);
  if (!frame) return null;
  const indent = frame[1]?.length ?? 0;
  let end = lineEnd(text, frame.index);
  // Its lines of source are indented further; a group's frames stand behind bars.
  while (end < text.length && new RegExp(`^ {${indent + 1},}`).test(text.slice(end, end + indent + 1))) {
    end = lineEnd(text, end);
  }
  return { before: text.slice(0, frame.index), last: text.slice(frame.index, end), after: text.slice(end) };
}

/** Node and browsers put the error first and the frame in which it was raised right below it. */
function script(text: string): Traceback | null {
  const frame = SCRIPT_FRAME.exec(text);
  SCRIPT_FRAME.lastIndex = 0;
  if (!frame) return null;
  const end = lineEnd(text, frame.index);
  return { before: text.slice(0, frame.index), last: text.slice(frame.index, end), after: text.slice(end) };
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at + 1;
}
