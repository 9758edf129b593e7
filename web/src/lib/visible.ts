/**
 * Recorded text with everything that could hide or reorder it made visible.
 *
 * Control characters become their pictures (U+2400 block), bidirectional and zero-width controls, tag characters and
 * other invisible format characters become `⟨U+202E⟩`. Line feeds and tabs stay: the page decides how to show them.
 */
export function visible(text: string): string {
  return HIDDEN_ANY.test(text) ? text.replace(HIDDEN, symbol) : text;
}

/** The same on one line: line feeds and tabs become symbols as well. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\r\n|\n|\r|\t/g, (found) => (found === "\t" ? "⇥" : "⏎"));
}

// Soft hyphen, fillers, bidirectional controls, zero-width characters, invisible operators, BOM, interlinear anchors, tag
// characters, lone surrogates, C0 without \t \n \r, DEL and C1. A joiner between two pictures makes one emoji: it stays.
const CLASS =
  "\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\u00AD\\u061C\\u115F\\u1160\\u180E\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB\\u{E0000}-\\u{E007F}\\p{Surrogate}";
const EMOJI_JOINER =
  "(?<=[\\p{Extended_Pictographic}\\uFE0F\\u{1F3FB}-\\u{1F3FF}])\\u200D(?=\\p{Extended_Pictographic})";
const HIDDEN = new RegExp(`(?!${EMOJI_JOINER})[${CLASS}]`, "gu");
const HIDDEN_ANY = new RegExp(`[${CLASS}]`, "u");

function symbol(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
