"use strict";

// How values of the program are written down, without ever failing it.

const MOST_BYTES = 1 << 24; // A larger text is none for people.

// Whatever fails in here is none of the program's business.
function safely(look) {
  try {
    return look();
  } catch (_) {
    return undefined;
  }
}

function described(error) {
  const is = error !== null && typeof error === "object";
  const told = (name) => safely(() => (typeof error[name] === "string" ? error[name] : undefined));
  return {
    error: (is && safely(() => nameOf(error))) || "Error",
    message: is ? told("message") : typeof error === "symbol" ? "a symbol" : String(error),
    code: is ? told("code") : undefined,
    stack: is ? told("stack") : undefined,
  };
}

function nameOf(error) {
  const { name } = error.constructor;
  return name === "DOMException" ? error.name : name;
}

// Whether work ended by this because its caller gave it up.
function isLeft(error) {
  const name = safely(() => error.name);
  return name === "AbortError" || name === "CanceledError";
}

// A value as JSON; what it is not of is shown as Node shows it.
function written(value) {
  if (value === undefined) return undefined;
  const text = safely(() => JSON.stringify(value, plain)) || safely(() => JSON.stringify(shown(value)));
  return text !== undefined && text.length <= MOST_BYTES ? text : undefined;
}

function plain(_, value) {
  // A Buffer comes as its `toJSON` shows it: as a list of its numbers, which would take seconds to write.
  if (value && value.type === "Buffer" && Array.isArray(value.data)) return `${value.data.length} bytes`;
  if (typeof value === "bigint") return String(value);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  return ArrayBuffer.isView(value) ? `${value.byteLength} bytes` : value;
}

function shown(value) {
  return require("util").inspect(value, { depth: 4, maxStringLength: 10000, getters: false });
}

module.exports = { MOST_BYTES, described, isLeft, safely, written };
