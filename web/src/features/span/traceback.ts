/** A part of a traceback: the frame that raised, frames around it, or the text between frames. */
export interface TracebackPart {
  text: string;
  /** `raised` is the program's frame that raised; absent if no frame is the program's. */
  look: "raised" | "frame" | "text";
  /** Why it is folded: frames of libraries, or frames of the program far from the one that raised. */
  folded: "libraries" | "far" | null;
  /** The number of frames in it. */
  frames: number;
}

interface Frame {
  start: number;
  end: number;
  isLibrary: boolean;
}

const PYTHON_FRAME = /^( *)File ".*", line [0-9]+/gm;
const BEGINNING = "Traceback (most recent call last)";
/** Paths of installed packages, of Python itself, and of the recorder. */
const LIBRARY =
  /File "(?:[^"]*[\\/](?:site|dist)-packages[\\/]|[^"]*[\\/]lib[\\/]python3[^"\\/]*[\\/]|<frozen |[^"]*[\\/](?:inspector[\\/](?:integrations|record)|instrument)[\\/])/i;
const SCRIPT_FRAME = /^ +at .+$/gm;
const SCRIPT_LIBRARY = /[\\/]node_modules[\\/]|\(?node:/;
/** Frames of the program within this distance of the one that raised are shown; those further away matter less. */
const NEAR = 3;
/** Fewer frames are not worth folding. */
const FEW = 4;

/** Split a traceback into parts in their order, by whose frames they are; null if no frame is recognised. */
export function readTraceback(text: string): TracebackPart[] | null {
  const python = pythonFrames(text);
  const frames = python.length ? python : scriptFrames(text);
  if (frames.length === 0) return null;
  const beginning = python.length ? text.lastIndexOf(BEGINNING) : -1;
  const own = frames.filter(({ isLibrary }) => !isLibrary);
  const isLast = (frame: Frame) => frame.start > beginning;
  const raised = python.length ? own.findLast(isLast) : own[0];
  // At least one frame must be shown: here, where the libraries raised it.
  const shown = raised ?? (python.length ? frames.at(-1) : frames[0]);
  const at = raised ? own.indexOf(raised) : 0;
  const far = new Set(own.filter((_, place) => Math.abs(place - at) > NEAR));
  const parts: TracebackPart[] = [];
  let end = 0;
  for (const frame of frames) {
    if (frame.start > end) parts.push({ text: text.slice(end, frame.start), look: "text", folded: null, frames: 0 });
    const folded =
      frame === shown ? null : frame.isLibrary ? "libraries" : far.size >= FEW && far.has(frame) ? "far" : null;
    append(parts, {
      text: text.slice(frame.start, frame.end),
      look: frame === raised ? "raised" : "frame",
      folded,
      frames: 1,
    });
    end = frame.end;
  }
  if (end < text.length) parts.push({ text: text.slice(end), look: "text", folded: null, frames: 0 });
  return parts;
}

/** Add a frame, to the previous part if that is folded in the same way. */
function append(parts: TracebackPart[], frame: TracebackPart): void {
  const before = parts.at(-1);
  if (before?.look === frame.look && before.folded === frame.folded) {
    before.text += frame.text;
    before.frames++;
  } else {
    parts.push(frame);
  }
}

function pythonFrames(text: string): Frame[] {
  return [...text.matchAll(PYTHON_FRAME)].map((head) => ({
    start: head.index,
    end: frameEnd(text, head),
    isLibrary: LIBRARY.test(head[0]),
  }));
}

function frameEnd(text: string, frame: RegExpExecArray): number {
  const indent = frame[1]?.length ?? 0;
  let end = lineEnd(text, frame.index);
  // Source lines are indented further; the frames of an exception group begin with bars.
  while (end < text.length && new RegExp(`^ {${indent + 1},}`).test(text.slice(end, end + indent + 1))) {
    end = lineEnd(text, end);
  }
  return end;
}

/** Node and browsers put the error first, with the frame that raised it directly below. */
function scriptFrames(text: string): Frame[] {
  return [...text.matchAll(SCRIPT_FRAME)].map(({ 0: line, index }) => ({
    start: index,
    end: lineEnd(text, index),
    isLibrary: SCRIPT_LIBRARY.test(line),
  }));
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at + 1;
}
